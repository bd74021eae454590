#ifndef SDA_LOOP_H_
#define SDA_LOOP_H_

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "sda/observer.h"
#include "sda/options.h"
#include "sda/primitive.h"
#include "sda/run_record.h"
#include "sda/schedule.h"
#include "sda/source.h"
#include "sda/store.h"

namespace sda {

// Streaming, distributed, asynchronous Bayesian updating (SDA-Bayes). Read this first:
//
//   source --minibatch--> worker: prior     = store.snapshot
//                                 posterior = primitive(minibatch, prior)
//                                 store.add(posterior - prior)
//
//   store = prior + sum of deltas = the posterior for exactly the data folded so far
//
// Runs until the source ends or a stop is requested, and returns what it did. If anything fails it
// throws RunError, which names the minibatch; what was folded before stays in the store.
template <class Data, NaturalParameters Params>
Summary Run(Source<Data>& source, const Primitive<Data, Params>& primitive, Store<Params>& store,
            const RunOptions& options = {}, const Observer& observer = {}) {
  options.Validate();
  RunRecord record(observer);
  uint64_t next_id = 0;
  bool ended = false;  // for good, whatever the source would say if it were asked again

  auto next = [&]() -> std::optional<Minibatch<Data>> {
    if (ended || options.StopRequested()) return std::nullopt;
    try {
      auto minibatch = source.Next();
      if (minibatch && minibatch->items == 0) throw std::invalid_argument("no items");
      ended = !minibatch;
      if (minibatch) next_id = minibatch->id + 1;
      return minibatch;
    } catch (...) {
      ended = true;
      record.Failed(next_id, "reading");
      return std::nullopt;
    }
  };

  auto work = [&](const Minibatch<Data>& minibatch, double discount,
                  Snapshot<Params>* snapshot) -> std::optional<Delta<Params>> {
    try {
      const Params& prior =
          TakePrior(store, primitive.Touches(minibatch.data), options, discount, snapshot);
      Params change = primitive.Change(minibatch.data, prior);  // posterior - prior
      return Delta<Params>{minibatch.id, std::move(change), snapshot->folded.size(), discount};
    } catch (...) {
      record.Failed(minibatch.id, "in");
      return std::nullopt;
    }
  };

  auto fold = [&](const Minibatch<Data>& minibatch, const Delta<Params>& delta) {
    try {
      record.Folded(minibatch.id, minibatch.items, store.Add(delta));
      return true;
    } catch (...) {
      record.Failed(minibatch.id, "folding");
      return false;
    }
  };

  switch (options.schedule) {
    case Schedule::kSerial:
      RunSerially<Snapshot<Params>>(options, next, work, fold);
      break;
    case Schedule::kSynchronous:
      RunInRounds<Snapshot<Params>>(options, next, work, fold);
      break;
    case Schedule::kAsynchronous:
      RunAsynchronously<Snapshot<Params>>(options, next, work, fold);
      break;
  }
  return record.Finish(options.StopRequested());
}

// The prior of one minibatch, held by *snapshot: the posterior so far, discounted if the run
// forgets; or the prior of the run.
template <NaturalParameters Params>
const Params& TakePrior(const Store<Params>& store, const typename Params::Selection& selection,
                        const RunOptions& options, double discount, Snapshot<Params>* snapshot) {
  if (options.schedule == Schedule::kAsynchronous &&
      options.worker_prior == WorkerPrior::kFixedPrior) {
    store.prior().CopyTo(selection, &snapshot->params);
    return snapshot->params;
  }
  store.Read(selection, snapshot);
  if (discount != 1) {
    if (!(discount >= 0 && discount < 1)) {
      throw std::invalid_argument("discount is " + std::to_string(discount) +
                                  ", must be between 0 and 1");
    }
    DiscountPartTowards(store.prior(), selection, discount, &snapshot->params);
  }
  return snapshot->params;
}

}  // namespace sda

#endif  // SDA_LOOP_H_
