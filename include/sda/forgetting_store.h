#ifndef SDA_FORGETTING_STORE_H_
#define SDA_FORGETTING_STORE_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sda/forgetting.h"
#include "sda/options.h"
#include "sda/store.h"

namespace SDA_EXPORT sda {

// A posterior in memory that forgets at a rate that is learnt: see ForgettingRates. Holds a sum of
// all deltas for each rate, so five times the memory of a MemoryStore. The discounts of deltas are
// those of what their primitives were given; the store itself goes by the rates.
//
//   sda::ForgettingStore<Params> store(prior, sda::ForgettingRates(minibatch));
//   options.discount = store.discount();
//   sda::Run<Data, Params>(source, primitive, store, options, observer, context, {},
//                          [&](const auto& minibatch) {
//     const auto now = store.ReadRates(primitive.Touches(minibatch.data));
//     std::vector<std::vector<double>> log_predictive;  // of items of the minibatch, by rate
//     for (const Params& params : now.by_rate) log_predictive.push_back(...);
//     return sda::EvidenceOf(log_predictive);
//   });
template <NaturalParameters Params>
class ForgettingStore : public Store<Params> {
 public:
  using Store<Params>::Read;
  using Selection = typename Params::Selection;

  ForgettingStore(Params prior, ForgettingRates rates, Context context = Context())
      : Store<Params>(std::move(prior)),
        context_(std::move(context)),
        state_{std::move(rates), {}} {
    state_.sums.assign(state_.rates.size(), this->prior());
  }

  void Read(const Selection& selection, Snapshot<Params>* out) const override {
    std::shared_lock lock(mutex_);
    state_.Mean(selection, context_, &out->params);
    out->folded = folded_;
    out->counts = counts_;
  }

  // The posterior, and what it would be if each rate were the right one, all at one moment.
  struct Rates {
    Params posterior;
    std::vector<Params> by_rate;
    bool learnt = false;  // false: nothing was folded yet
  };
  Rates ReadRates(const Selection& selection) const {
    std::shared_lock lock(mutex_);
    Rates out{Params(), std::vector<Params>(state_.sums.size()), folded_.size() > 0};
    state_.Mean(selection, context_, &out.posterior);
    for (size_t i = 0; i < state_.sums.size(); ++i) {
      CopyPart(state_.sums[i], selection, context_, &out.by_rate[i]);
    }
    return out;
  }

  ForgettingRates rates() const {
    std::shared_lock lock(mutex_);
    return state_.rates;
  }

  // The share of the past that an update with this number of items keeps, by what was learnt so
  // far: for RunOptions::discount, so that a primitive is given the past as it will count.
  double Kept(uint64_t items) const {
    std::shared_lock lock(mutex_);
    const ForgettingRates& rates = state_.rates;
    double kept = 0;
    for (size_t i = 0; i < rates.size(); ++i) kept += rates.weights()[i] * rates.Kept(i, items);
    return kept;
  }
  Discount discount() const {
    return [this](uint64_t /*minibatch*/, uint64_t items) { return std::min(1.0, Kept(items)); };
  }

  AddResult Add(const Delta<Params>& delta) override {
    std::unique_lock lock(mutex_);
    const uint64_t deltas_before = folded_.size();
    if (delta.deltas_in_prior > deltas_before) {
      throw std::logic_error("minibatch " + std::to_string(delta.minibatch) +
                             " started from a snapshot of another store");
    }
    if (!folded_.Insert(delta.minibatch)) return {false, 0};
    for (size_t i = 0; i < state_.sums.size(); ++i) {
      const double kept = state_.rates.Kept(i, delta.counts.items);
      if (kept != 1) DiscountAll(this->prior(), kept, context_, &state_.sums[i]);
      AddTo(delta.change, context_, &state_.sums[i]);
    }
    state_.rates.Fold(delta.evidence, delta.counts.items);
    counts_ += delta.counts;
    return {true, deltas_before - delta.deltas_in_prior};
  }

  IdSet Folded() const override {
    std::shared_lock lock(mutex_);
    return folded_;
  }

  Snapshot<Params> ReadToResume() const override {
    std::shared_lock lock(mutex_);
    Snapshot<Params> out{Params(), folded_, counts_, std::make_shared<RateSums<Params>>(state_)};
    state_.Mean({}, context_, &out.params);
    return out;
  }

  // A posterior without the sums of the rates is where all of them start.
  void Restore(Snapshot<Params> posterior) override {
    std::unique_lock lock(mutex_);
    folded_ = std::move(posterior.folded);
    counts_ = posterior.counts;
    if (posterior.forgetting) {
      state_ = *posterior.forgetting;
    } else {
      state_.rates.Start(counts_.items);
      state_.sums.assign(state_.rates.size(), posterior.params);
    }
  }

 private:
  const Context context_;
  mutable std::shared_mutex mutex_;
  RateSums<Params> state_;
  IdSet folded_;
  Counts counts_;
};

}  // namespace sda

#endif  // SDA_FORGETTING_STORE_H_
