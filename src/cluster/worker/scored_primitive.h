#ifndef SDA_CLUSTER_WORKER_SCORED_PRIMITIVE_H_
#define SDA_CLUSTER_WORKER_SCORED_PRIMITIVE_H_

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "sda/lda_score.h"
#include "sda/primitive.h"

namespace sda::cluster {

// Before it learns from a minibatch, says how well the posterior so far foretells some of its
// documents: they are held out until then. (In a stream that never ends, nothing has to be set
// aside.)
class ScoredPrimitive : public Primitive<Documents, KeyedRows> {
 public:
  using Told = std::function<void(const LdaScore&)>;

  ScoredPrimitive(std::unique_ptr<Primitive<Documents, KeyedRows>> primitive, LdaOptions model,
                  Told told)
      : primitive_(std::move(primitive)), model_(std::move(model)), told_(std::move(told)) {}

  KeyedRows operator()(const Documents& documents, const KeyedRows& prior) const override {
    Score(documents, prior);
    return (*primitive_)(documents, prior);
  }
  KeyedRows Change(const Documents& documents, const KeyedRows& prior) const override {
    Score(documents, prior);
    return primitive_->Change(documents, prior);
  }
  KeyedRows::Selection Touches(const Documents& documents) const override {
    return primitive_->Touches(documents);
  }

 private:
  void Score(const Documents& documents, const KeyedRows& prior) const {
    const auto totals = prior.totals();
    const bool learnt = std::any_of(totals.begin(), totals.end(), [](double t) { return t != 0; });
    if (!learnt) return;
    constexpr size_t kOneOf = 256;  // so that it costs little
    const size_t count = std::min(documents.size(), std::max<size_t>(4, documents.size() / kOneOf));
    Documents some;
    some.offsets.assign(documents.offsets.begin(), documents.offsets.begin() + count + 1);
    some.words.assign(documents.words.begin(), documents.words.begin() + some.offsets.back());
    some.counts.assign(documents.counts.begin(), documents.counts.begin() + some.offsets.back());
    some.numbers.assign(documents.numbers.begin(), documents.numbers.begin() + count);
    const HeldOutSplit split = SplitHeldOut(some);
    if (split.tested.size() > 0) told_(LogPredictive(prior, split, model_));
  }

  const std::unique_ptr<Primitive<Documents, KeyedRows>> primitive_;
  const LdaOptions model_;
  const Told told_;
};

}  // namespace sda::cluster

#endif  // SDA_CLUSTER_WORKER_SCORED_PRIMITIVE_H_
