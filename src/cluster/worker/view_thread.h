#ifndef SDA_CLUSTER_WORKER_VIEW_THREAD_H_
#define SDA_CLUSTER_WORKER_VIEW_THREAD_H_

#include <chrono>
#include <exception>
#include <thread>
#include <utility>

#include "cluster/kafka/fault_point.h"
#include "cluster/log/log_view.h"
#include "sda/context.h"

namespace sda::cluster {

// Keeps a view up to date, on a thread of its own, until Finish() or a failure.
class ViewThread {
 public:
  // A failure stops `dependents`, which wait for the view; after a stop of `context` an exception
  // is not a failure.
  ViewThread(LogView* view, const Context& context, const Context& dependents)
      : thread_([=, this](const std::stop_token& end) {
          try {
            while (!end.stop_requested()) {
              FaultPoint("view");
              view->Poll(std::chrono::milliseconds(50));
            }
          } catch (...) {
            if (!context.StopRequested()) failure_ = std::current_exception();
            dependents.RequestStop();
          }
        }) {}

  // Ends the thread, and throws its exception, if any.
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
