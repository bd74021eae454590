#ifndef SDA_INTERNAL_BOUNDED_QUEUE_H_
#define SDA_INTERNAL_BOUNDED_QUEUE_H_

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "sda/export.h"

namespace SDA_EXPORT sda {

// A queue that makes the faster side wait, so it never holds more than `capacity` things.
template <class T>
class BoundedQueue {
 public:
  explicit BoundedQueue(size_t capacity) : capacity_(capacity) {}

  // Waits while the queue is full. False, dropping the value, if the queue was closed.
  bool Push(T value) {
    std::unique_lock lock(mutex_);
    not_full_.wait(lock, [&] { return closed_ || queue_.size() < capacity_; });
    if (closed_) return false;
    queue_.push_back(std::move(value));
    not_empty_.notify_one();
    return true;
  }

  // Waits while the queue is empty. Nothing once it is closed and empty.
  std::optional<T> Pop() {
    std::unique_lock lock(mutex_);
    not_empty_.wait(lock, [&] { return closed_ || !queue_.empty(); });
    if (queue_.empty()) return std::nullopt;
    std::optional<T> value(std::move(queue_.front()));
    queue_.pop_front();
    not_full_.notify_one();
    return value;
  }

  // No further pushes; what is in the queue can still be taken out.
  void Close() {
    std::lock_guard lock(mutex_);
    closed_ = true;
    not_empty_.notify_all();
    not_full_.notify_all();
  }

  // Close(), and what is in the queue is dropped.
  void Abandon() {
    std::lock_guard lock(mutex_);
    closed_ = true;
    queue_.clear();
    not_empty_.notify_all();
    not_full_.notify_all();
  }

 private:
  const size_t capacity_;
  std::mutex mutex_;
  std::condition_variable not_empty_;
  std::condition_variable not_full_;
  std::deque<T> queue_;
  bool closed_ = false;
};

}  // namespace sda

#endif  // SDA_INTERNAL_BOUNDED_QUEUE_H_
