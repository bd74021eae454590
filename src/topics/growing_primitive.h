#ifndef SDA_TOPICS_GROWING_PRIMITIVE_H_
#define SDA_TOPICS_GROWING_PRIMITIVE_H_

#include <cstdint>

#include "sda/documents.h"
#include "sda/keyed_rows.h"
#include "sda/primitive.h"
#include "topics/primitives.h"
#include "topics/sampled_primitive.h"

namespace sda {

// A topic primitive on documents that name their words by their texts, with a prior that says which
// words there are at that moment (KeyedRows::words()). It learns from these; its change says which
// others it met, and which of them enter is decided where that is folded. The documents are offered
// to a sample, with their words as numbers of admission.
class GrowingPrimitive : public Primitive<Documents, KeyedRows> {
 public:
  // Both must outlive this; the primitive has `among`.
  GrowingPrimitive(const TopicPrimitive& primitive, SharedSample* sample)
      : primitive_(primitive), sample_(*sample) {}

  KeyedRows operator()(const Documents& documents, const KeyedRows& prior,
                       uint64_t key) const override;
  KeyedRows Change(const Documents& documents, const KeyedRows& prior, uint64_t key) const override;
  KeyedRows::Selection Touches(const Documents& documents) const override;

 private:
  const TopicPrimitive& primitive_;
  SharedSample& sample_;
};

}  // namespace sda

#endif  // SDA_TOPICS_GROWING_PRIMITIVE_H_
