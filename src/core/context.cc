#include "sda/context.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "sda/errors.h"

namespace sda {

struct Context::State {
  State(int thread_count, const std::stop_token& parent, Logger to)
      : threads(thread_count), logger(std::move(to)), token(source.get_token()) {
    if (parent.stop_possible()) with_parent.emplace(parent, [this] { source.request_stop(); });
  }

  const int threads;
  const Logger logger;
  std::stop_source source;
  const std::stop_token token;
  std::optional<std::stop_callback<std::function<void()>>> with_parent;
  std::atomic<bool> interrupted = false;
  std::once_flag pool_made;
  std::optional<ThreadPool> pool;
};

namespace {

int Processors() {
  return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1,
                    Context::kMostThreads);
}

}  // namespace

Context::Context(int threads, std::stop_token stop, Logger logger) {
  if (threads < 0) {
    throw UsageError("threads is " + std::to_string(threads) + ", must be at least 0");
  }
  if (threads > kMostThreads) {
    throw UsageError("threads is " + std::to_string(threads) + ", must be at most " +
                     std::to_string(kMostThreads));
  }
  state_ = std::make_shared<State>(threads == 0 ? Processors() : threads, stop, std::move(logger));
}

int Context::threads() const { return state_->threads; }

ThreadPool* Context::pool() const {
  std::call_once(state_->pool_made, [this] { state_->pool.emplace(state_->threads); });
  return &*state_->pool;
}

const std::stop_token& Context::token() const { return state_->token; }

void Context::RequestStop() const { state_->source.request_stop(); }

void Context::Interrupt() const { state_->interrupted = true; }

void Context::ClearInterrupt() const { state_->interrupted = false; }

bool Context::Interrupted() const { return state_->interrupted; }

void Context::ThrowIfInterrupted() const {
  if (Interrupted()) throw InterruptedError("interrupted");
}

void Context::Log(const std::string& line) const {
  if (state_->logger) state_->logger(line);
}

}  // namespace sda
