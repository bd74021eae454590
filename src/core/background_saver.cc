#include "sda/background_saver.h"

#include <time.h>

#include <algorithm>
#include <utility>

#include "sda/errors.h"

namespace sda {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Processor time of this thread.
double ThreadSeconds() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

Clock::time_point After(double seconds) {
  constexpr double kLongest = 1e8;  // three years, which a clock can hold
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(
                            std::chrono::duration<double>(std::min(seconds, kLongest)));
}

}  // namespace

void SaveOptions::Validate() const {
  if (!(seconds > 0)) {
    throw UsageError("seconds is " + std::to_string(seconds) + ", must be above 0");
  }
  if (!(greatest_share > 0 && greatest_share <= 1)) {
    throw UsageError("greatest_share is " + std::to_string(greatest_share) +
                     ", must be above 0 and at most 1");
  }
}

BackgroundSaver::BackgroundSaver(const SaveOptions& options, Steps steps)
    : options_(options),
      steps_(std::move(steps)),
      seen_(steps_.minibatches_before),
      saved_(steps_.minibatches_before) {
  options.Validate();
  due_ = After(options.seconds);
  thread_ = std::thread([this] { Loop(); });
}

BackgroundSaver::~BackgroundSaver() { Stop(); }

void BackgroundSaver::Stop() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

void BackgroundSaver::Observe(const Summary& summary) {
  std::lock_guard lock(mutex_);
  if (failure_) std::rethrow_exception(failure_);
  if (summary.finished || !summary.whole_round) return;
  seen_ = summary.minibatches;
  if (steps_.notes) notes_ = steps_.notes();
  if (copy_at_end_) {
    copy_at_end_ = false;
    const auto start = Clock::now();
    Copy copy = steps_.copy();
    Keep(std::move(copy), SecondsSince(start));
    notes_to_write_ = notes_;
  }
  changed_.notify_all();
}

void BackgroundSaver::SaveNow() {
  std::lock_guard lock(mutex_);
  now_ = seen_ > saved_;
  changed_.notify_all();
}

void BackgroundSaver::Finish() {
  Stop();
  std::unique_lock lock(mutex_);
  if (failure_) std::rethrow_exception(failure_);
  if (steps_.notes) notes_ = steps_.notes();
  Keep(steps_.copy(), 0);
  notes_to_write_ = notes_;
  Write(&lock);
  if (failure_) std::rethrow_exception(failure_);
}

BackgroundSaver::Cost BackgroundSaver::cost() const {
  std::lock_guard lock(mutex_);
  return cost_;
}

bool BackgroundSaver::Due() const {
  if (copy_at_end_ || seen_ <= saved_) return false;
  if (now_) return true;
  if (options_.minibatches > 0) return seen_ - saved_ >= options_.minibatches;
  return Clock::now() >= due_;
}

void BackgroundSaver::Loop() {
  std::unique_lock lock(mutex_);
  while (!stop_ && !failure_) {
    if (to_write_) {
      Write(&lock);
    } else if (Due()) {
      CopyInBackground(&lock);
    } else if (options_.minibatches > 0 || seen_ <= saved_ || copy_at_end_) {
      changed_.wait(lock);
    } else {
      changed_.wait_until(lock, due_);
    }
  }
  if (failure_ && steps_.failed) steps_.failed();
}

void BackgroundSaver::CopyInBackground(std::unique_lock<std::mutex>* lock) {
  const uint64_t seen = seen_;
  std::string notes = notes_;
  const auto start = Clock::now();
  lock->unlock();
  Copy copy;
  std::exception_ptr failure;
  try {
    copy = steps_.copy();
  } catch (...) {
    failure = std::current_exception();
  }
  const double seconds = SecondsSince(start);
  lock->lock();
  failure_ = failure;
  if (failure_) return;
  if (steps_.any_moment || copy.minibatches == seen) {
    Keep(std::move(copy), seconds);
    notes_to_write_ = std::move(notes);
  } else if (copy.minibatches == seen_) {  // the observer came while it was made
    Keep(std::move(copy), seconds);
    notes_to_write_ = notes_;
  } else {
    cost_.copy_seconds += seconds;
    // Else the observer has come and gone, and may not come again for long.
    copy_at_end_ = copy.minibatches > seen_;
  }
}

void BackgroundSaver::Keep(Copy copy, double seconds) {
  saved_ = copy.minibatches;
  to_write_ = std::move(copy);
  now_ = false;
  last_copy_seconds_ = seconds;
  due_ = After(std::max(options_.seconds, seconds / options_.greatest_share));
  cost_.copy_seconds += seconds;
}

void BackgroundSaver::Write(std::unique_lock<std::mutex>* lock) {
  std::optional<Copy> copy = std::exchange(to_write_, std::nullopt);
  const std::string notes = notes_to_write_;
  const double start = ThreadSeconds();
  lock->unlock();
  std::exception_ptr failure;
  try {
    copy->write(notes);
  } catch (...) {
    failure = std::current_exception();
  }
  copy.reset();  // which is large
  lock->lock();
  failure_ = failure;
  ++cost_.saves;
  const double seconds = ThreadSeconds() - start;
  cost_.write_seconds += seconds;
  due_ = std::max(due_, After((last_copy_seconds_ + seconds) / options_.greatest_share));
}

}  // namespace sda
