#include "lda/infer/timed_primitive.h"

#include <utility>

#include "base/hash.h"
#include "lda/infer/over_time_draws.h"

namespace sda::lda {
namespace {

constexpr uint64_t kOverTime = 19;  // what the random numbers are for

}  // namespace

TimedPrimitive::TimedPrimitive(std::unique_ptr<Primitive<Documents, KeyedRows>> primitive,
                               LdaSpec spec, std::optional<OverTimeOptions> options, uint64_t seed,
                               Context context)
    : primitive_(std::move(primitive)),
      spec_(std::move(spec)),
      options_(std::move(options)),
      seed_(seed),
      context_(std::move(context)) {}

TimedPrimitive::~TimedPrimitive() = default;

KeyedRows TimedPrimitive::operator()(const Documents& documents, const KeyedRows& prior,
                                     uint64_t key) const {
  KeyedRows posterior = prior;
  posterior += Change(documents, prior, key);
  return posterior;
}

KeyedRows TimedPrimitive::Change(const Documents& documents, const KeyedRows& prior,
                                 uint64_t key) const {
  KeyedRows change = primitive_->Change(documents, prior, key);
  // The topic of a part of a token cannot be drawn.
  if (!options_ || documents.times.empty() || !documents.weights.empty()) return change;
  KeyedRows topics = prior;
  topics += change;
  change.SetOverTime(
      DrawOverTime(spec_, *options_, documents, topics, Key(seed_, kOverTime, key), context_));
  return change;
}

KeyedRows::Selection TimedPrimitive::Touches(const Documents& documents) const {
  return primitive_->Touches(documents);
}

}  // namespace sda::lda
