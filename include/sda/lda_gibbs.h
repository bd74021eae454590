#ifndef SDA_LDA_GIBBS_H_
#define SDA_LDA_GIBBS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "sda/documents.h"
#include "sda/export.h"
#include "sda/keyed_rows.h"
#include "sda/lda.h"
#include "sda/primitive.h"

namespace SDA_EXPORT sda {

struct LdaGibbsOptions {
  int topics = 100;

  // V: word ids are below it. The sum of a topic's parameters runs over so many words.
  uint64_t vocabulary = 0;

  // Dirichlet parameters of the topic proportions: a number per topic, or one for all; none means
  // 2 / topics.
  std::vector<double> alpha;

  // Dirichlet parameter of the topics, for LdaPrior(). A prior with rows of its own for some words
  // (an asymmetric eta) is used as it is.
  double eta = 0.15;

  // Times that every token of a minibatch is sampled anew, after its first topic.
  int sweeps = 10;
  // The same for a minibatch whose prior has learnt nothing, where the topics have yet to form.
  int first_sweeps = 100;
  // The last sweeps, whose mean is the result.
  int averaged = 5;

  // Documents and words are cut into so many groups, or fewer in a small minibatch; threads beyond
  // it have nothing to do. Changes the result a little (see LdaGibbs); 1 is the exact sampler.
  int groups = 16;

  uint64_t seed = 1;

  // Threads that share a minibatch. Changes nothing but the time.
  int threads = 1;

  // If given, called after each of first_sweeps. Where it returns false, only those sweeps that are
  // averaged follow.
  std::function<bool(int sweep, int sweeps)> on_first_sweep;

  // Throws std::invalid_argument naming the field and its value.
  void Validate() const;
  // The model without the sampler, as LdaPrior() and LogPredictive() take it.
  LdaOptions Model() const;
};

// Collapsed Gibbs sampling for LDA. Theta and beta are integrated out; what is sampled is the topic
// z of every token, with the prior's parameters as pseudo-counts (own token left out of all n):
//
//   p(z = k) ~ (n_dk + alpha_k) (lambda_kv + n_kv) / (sum_v lambda_kv + n_k)
//
// A token's first topic is drawn in the same way, given the tokens before it; or evenly, if the
// prior has learnt nothing. The posterior is the prior + the mean over the last sweeps of p, summed
// over tokens (Rao-Blackwell: less noise than the sampled topics). Costs what the minibatch's words
// and documents cost, whatever V is.
//
// A sweep visits groups of documents x groups of words, in steps of cells that share neither a
// document nor a word and so can run at once. n_dk and n_kv are always up to date, but for the
// tokens of two other documents that are drawn at the same time; n_k is that of the start of the
// sweep. With one group all of them are up to date, and the sampler is exact. The cells depend on
// the minibatch alone, and random numbers on (seed, minibatch, sweep, token): the result is the
// same, bit for bit, for any number of threads.
class LdaGibbs : public Primitive<Documents, KeyedRows> {
 public:
  explicit LdaGibbs(LdaGibbsOptions options);
  ~LdaGibbs() override;

  // Throws std::invalid_argument if a word id is not below the vocabulary.
  KeyedRows operator()(const Documents& documents, const KeyedRows& prior) const override;
  KeyedRows Change(const Documents& documents, const KeyedRows& prior) const override;
  // The distinct words, ascending.
  KeyedRows::Selection Touches(const Documents& documents) const override;

 private:
  LdaGibbsOptions options_;
};

}  // namespace sda

#endif  // SDA_LDA_GIBBS_H_
