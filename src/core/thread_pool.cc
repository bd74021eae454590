#include "sda/thread_pool.h"

#include <memory>
#include <stdexcept>
#include <string>

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
  if (threads_.empty() || busy_.exchange(true)) return SerialFor(count, body);
  const std::unique_ptr<std::atomic<bool>, void (*)(std::atomic<bool>*)> release(
      &busy_, [](std::atomic<bool>* busy) { busy->store(false); });
  std::unique_lock lock(mutex_);
  body_ = &body;
  next_ = 0;
  count_ = unfinished_ = count;
  failure_ = nullptr;
  work_ready_.notify_all();
  RunShare(&lock);
  work_done_.wait(lock, [&] { return unfinished_ == 0; });
  if (failure_) std::rethrow_exception(failure_);
}

void ThreadPool::Loop() {
  std::unique_lock lock(mutex_);
  while (true) {
    work_ready_.wait(lock, [&] { return quit_ || next_ < count_; });
    if (quit_) return;
    RunShare(&lock);
  }
}

void ThreadPool::RunShare(std::unique_lock<std::mutex>* lock) {
  while (next_ < count_) {
    const size_t i = next_++;
    const auto* body = body_;
    lock->unlock();
    std::exception_ptr failure;
    try {
      (*body)(i);
    } catch (...) {
      failure = std::current_exception();
    }
    lock->lock();
    if (failure && (!failure_ || i < failed_index_)) {
      failure_ = failure;
      failed_index_ = i;
    }
    if (--unfinished_ == 0) work_done_.notify_all();
  }
}

}  // namespace sda
