#ifndef SDA_LDA_INFER_TIMED_PRIMITIVE_H_
#define SDA_LDA_INFER_TIMED_PRIMITIVE_H_

#include <cstdint>
#include <memory>
#include <optional>

#include "sda/context.h"
#include "sda/documents.h"
#include "sda/keyed_rows.h"
#include "sda/lda_spec.h"
#include "sda/over_time.h"
#include "sda/primitive.h"

namespace sda::lda {

// Another primitive for topics, whose changes by documents that have times have their sums over
// time, too: under the topics that it finds. The rest of the change is the same to the last bit.
class TimedPrimitive : public Primitive<Documents, KeyedRows> {
 public:
  // Without options it is that primitive. Minibatches in work at once share the context's threads.
  TimedPrimitive(std::unique_ptr<Primitive<Documents, KeyedRows>> primitive, LdaSpec spec,
                 std::optional<OverTimeOptions> options, uint64_t seed, Context context);
  ~TimedPrimitive() override;

  KeyedRows operator()(const Documents& documents, const KeyedRows& prior,
                       uint64_t key) const override;
  KeyedRows Change(const Documents& documents, const KeyedRows& prior, uint64_t key) const override;
  KeyedRows::Selection Touches(const Documents& documents) const override;

 private:
  const std::unique_ptr<Primitive<Documents, KeyedRows>> primitive_;
  const LdaSpec spec_;
  const std::optional<OverTimeOptions> options_;
  const uint64_t seed_;
  const Context context_;
};

}  // namespace sda::lda

#endif  // SDA_LDA_INFER_TIMED_PRIMITIVE_H_
