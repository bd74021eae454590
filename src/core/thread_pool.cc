#include "sda/thread_pool.h"

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "sda/errors.h"

namespace sda {

ThreadPool::ThreadPool(int threads) {
  if (threads < 1) {
    throw UsageError("threads is " + std::to_string(threads) + ", must be at least 1");
  }
  shares_ = std::make_unique<Share[]>(threads);
  try {
    threads_.reserve(threads - 1);
    for (int i = 1; i < threads; ++i) threads_.emplace_back([this, i] { Loop(i); });
  } catch (...) {
    Quit();
    throw;
  }
}

ThreadPool::~ThreadPool() { Quit(); }

void ThreadPool::Quit() {
  quit_ = true;
  ++calls_;
  calls_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

namespace {

// Waits until value is not `old`, and returns it. Mostly that is so within microseconds, which is
// less than it takes to sleep and be woken, so it sleeps only after a while.
uint32_t WaitWhile(const std::atomic<uint32_t>& value, uint32_t old) {
  constexpr std::chrono::microseconds kLong(200);
  const auto start = std::chrono::steady_clock::now();
  while (value == old && std::chrono::steady_clock::now() - start < kLong) {
    std::this_thread::yield();
  }
  value.wait(old);
  return value;
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
  body_ = &body;
  const size_t all = threads();
  for (size_t t = 0; t < all; ++t) {
    shares_[t].next = t * count / all;
    shares_[t].end = (t + 1) * count / all;
  }
  crew_ = kOpen;
  ++calls_;
  calls_.notify_all();
  RunShare(0);
  uint32_t crew = crew_ -= kOpen;  // who has not joined by now need not
  while (crew != 0) crew = WaitWhile(crew_, crew);
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void ThreadPool::Loop(size_t thread) {
  uint32_t calls = 0;
  while (true) {
    calls = WaitWhile(calls_, calls);
    if (quit_) return;
    if (!Join()) continue;
    RunShare(thread);
    if (--crew_ == 0) crew_.notify_all();
  }
}

bool ThreadPool::Join() {
  uint32_t crew = crew_;
  while ((crew & kOpen) != 0) {
    if (crew_.compare_exchange_weak(crew, crew + 1)) return true;
  }
  return false;
}

void ThreadPool::RunShare(size_t thread) {
  const size_t all = threads();
  for (size_t t = thread; t < thread + all; ++t) {
    Share& share = shares_[t % all];
    while (share.next < share.end) {
      const size_t i = share.next++;
      if (i < share.end) RunIndex(i);
    }
  }
}

void ThreadPool::RunIndex(size_t i) {
  try {
    (*body_)(i);
  } catch (...) {
    std::lock_guard lock(failure_mutex_);
    if (!failure_ || i < failed_index_) {
      failure_ = std::current_exception();
      failed_index_ = i;
    }
  }
}

}  // namespace sda
