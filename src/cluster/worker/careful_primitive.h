#ifndef SDA_CLUSTER_WORKER_CAREFUL_PRIMITIVE_H_
#define SDA_CLUSTER_WORKER_CAREFUL_PRIMITIVE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "sda/context.h"
#include "sda/documents.h"
#include "sda/keyed_rows.h"
#include "sda/observer.h"
#include "sda/primitive.h"

namespace sda::cluster {

// A document that nothing was learnt from, since the primitive refuses it.
struct LeftOut {
  uint64_t number = 0;  // as in Documents
  uint64_t tokens = 0;
  std::string reason;
};

// Another primitive, but a document that it refuses by an InputError does not end the run: the
// documents are divided until it is clear which, and it learns from the others. A job whose
// documents anyone may write must not stop at one of them: it would be read again for ever.
//
// For a serial run: which documents were left out is known until the next minibatch.
class CarefulPrimitive : public Primitive<Documents, KeyedRows> {
 public:
  // Both must outlive this.
  CarefulPrimitive(const Primitive<Documents, KeyedRows>* primitive, std::vector<LeftOut>* left_out,
                   Context context)
      : primitive_(*primitive), left_out_(*left_out), context_(std::move(context)) {}

  KeyedRows operator()(const Documents& documents, const KeyedRows& prior,
                       uint64_t key) const override;
  KeyedRows Change(const Documents& documents, const KeyedRows& prior, uint64_t key) const override;
  KeyedRows::Selection Touches(const Documents& documents) const override {
    return primitive_.Touches(documents);
  }

 private:
  struct Search;
  KeyedRows ChangeOfPart(const Documents& part, const KeyedRows& prior, uint64_t key) const;

  const Primitive<Documents, KeyedRows>& primitive_;
  std::vector<LeftOut>& left_out_;
  const Context context_;
};

// The scorer, but it scores nothing of a minibatch that it refuses by an InputError.
Scorer<Documents, KeyedRows> CarefulScorer(Scorer<Documents, KeyedRows> scorer);

}  // namespace sda::cluster

#endif  // SDA_CLUSTER_WORKER_CAREFUL_PRIMITIVE_H_
