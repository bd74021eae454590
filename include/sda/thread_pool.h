#ifndef SDA_THREAD_POOL_H_
#define SDA_THREAD_POOL_H_

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace sda {

// Threads that wait for a loop to share. One thread is the same code as many.
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
  void Loop();
  void Quit();
  // Takes indices until none are left.
  void RunShare();

  std::atomic<bool> busy_ = false;
  // What the threads wait for is changed under the mutex, but watched without it for a while.
  std::mutex mutex_;
  std::condition_variable work_ready_;
  std::condition_variable work_done_;
  std::atomic<bool> quit_ = false;
  std::atomic<bool> open_ = false;  // there may be indices to take
  std::atomic<int> working_ = 0;    // threads, but for the caller's, that may take indices
  std::atomic<size_t> next_ = 0;
  // Of the call under way; changed while no thread works.
  const std::function<void(size_t)>* body_ = nullptr;
  size_t count_ = 0;
  std::exception_ptr failure_;  // under the mutex, as is its index
  size_t failed_index_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace sda

#endif  // SDA_THREAD_POOL_H_
