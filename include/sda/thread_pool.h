#ifndef SDA_THREAD_POOL_H_
#define SDA_THREAD_POOL_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "sda/export.h"

namespace SDA_EXPORT sda {

// Threads that share the iterations of a loop. One thread is the same code as many.
class ThreadPool {
 public:
  // The calling thread counts as one: ThreadPool(1) starts no thread.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return static_cast<int>(threads_.size()) + 1; }

  // Calls body(i) for every i in [0, count) and returns when all are done. Which thread runs which
  // i is not defined. If bodies throw, the exception of the smallest such i is thrown here, after
  // every i was tried. While the threads are busy with a call, another call (from another thread or
  // from a body) does all its work itself.
  void ParallelFor(size_t count, const std::function<void(size_t)>& body);

 private:
  void Loop(size_t thread);
  void Quit();
  // Whether the calling thread is now one of those at work on the call under way, if there is one.
  bool Join();
  // Takes indices, first those of this thread's share, until none are left.
  void RunShare(size_t thread);
  void RunIndex(size_t i);

  std::atomic<bool> busy_ = false;
  // A minibatch is some ten calls of a fraction of a millisecond each, so threads come and go
  // without a lock. calls_ counts the calls: a thread waits for it to change. crew_ is kOpen while
  // threads may still join the call, plus how many have joined and not left; the last one to leave
  // notifies the caller. A cache line of its own for each, as all threads watch or change them.
  static constexpr uint32_t kOpen = uint32_t{1} << 31;
  alignas(64) std::atomic<uint32_t> calls_ = 0;
  alignas(64) std::atomic<uint32_t> crew_ = 0;
  // Of the call under way; changed while no thread is in the crew. Thread t of T begins with the
  // t-th of T parts of the indices, so that in call after call over the same rows it has them in
  // its cache; then it takes indices that others have not reached.
  struct alignas(64) Share {
    std::atomic<size_t> next = 0;
    size_t end = 0;
  };
  std::unique_ptr<Share[]> shares_;
  alignas(64) const std::function<void(size_t)>* body_ = nullptr;
  std::atomic<bool> quit_ = false;
  std::mutex failure_mutex_;
  std::exception_ptr failure_;
  size_t failed_index_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace sda

#endif  // SDA_THREAD_POOL_H_
