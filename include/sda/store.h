#ifndef SDA_STORE_H_
#define SDA_STORE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sda/context.h"
#include "sda/export.h"
#include "sda/forgetting.h"
#include "sda/id_set.h"
#include "sda/observer.h"
#include "sda/parameters.h"
#include "sda/source.h"

namespace SDA_EXPORT sda {

// Of learnt forgetting: a sum of all deltas, with the prior, for each rate.
template <NaturalParameters Params>
struct RateSums {
  ForgettingRates rates;
  std::vector<Params> sums;

  // Overwrites *out with the selected part of the posterior: the mean of the sums by the
  // probabilities of their rates. From the fastest rate to the slowest, so that what the parameters
  // know of their variances errs on the side of too large.
  void Mean(const typename Params::Selection& selection, const Context& context,
            Params* out) const {
    Params slower;
    double total = 0;
    for (size_t i = sums.size(); i-- > 0;) {
      const double weight = rates.weights()[i];
      if (weight == 0) continue;
      if (total == 0) {
        CopyPart(sums[i], selection, context, out);
      } else {
        CopyPart(sums[i], selection, context, &slower);
        DiscountAll(slower, total / (total + weight), context, out);
      }
      total += weight;
    }
  }
};

// The posterior, or the requested part of it, at one moment. Owns its data.
template <NaturalParameters Params>
struct Snapshot {
  Params params;
  IdSet folded;   // the minibatches that are in it
  Counts counts;  // of these
  // Only of ReadToResume(), and of a run that learns how fast to forget.
  std::shared_ptr<const RateSums<Params>> forgetting = nullptr;
};

// The change by one minibatch: the posterior it led to, minus the prior it started from.
template <NaturalParameters Params>
struct Delta {
  uint64_t minibatch = 0;  // its id
  Params change;
  uint64_t deltas_in_prior = 0;  // how many deltas the worker's snapshot held, to measure staleness
  double discount = 1;           // the share of what was known before that this update keeps
  Counts counts;                 // of the minibatch
  double seconds = 0;            // that the primitive took
  Prediction prediction;         // of the minibatch by the prior, if the run has a Scorer
  std::vector<double> evidence;  // for each rate of forgetting, if the run has a Weigher
};

struct AddResult {
  bool folded = false;     // false: the minibatch was in the posterior already; nothing changed
  uint64_t staleness = 0;  // deltas folded since the snapshot that this one started from
};

// How well the past predicts a minibatch that is about to be learnt from, under each rate of
// forgetting (see ForgettingStore): the evidence for the rates. Called by several workers at once.
template <class Data>
using Weigher = std::function<std::vector<double>(const Minibatch<Data>&)>;

// The posterior: prior + the sum of the deltas, each minibatch counted once. All functions may be
// called from any thread.
template <NaturalParameters Params>
class Store {
 public:
  explicit Store(Params prior) : prior_(std::move(prior)) {}
  virtual ~Store() = default;

  // Overwrites *out with the selected part of the posterior, using again the memory it holds.
  virtual void Read(const typename Params::Selection& selection, Snapshot<Params>* out) const = 0;
  // Folds the delta exactly once; adding it again changes nothing, which the result reports.
  virtual AddResult Add(const Delta<Params>& delta) = 0;
  // The minibatches that are in the posterior now.
  virtual IdSet Folded() const = 0;
  // Resumes from an earlier posterior with this prior, before anything is added. A store that
  // cannot throws std::logic_error.
  virtual void Restore(Snapshot<Params> /*posterior*/) {
    throw std::logic_error("this store cannot resume from an earlier posterior");
  }

  Snapshot<Params> Read() const {
    Snapshot<Params> snapshot{prior_, {}, {}};
    Read({}, &snapshot);
    return snapshot;
  }
  // All that Restore() needs for the run to go on as if it had not ended.
  virtual Snapshot<Params> ReadToResume() const { return Read(); }
  // The posterior without a copy of it where that can be, at the end: the store must not be used
  // after that.
  virtual Snapshot<Params> Release() { return Read(); }
  const Params& prior() const { return prior_; }

 private:
  const Params prior_;
};

// The posterior in memory. Readers do not wait for each other, only for an Add under way. Work on
// many rows is shared by the threads of the context.
template <NaturalParameters Params>
class MemoryStore : public Store<Params> {
 public:
  using Store<Params>::Read;

  explicit MemoryStore(Params prior, Context context = Context())
      : MemoryStore(prior, {prior, {}, {}}, std::move(context)) {}
  // Resumes from an earlier posterior with that prior.
  MemoryStore(Params prior, Snapshot<Params> posterior, Context context = Context())
      : Store<Params>(std::move(prior)),
        context_(std::move(context)),
        posterior_(std::move(posterior)) {}

  void Read(const typename Params::Selection& selection, Snapshot<Params>* out) const override {
    std::shared_lock lock(mutex_);
    CopyPart(posterior_.params, selection, context_, &out->params);
    out->folded = posterior_.folded;
    out->counts = posterior_.counts;
  }

  Snapshot<Params> Release() override { return std::move(posterior_); }

  AddResult Add(const Delta<Params>& delta) override {
    std::unique_lock lock(mutex_);
    const uint64_t deltas_before = posterior_.folded.size();
    if (delta.deltas_in_prior > deltas_before) {
      throw std::logic_error("minibatch " + std::to_string(delta.minibatch) +
                             " started from a snapshot of another store");
    }
    if (!posterior_.folded.Insert(delta.minibatch)) return {false, 0};
    if (delta.discount != 1) {
      DiscountAll(this->prior(), delta.discount, context_, &posterior_.params);
    }
    AddTo(delta.change, context_, &posterior_.params);
    posterior_.counts += delta.counts;
    return {true, deltas_before - delta.deltas_in_prior};
  }

  IdSet Folded() const override {
    std::shared_lock lock(mutex_);
    return posterior_.folded;
  }

  void Restore(Snapshot<Params> posterior) override {
    std::unique_lock lock(mutex_);
    posterior_ = std::move(posterior);
  }

 private:
  const Context context_;
  mutable std::shared_mutex mutex_;
  Snapshot<Params> posterior_;
};

}  // namespace sda

#endif  // SDA_STORE_H_
