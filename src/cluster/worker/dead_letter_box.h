#ifndef SDA_CLUSTER_WORKER_DEAD_LETTER_BOX_H_
#define SDA_CLUSTER_WORKER_DEAD_LETTER_BOX_H_

#include <mutex>
#include <utility>
#include <vector>

#include "cluster/log/set_aside.h"

namespace sda::cluster {

// Messages of the log that were set aside, until the keeper has noted them. For any thread.
class DeadLetterBox {
 public:
  void Add(const SetAside& message) {
    constexpr size_t kMost = 1000;  // of a flood, the first ones
    std::lock_guard lock(mutex_);
    if (messages_.size() < kMost) messages_.push_back(message);
  }

  bool empty() const {
    std::lock_guard lock(mutex_);
    return messages_.empty();
  }

  std::vector<SetAside> TakeAll() {
    std::lock_guard lock(mutex_);
    return std::exchange(messages_, {});
  }

 private:
  mutable std::mutex mutex_;
  std::vector<SetAside> messages_;
};

}  // namespace sda::cluster

#endif  // SDA_CLUSTER_WORKER_DEAD_LETTER_BOX_H_
