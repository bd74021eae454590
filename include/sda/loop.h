#ifndef SDA_LOOP_H_
#define SDA_LOOP_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include "sda/context.h"
#include "sda/export.h"
#include "sda/internal/run_record.h"
#include "sda/internal/schedule.h"
#include "sda/internal/stopwatch.h"
#include "sda/observer.h"
#include "sda/options.h"
#include "sda/primitive.h"
#include "sda/source.h"
#include "sda/store.h"

namespace SDA_EXPORT sda {

// Streaming, distributed, asynchronous Bayesian updating (SDA-Bayes). Read this first:
//
//   source --minibatch--> worker: prior     = store.snapshot
//                                 posterior = primitive(minibatch, prior)
//                                 store.add(posterior - prior)
//
//   store = prior + sum of deltas = the posterior for exactly the data folded so far
//
// Runs until the source ends or the context is stopped, and returns what it did. If anything fails
// it throws RunError, which names the minibatch; what was folded before stays in the store. A
// worker of an asynchronous run that fails also stops the context, since the source may be waiting.
template <class Data, NaturalParameters Params>
Summary Run(Source<Data>& source, const Primitive<Data, Params>& primitive, Store<Params>& store,
            const RunOptions& options = {}, const Observer& observer = {},
            const Context& context = Context(),
            const std::type_identity_t<Scorer<Data, Params>>& scorer = {},
            const std::type_identity_t<Weigher<Data>>& weigher = {}) {
  options.Validate();
  RunRecord record(observer);
  uint64_t next_id = store.Folded().next();
  bool ended = false;  // for good, even if the source would return more when asked again

  struct Item : Minibatch<Data> {
    double discount;
  };

  auto next = [&](bool may_stop) -> std::optional<Item> {
    while (!ended && !(may_stop && context.StopRequested())) {
      try {
        auto minibatch = source.Next();
        ended = !minibatch;
        if (ended) break;
        next_id = minibatch->id;
        if (minibatch->counts.items == 0) throw InputError("no items");
        const double discount = options.DiscountOf(minibatch->id, minibatch->counts.items);
        ++next_id;
        record.Read();
        if (!store.Folded().Contains(minibatch->id)) return Item{std::move(*minibatch), discount};
        record.Duplicate();
      } catch (...) {
        ended = true;
        record.Failed(next_id, "reading");
      }
    }
    return std::nullopt;
  };

  auto work = [&](const Item& item, double discount,
                  Snapshot<Params>* snapshot) -> std::optional<Delta<Params>> {
    try {
      const Params& prior =
          TakePrior(store, primitive.Touches(item.data), options, discount, context, snapshot);
      Delta<Params> delta;
      delta.minibatch = item.id;
      delta.counts = item.counts;
      delta.deltas_in_prior = snapshot->folded.size();
      delta.discount = discount;
      if (scorer) delta.prediction = scorer(item, prior);
      if (weigher) delta.evidence = weigher(item);
      const Stopwatch watch;
      delta.change = primitive.Change(item.data, prior, item.id);  // posterior - prior
      delta.seconds = watch.seconds();
      return delta;
    } catch (...) {
      record.Failed(item.id, "in");
      return std::nullopt;
    }
  };

  auto fold = [&](const Delta<Params>& delta, bool whole_round) {
    try {
      record.Folded({delta.minibatch, delta.counts, delta.seconds, delta.prediction},
                    store.Add(delta), whole_round);
      return true;
    } catch (...) {
      record.Failed(delta.minibatch, "folding");
      return false;
    }
  };

  // A run that resumes from an earlier posterior has had its first minibatches.
  const uint64_t had = store.Folded().size();
  const uint64_t serial_first =
      options.serial_first - std::min<uint64_t>(options.serial_first, had);
  switch (options.schedule) {
    case Schedule::kSerial:
      RunSerially<Snapshot<Params>>(next, work, fold);
      break;
    case Schedule::kSynchronous:
      RunInRounds<Snapshot<Params>>(options, context, serial_first, next, work, fold);
      break;
    case Schedule::kAsynchronous:
      RunAsynchronously<Snapshot<Params>>(options, context, serial_first, next, work, fold);
      break;
  }
  return record.Finish(context.StopRequested(), ended);
}

// The prior of one minibatch, held by *snapshot: the posterior so far, discounted if the run
// forgets; or the prior of the run.
template <NaturalParameters Params>
const Params& TakePrior(const Store<Params>& store, const typename Params::Selection& selection,
                        const RunOptions& options, double discount, const Context& context,
                        Snapshot<Params>* snapshot) {
  if (options.schedule == Schedule::kAsynchronous &&
      options.worker_prior == WorkerPrior::kFixedPrior) {
    CopyPart(store.prior(), selection, context, &snapshot->params);
    snapshot->folded = store.Folded();  // what is in the posterior now, to measure staleness
    return snapshot->params;
  }
  store.Read(selection, snapshot);
  if (discount != 1) {
    DiscountPart(store.prior(), selection, discount, context, &snapshot->params);
  }
  return snapshot->params;
}

}  // namespace sda

#endif  // SDA_LOOP_H_
