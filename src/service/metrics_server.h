#ifndef SDA_SERVICE_METRICS_SERVER_H_
#define SDA_SERVICE_METRICS_SERVER_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>

namespace sda {

// Serves /metrics over HTTP, on 127.0.0.1 alone, on a thread of its own, and only to who asks for
// this machine (request_host.h). Clients that are slow, send much or never stop are disconnected;
// the others do not wait for them.
class MetricsServer {
 public:
  struct Limits {
    std::chrono::milliseconds time{5000};  // of one connection, from accepting to closing
    size_t request_bytes = 8192;
    size_t connections = 32;  // at once; then the oldest goes
  };

  // Port 0: a free one. `metrics` is called by the thread, for each request; if it throws, the
  // answer is 500. Throws IoError if the port is not available.
  MetricsServer(int port, std::function<std::string()> metrics)
      : MetricsServer(port, std::move(metrics), Limits()) {}
  MetricsServer(int port, std::function<std::string()> metrics, Limits limits);
  ~MetricsServer();
  MetricsServer(const MetricsServer&) = delete;
  MetricsServer& operator=(const MetricsServer&) = delete;

  uint16_t port() const { return port_; }
  std::string url() const;

 private:
  void Run(const std::stop_token& stop);

  const std::function<std::string()> metrics_;
  const Limits limits_;
  int listener_ = -1;
  uint16_t port_ = 0;
  std::jthread thread_;
};

}  // namespace sda

#endif  // SDA_SERVICE_METRICS_SERVER_H_
