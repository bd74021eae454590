#ifndef SDA_CLUSTER_WORKER_VIEW_THREAD_H_
#define SDA_CLUSTER_WORKER_VIEW_THREAD_H_

#include <atomic>
#include <chrono>
#include <exception>
#include <thread>
#include <utility>

#include "cluster/kafka/fault_point.h"
#include "cluster/log/log_view.h"

namespace sda::cluster {

// Keeps a view up to date, on a thread of its own, until `stop` is set or something fails.
class ViewThread {
 public:
  // halted becomes true when either happens.
  ViewThread(LogView* view, const std::atomic<bool>* stop, std::atomic<bool>* halted)
      : thread_([=, this](const std::stop_token& end) {
          try {
            while (!end.stop_requested()) {
              if (stop->load()) *halted = true;
              FaultPoint("view");
              view->Poll(std::chrono::milliseconds(50));
            }
          } catch (...) {
            if (!stop->load()) failure_ = std::current_exception();
            *halted = true;
          }
        }) {}

  // Ends the thread, and throws what it met.
  void Finish() {
    thread_.request_stop();
    if (thread_.joinable()) thread_.join();
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  }

 private:
  std::exception_ptr failure_;
  std::jthread thread_;
};

}  // namespace sda::cluster

#endif  // SDA_CLUSTER_WORKER_VIEW_THREAD_H_
