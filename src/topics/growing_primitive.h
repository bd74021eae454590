#ifndef SDA_TOPICS_GROWING_PRIMITIVE_H_
#define SDA_TOPICS_GROWING_PRIMITIVE_H_

#include <cstdint>

#include "sda/documents.h"
#include "sda/keyed_rows.h"
#include "sda/primitive.h"
#include "topics/learner.h"
#include "topics/sampled_primitive.h"
#include "topics/topic_watch.h"

namespace sda {

// A topic primitive on documents that name their words by their texts, with a prior that says which
// words there are at that moment (KeyedRows::words()). It learns from these; its change says which
// others it met, and which of them enter is decided where that is folded. The documents are offered
// to a sample, with their words as numbers of admission.
class GrowingPrimitive : public Primitive<Documents, KeyedRows> {
 public:
  // All must outlive this; the primitive has `among`, and the watch may be null.
  GrowingPrimitive(const TopicLearner& learner, SharedSample* sample, TopicWatch* watch)
      : learner_(learner), sample_(*sample), watch_(watch) {}

  KeyedRows operator()(const Documents& documents, const KeyedRows& prior,
                       uint64_t key) const override;
  KeyedRows Change(const Documents& documents, const KeyedRows& prior, uint64_t key) const override;
  KeyedRows::Selection Touches(const Documents& documents) const override;

 private:
  const TopicLearner& learner_;
  SharedSample& sample_;
  TopicWatch* const watch_;
};

}  // namespace sda

#endif  // SDA_TOPICS_GROWING_PRIMITIVE_H_
