#include "service/metrics_server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <list>
#include <string_view>
#include <utility>
#include <vector>

#include "sda/errors.h"
#include "service/request_host.h"

namespace sda {
namespace {

using Clock = std::chrono::steady_clock;

class Socket {
 public:
  explicit Socket(int fd) : fd_(fd) {}
  ~Socket() {
    if (fd_ >= 0) close(fd_);
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  int fd() const { return fd_; }

 private:
  const int fd_;
};

std::string Response(std::string_view status, std::string_view type, const std::string& body) {
  return fmt::format(
      "HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{}",
      status, type, body.size(), body);
}

std::string NotFound() {
  return Response("404 Not Found", "text/plain", "there is only GET /metrics\n");
}

std::string TooLong() {
  return Response("431 Request Header Fields Too Large", "text/plain",
                  "a shorter request, please\n");
}

bool AsksForMetrics(std::string_view target) {
  constexpr std::string_view kWanted = "/metrics";
  if (!target.starts_with(kWanted)) return false;
  const std::string_view rest = target.substr(kWanted.size());
  return rest.starts_with(' ') || rest.starts_with('?');
}

// request: from the target of its first line on.
std::string AnswerToGet(std::string_view request, const std::function<std::string()>& metrics) {
  if (!AsksForMetrics(request)) return NotFound();
  switch (HostOf(request)) {
    case RequestHost::kLocal:
      break;
    case RequestHost::kOther:
      return Response("421 Misdirected Request", "text/plain",
                      "the Host of the request is not localhost, 127.0.0.1 or [::1]\n");
    case RequestHost::kMissing:
      return Response("400 Bad Request", "text/plain", "expected one Host header\n");
  }
  try {
    return Response("200 OK", "text/plain; version=0.0.4; charset=utf-8", metrics());
  } catch (const std::exception& e) {
    return Response("500 Internal Server Error", "text/plain", std::string(e.what()) + "\n");
  }
}

// The request's line is METHOD SP TARGET SP VERSION.
std::string Answer(std::string_view request, const std::function<std::string()>& metrics) {
  constexpr std::string_view kGet = "GET ";
  constexpr std::string_view kHead = "HEAD ";
  if (request.starts_with(kGet)) return AnswerToGet(request.substr(kGet.size()), metrics);
  if (!request.starts_with(kHead)) return NotFound();
  const std::string whole = AnswerToGet(request.substr(kHead.size()), metrics);
  return whole.substr(0, whole.find("\r\n\r\n") + 4);  // without the body
}

// One client: first it sends, then it is sent to, then it is gone.
class Connection {
 public:
  Connection(int fd, Clock::time_point until) : socket_(fd), until_(until) {}

  int fd() const { return socket_.fd(); }
  short wants() const { return answer_.empty() ? POLLIN : POLLOUT; }
  Clock::time_point until() const { return until_; }

  // Continues as far as possible without waiting. False if it is over.
  bool GoOn(size_t most_bytes, const std::function<std::string()>& metrics) {
    if (answer_.empty() && !Receive(most_bytes)) return false;
    if (answer_.empty() && IsWhole()) answer_ = Answer(request_, metrics);
    if (answer_.empty() && request_.size() > most_bytes) answer_ = TooLong();
    return answer_.empty() || Send();
  }

 private:
  bool Receive(size_t most_bytes) {
    std::array<char, 4096> buffer;
    while (request_.size() <= most_bytes) {
      const ssize_t count = recv(fd(), buffer.data(), buffer.size(), MSG_DONTWAIT);
      if (count < 0) return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
      if (count == 0) return false;
      request_.append(buffer.data(), count);
      if (request_.find("\r\n\r\n") != std::string::npos) break;
    }
    return true;
  }

  bool IsWhole() const {
    return request_.find("\r\n\r\n") != std::string::npos ||
           request_.find("\n\n") != std::string::npos;
  }

  bool Send() {
    while (sent_ < answer_.size()) {
      const ssize_t count =
          send(fd(), answer_.data() + sent_, answer_.size() - sent_, MSG_DONTWAIT | MSG_NOSIGNAL);
      if (count < 0) return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
      sent_ += count;
    }
    shutdown(fd(), SHUT_WR);
    return false;
  }

  const Socket socket_;
  const Clock::time_point until_;
  std::string request_;
  std::string answer_;
  size_t sent_ = 0;
};

}  // namespace

MetricsServer::MetricsServer(int port, std::function<std::string()> metrics, Limits limits)
    : metrics_(std::move(metrics)), limits_(limits) {
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* where = reinterpret_cast<sockaddr*>(&address);
  const int yes = 1;  // allows a port that another program has just closed
  if (listener_ < 0 || setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) != 0 ||
      bind(listener_, where, size) != 0 || listen(listener_, SOMAXCONN) != 0 ||
      getsockname(listener_, where, &size) != 0) {
    const int error = errno;
    if (listener_ >= 0) close(listener_);
    throw IoError(
        fmt::format("--metrics: cannot listen on 127.0.0.1:{}: {}{}", port, std::strerror(error),
                    error == EADDRINUSE ? "; give another port, or 0 for a free one" : ""));
  }
  port_ = ntohs(address.sin_port);
  thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
}

MetricsServer::~MetricsServer() {
  thread_.request_stop();
  thread_.join();
  close(listener_);
}

std::string MetricsServer::url() const { return fmt::format("http://127.0.0.1:{}/metrics", port_); }

void MetricsServer::Run(const std::stop_token& stop) {
  constexpr int kTick = 100;  // milliseconds, within which a stop is noticed
  std::list<Connection> connections;
  while (!stop.stop_requested()) {
    std::vector<pollfd> waiting = {{listener_, POLLIN, 0}};
    for (const Connection& connection : connections) {
      waiting.push_back({connection.fd(), connection.wants(), 0});
    }
    if (poll(waiting.data(), waiting.size(), kTick) < 0) waiting.assign(waiting.size(), {});
    auto connection = connections.begin();
    for (size_t i = 1; i < waiting.size(); ++i) {
      const bool over =
          Clock::now() > connection->until() ||
          (waiting[i].revents != 0 && !connection->GoOn(limits_.request_bytes, metrics_));
      connection = over ? connections.erase(connection) : std::next(connection);
    }
    if (waiting[0].revents == 0) continue;
    const int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) {
      // Out of descriptors, for example: do not retry in a busy loop.
      if (errno != EAGAIN) std::this_thread::sleep_for(std::chrono::milliseconds(kTick));
      continue;
    }
    if (connections.size() == limits_.connections) connections.pop_front();
    connections.emplace_back(fd, Clock::now() + limits_.time);
  }
}

}  // namespace sda
