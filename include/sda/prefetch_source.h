#ifndef SDA_PREFETCH_SOURCE_H_
#define SDA_PREFETCH_SOURCE_H_

#include <cstddef>
#include <exception>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "sda/export.h"
#include "sda/internal/bounded_queue.h"
#include "sda/source.h"

namespace SDA_EXPORT sda {

// Reads another source ahead, on a thread of its own, so that reading overlaps computing. Hands out
// the same minibatches in the same order; what the source throws is thrown by Next() in its place.
//
// From the first Next() until the end of the stream the source belongs to the thread: ask it only
// what it allows from any thread. The destructor waits for the minibatch that is being read, so a
// source that may wait for long must react to a request to stop.
template <class Data>
class PrefetchSource : public Source<Data> {
 public:
  // The source must outlive this. At most `ahead` minibatches wait, and one more is being read.
  explicit PrefetchSource(Source<Data>* source, size_t ahead = 2)
      : source_(*source), ahead_(ahead < 1 ? 1 : ahead) {}
  ~PrefetchSource() override { Stop(); }
  PrefetchSource(const PrefetchSource&) = delete;
  PrefetchSource& operator=(const PrefetchSource&) = delete;

  std::optional<Minibatch<Data>> Next() override {
    if (failure_) std::rethrow_exception(failure_);
    if (!queue_) Start();
    std::optional<Item> item = queue_->Pop();
    if (!item) return std::nullopt;
    if (item->failure) {
      failure_ = item->failure;
      std::rethrow_exception(failure_);
    }
    return std::move(item->minibatch);
  }

  void Resume(const std::string& position, const std::vector<uint64_t>& cut) override {
    Stop();
    failure_ = nullptr;
    source_.Resume(position, cut);
  }

 private:
  struct Item {
    std::optional<Minibatch<Data>> minibatch;
    std::exception_ptr failure;
  };

  void Start() {
    queue_.emplace(ahead_);
    try {
      thread_ = std::thread([this] { ReadAhead(); });
    } catch (...) {
      queue_.reset();
      throw;
    }
  }

  void ReadAhead() {
    bool more = true;
    while (more) {
      Item item;
      try {
        item.minibatch = source_.Next();
      } catch (...) {
        item.failure = std::current_exception();
      }
      more = item.minibatch.has_value();
      if (!more && !item.failure) break;
      if (!queue_->Push(std::move(item))) return;
    }
    queue_->Close();
  }

  void Stop() {
    if (!queue_) return;
    queue_->Abandon();
    thread_.join();
    queue_.reset();
  }

  Source<Data>& source_;
  const size_t ahead_;
  std::optional<BoundedQueue<Item>> queue_;  // while the thread runs
  std::thread thread_;
  std::exception_ptr failure_;
};

}  // namespace sda

#endif  // SDA_PREFETCH_SOURCE_H_
