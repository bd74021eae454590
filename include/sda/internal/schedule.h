#ifndef SDA_INTERNAL_SCHEDULE_H_
#define SDA_INTERNAL_SCHEDULE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "sda/context.h"
#include "sda/export.h"
#include "sda/internal/bounded_queue.h"
#include "sda/options.h"
#include "sda/thread_pool.h"

namespace SDA_EXPORT sda {

// The schedules: who does what when. Each is given, by the loop in loop.h, the steps of a run as
// functions that do not throw:
//   next(may_stop)                -> the next item, a minibatch with its discount; nothing when the
//                                    run should end, also if a stop was requested and it may stop
//   work(item, discount, scratch) -> its delta; nothing if it failed
//   fold(delta, whole)            -> false if it failed; whole: no further fold of its round
//   follows
// Scratch is memory for one worker, used again from minibatch to minibatch. The context's request
// to stop lets the current minibatches be finished, and a synchronous round be completed.

// One minibatch after the other: paper eq. (2), at most `minibatches` of them. Returns false if the
// run has to end.
template <class Scratch, class Next, class Work, class Fold>
bool RunSerially(Next next, Work work, Fold fold, uint64_t minibatches = ~uint64_t{0}) {
  Scratch scratch;
  for (; minibatches > 0; --minibatches) {
    auto item = next(true);
    if (!item) return false;
    auto delta = work(*item, item->discount, &scratch);
    if (!delta || !fold(*delta, true)) return false;
  }
  return true;
}

// Rounds of `workers` minibatches that all start from the posterior of the round before; their
// deltas are added in the order of the stream: paper eq. (5)-(7). A round in which a worker failed
// is dropped whole. A stop ends the run between two rounds: all but the last one of the stream have
// `workers` minibatches, so that a run that is stopped and resumed has the same rounds.
template <class Scratch, class Next, class Work, class Fold>
void RunInRounds(const RunOptions& options, const Context& context, uint64_t serial_first,
                 Next next, Work work, Fold fold) {
  using Item = typename decltype(next(true))::value_type;
  using DeltaType = decltype(work(std::declval<Item&>(), 1.0, nullptr));
  if (!RunSerially<Scratch>(next, work, fold, serial_first)) return;
  const size_t workers = options.workers;
  ThreadPool pool(std::min(options.workers, context.threads()));
  std::vector<Scratch> scratch(workers);
  while (true) {
    std::vector<Item> round;
    double discount = 1;
    while (round.size() < workers) {
      auto item = next(round.empty());
      if (!item) break;
      discount *= item->discount;
      round.push_back(std::move(*item));
    }
    if (round.empty()) return;

    std::vector<DeltaType> deltas(round.size());
    pool.ParallelFor(round.size(),
                     [&](size_t i) { deltas[i] = work(round[i], discount, &scratch[i]); });

    if (std::any_of(deltas.begin(), deltas.end(), [](const auto& delta) { return !delta; })) return;
    for (size_t i = 0; i < round.size(); ++i) {
      if (i > 0) deltas[i]->discount = 1;  // the first delta discounts for the whole round
      if (!fold(*deltas[i], i + 1 == round.size())) return;
    }
  }
}

// Workers that take the next minibatch as soon as they are done with one: paper section 2,
// "Asynchronous Bayesian updating". The calling thread reads the source.
template <class Scratch, class Next, class Work, class Fold>
void RunAsynchronously(const RunOptions& options, const Context& context, uint64_t serial_first,
                       Next next, Work work, Fold fold) {
  using Item = typename decltype(next(true))::value_type;
  if (!RunSerially<Scratch>(next, work, fold, serial_first)) return;
  BoundedQueue<Item> queue(options.queue_capacity > 0 ? options.queue_capacity
                                                      : 2 * options.workers);
  auto worker = [&] {
    Scratch scratch;
    while (auto item = queue.Pop()) {
      auto delta = work(*item, item->discount, &scratch);
      if (!delta || !fold(*delta, true)) context.RequestStop();  // the source may be waiting
      if (context.StopRequested()) queue.Abandon();
    }
  };
  std::vector<std::jthread> workers;
  try {
    for (int i = 0; i < options.workers; ++i) workers.emplace_back(worker);
    while (auto item = next(true)) {
      if (!queue.Push(std::move(*item))) break;
    }
  } catch (...) {
    queue.Abandon();
    throw;
  }
  queue.Close();
}

}  // namespace sda

#endif  // SDA_INTERNAL_SCHEDULE_H_
