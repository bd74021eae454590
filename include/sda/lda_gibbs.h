#ifndef SDA_LDA_GIBBS_H_
#define SDA_LDA_GIBBS_H_

#include <cstdint>
#include <memory>

#include "sda/context.h"
#include "sda/documents.h"
#include "sda/export.h"
#include "sda/keyed_rows.h"
#include "sda/lda_spec.h"
#include "sda/primitive.h"

namespace SDA_EXPORT sda {

struct GibbsOptions {
  // How often every token of a minibatch is sampled, after its first topic.
  int sweeps = 10;
  // The same for a minibatch whose prior has learnt nothing, where the topics have yet to form.
  int first_sweeps = 100;
  // The last sweeps, whose mean is the result; and of first_sweeps (all of them if they are fewer).
  int averaged = 5;
  int first_averaged = 25;
  // Whether the result has variances, too: how much the counts of words in topics vary between the
  // averaged sweeps (see RowVariances). They cost a few per cent of the time, and as much memory as
  // the result.
  bool variances = true;

  // Documents and words are divided into this number of groups, or fewer in a small minibatch;
  // threads beyond it have nothing to do. Changes the result a little (see LdaGibbs); 1 is the
  // exact sampler.
  int groups = 16;

  uint64_t seed = 1;

  // Minibatches in work at once: each uses its share of the context's threads.
  int workers = 1;

  // If given, called after each of first_sweeps.
  OnSweep on_first_sweep;

  // Throws UsageError naming the field and its value.
  void Validate() const;
};

// The alpha (2 / topics) and eta (0.15) that suit Gibbs sampling.
LdaSpec GibbsSpec(int topics, uint64_t vocabulary);

// Collapsed Gibbs sampling for LDA. Theta and beta are integrated out; what is sampled is the topic
// z of every token, with the prior's parameters as pseudo-counts (own token left out of all n):
//
//   p(z = k) ~ (n_dk + alpha_k) (lambda_kv + n_kv) / (sum_v lambda_kv + n_k)
//
// A token's first topic is drawn in the same way, given the tokens before it; or evenly, if the
// prior has learnt nothing. The posterior is the prior + the mean over the last sweeps of p, summed
// over tokens (Rao-Blackwell: less noise than the sampled topics). The cost is that of the
// minibatch's words and documents, for any V.
//
// A sweep visits groups of documents x groups of words, in steps of cells that share neither a
// document nor a word and so can run at once. n_dk and n_kv are always up to date, but for the
// tokens of two other documents that are drawn at the same time; n_k is that of the start of the
// sweep. With one group all of them are up to date, and the sampler is exact. The cells depend on
// the minibatch alone, and random numbers on (seed, minibatch, sweep, token): the result is the
// same, bit for bit, for any number of threads.
class LdaGibbs : public Primitive<Documents, KeyedRows> {
 public:
  // Throws UsageError naming the field and its value.
  explicit LdaGibbs(LdaSpec spec, GibbsOptions options = {}, Context context = Context(),
                    std::shared_ptr<lda::Backend> backend = nullptr);
  ~LdaGibbs() override;

  // Throws InputError if a word id is not below the vocabulary.
  KeyedRows operator()(const Documents& documents, const KeyedRows& prior,
                       uint64_t key) const override;
  KeyedRows Change(const Documents& documents, const KeyedRows& prior, uint64_t key) const override;
  // Change() given that this is the number of words now: of a vocabulary that grows. Their ids, of
  // documents and prior, are below it.
  KeyedRows ChangeAmong(uint64_t words, const Documents& documents, const KeyedRows& prior,
                        uint64_t key) const;
  // Change() of documents whose topics are known already: sampling starts there, at `topics`,
  // instead of anew, while the prior stays what the documents are added to. With first_sweeps.
  // Topics that are nearly equal are used for others, unless the prior has learnt something.
  KeyedRows Refit(const Documents& documents, const KeyedRows& prior, const KeyedRows& topics,
                  uint64_t key) const;
  // The distinct words, ascending.
  KeyedRows::Selection Touches(const Documents& documents) const override;

 private:
  std::unique_ptr<lda::GibbsMinibatch> NewMinibatch(const LdaSpec& spec, const Documents& documents,
                                                    const KeyedRows& prior, uint64_t seed) const;
  // The sweeps over documents whose topics have yet to form, or settle. In two thirds of the first
  // `forming` ones, of two topics that are nearly equal one is made anew of a part of the largest.
  KeyedRows FormTopics(lda::GibbsMinibatch* minibatch, int forming) const;

  const LdaSpec spec_;
  const GibbsOptions options_;
  const Context context_;
  const std::shared_ptr<lda::Backend> backend_;
};

}  // namespace sda

#endif  // SDA_LDA_GIBBS_H_
