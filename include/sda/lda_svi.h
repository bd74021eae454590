#ifndef SDA_LDA_SVI_H_
#define SDA_LDA_SVI_H_

#include <cstdint>
#include <memory>

#include "sda/context.h"
#include "sda/documents.h"
#include "sda/export.h"
#include "sda/keyed_rows.h"
#include "sda/lda_spec.h"
#include "sda/lda_vb.h"
#include "sda/options.h"
#include "sda/primitive.h"

namespace SDA_EXPORT sda {

// Stochastic variational inference (paper algorithm 3) for comparison: with t = minibatch + 1,
//   rho = (tau0 + t)^-kappa,   lambda <- (1 - rho) lambda + rho (eta + D / |C| statistics).
struct SviOptions {
  double total_documents = 0;  // D, which SVI needs to know
  double tau0 = 64;
  double kappa = 0.5;

  LocalVbOptions local;

  // Of the noise that SviStart begins with: see VbOptions.
  double noise_scale = 1;
  uint64_t seed = 1;

  // Minibatches in work at once: each uses its share of the context's threads.
  int workers = 1;

  // Throws UsageError naming the field and its value.
  void Validate() const;
  double Rate(uint64_t minibatch) const;
};

// One step of SVI in the serial loop: the run discounts what it knows by 1 - rho towards the prior
// (SviDiscount) and this primitive adds rho * D / |C| * statistics, taken at the lambda before the
// discount. The store must begin at SviStart. The key is the number of the minibatch, from 0.
class LdaSvi : public Primitive<Documents, KeyedRows> {
 public:
  LdaSvi(LdaSpec spec, SviOptions options, Context context = Context(),
         std::shared_ptr<lda::Backend> backend = nullptr);
  ~LdaSvi() override;

  KeyedRows operator()(const Documents& documents, const KeyedRows& prior,
                       uint64_t key) const override;
  KeyedRows Change(const Documents& documents, const KeyedRows& prior, uint64_t key) const override;
  KeyedRows::Selection Touches(const Documents& documents) const override;

  LdaStats stats() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// RunOptions::discount of a run of LdaSvi.
Discount SviDiscount(const SviOptions& options);

// lambda^(0) of SVI, noise for every word of the vocabulary, as a posterior of that prior.
KeyedRows SviStart(const LdaSpec& spec, const SviOptions& options, const KeyedRows& prior);

}  // namespace sda

#endif  // SDA_LDA_SVI_H_
