#include "sda/thread_pool.h"

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace sda {

ThreadPool::ThreadPool(int threads) {
  if (threads < 1) {
    throw std::invalid_argument("threads is " + std::to_string(threads) + ", must be at least 1");
  }
  try {
    for (int i = 1; i < threads; ++i) threads_.emplace_back([this] { Loop(); });
  } catch (...) {
    Quit();
    throw;
  }
}

ThreadPool::~ThreadPool() { Quit(); }

void ThreadPool::Quit() {
  {
    std::lock_guard lock(mutex_);
    quit_ = true;
  }
  work_ready_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

namespace {

// Waits for what will often be so within microseconds, which is less than it takes to sleep and be
// woken. Gives up after a while.
template <class Condition>
void SpinUntil(const Condition& condition) {
  constexpr std::chrono::microseconds kLong(200);
  const auto start = std::chrono::steady_clock::now();
  while (!condition() && std::chrono::steady_clock::now() - start < kLong) {
    std::this_thread::yield();
  }
}

void SerialFor(size_t count, const std::function<void(size_t)>& body) {
  std::exception_ptr failure;
  for (size_t i = 0; i < count; ++i) {
    try {
      body(i);
    } catch (...) {
      if (!failure) failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace

void ThreadPool::ParallelFor(size_t count, const std::function<void(size_t)>& body) {
  if (threads_.empty() || count < 2 || busy_.exchange(true)) return SerialFor(count, body);
  const std::unique_ptr<std::atomic<bool>, void (*)(std::atomic<bool>*)> release(
      &busy_, [](std::atomic<bool>* busy) { busy->store(false); });
  {
    std::lock_guard lock(mutex_);
    body_ = &body;
    count_ = count;
    next_ = 0;
    open_ = true;
  }
  work_ready_.notify_all();
  RunShare();
  SpinUntil([&] { return working_ == 0; });
  std::unique_lock lock(mutex_);
  open_ = false;
  work_done_.wait(lock, [&] { return working_ == 0; });
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void ThreadPool::Loop() {
  while (true) {
    SpinUntil([&] { return quit_ || open_; });
    std::unique_lock lock(mutex_);
    work_ready_.wait(lock, [&] { return quit_ || open_; });
    if (quit_) return;
    ++working_;
    lock.unlock();
    RunShare();
    lock.lock();
    open_ = false;  // all indices are taken
    if (--working_ == 0) work_done_.notify_all();
  }
}

void ThreadPool::RunShare() {
  for (size_t i = next_++; i < count_; i = next_++) {
    try {
      (*body_)(i);
    } catch (...) {
      std::lock_guard lock(mutex_);
      if (!failure_ || i < failed_index_) {
        failure_ = std::current_exception();
        failed_index_ = i;
      }
    }
  }
}

}  // namespace sda
