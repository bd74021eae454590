#include "sda/lda_bound.h"

#include <algorithm>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <span>
#include <stdexcept>
#include <string>

#include "lda/minibatch.h"
#include "lda/topic_rows.h"
#include "sda/thread_pool.h"

namespace sda {
namespace {

using boost::math::digamma;

// Not std::lgamma, which writes a global variable.
double LogGamma(double x) { return boost::math::lgamma(x); }

constexpr size_t kDocumentsPerChunk = 64;

// E[log Dir(x | prior)] - E[log Dir(x | q)] of one coordinate, but for the terms of the sums:
// log Gamma(q) - log Gamma(prior) + (prior - q) E[log x].
double DirichletTerm(double prior, double q, double expected_log) {
  return LogGamma(q) - LogGamma(prior) + (prior - q) * expected_log;
}

// Topics: words whose parameters are those of the prior contribute nothing but to E[log beta].
double TopicsPart(const KeyedRows& posterior, const KeyedRows& prior,
                  const std::vector<double>& sums, const std::vector<double>& prior_sums) {
  double bound = 0;
  std::vector<double> digamma_of_sum;
  for (size_t k = 0; k < sums.size(); ++k) {
    bound += LogGamma(prior_sums[k]) - LogGamma(sums[k]);
    digamma_of_sum.push_back(digamma(sums[k]));
  }
  for (size_t r = 0; r < posterior.rows(); ++r) {
    const auto lambda = posterior.row(r);
    const auto eta = prior.At(posterior.key(r));
    for (size_t k = 0; k < lambda.size(); ++k) {
      if (lambda[k] == eta[k]) continue;
      bound += DirichletTerm(eta[k], lambda[k], digamma(lambda[k]) - digamma_of_sum[k]);
    }
  }
  return bound;
}

// One document: its Dirichlet's part, and with the best phi, of the assignments and the words
//   sum_v n_v log sum_k exp(E[log theta_k] + E[log beta_kv]).
double DocumentPart(std::span<const double> gamma, const std::vector<double>& alpha,
                    std::span<const uint32_t> words, const Documents& documents, uint64_t begin,
                    const std::vector<double>& expected_log_beta) {
  const size_t topics = alpha.size();
  double gamma_sum = 0, alpha_sum = 0;
  for (size_t k = 0; k < topics; ++k) {
    gamma_sum += gamma[k];
    alpha_sum += alpha[k];
  }
  double bound = LogGamma(alpha_sum) - LogGamma(gamma_sum);
  std::vector<double> expected_log_theta(topics);
  for (size_t k = 0; k < topics; ++k) {
    expected_log_theta[k] = digamma(gamma[k]) - digamma(gamma_sum);
    bound += DirichletTerm(alpha[k], gamma[k], expected_log_theta[k]);
  }
  for (size_t i = 0; i < words.size(); ++i) {
    const double* beta = expected_log_beta.data() + words[i] * topics;
    double top = -HUGE_VAL, sum = 0;
    for (size_t k = 0; k < topics; ++k) top = std::fmax(top, expected_log_theta[k] + beta[k]);
    for (size_t k = 0; k < topics; ++k) sum += std::exp(expected_log_theta[k] + beta[k] - top);
    bound += documents.weight(begin + i) * (top + std::log(sum));
  }
  return bound;
}

}  // namespace

double LdaBound(const Documents& documents, const std::vector<double>& gamma,
                const KeyedRows& posterior, const KeyedRows& prior, const LdaSpec& spec,
                const Context& context) {
  const size_t topics = spec.topics;
  if (gamma.size() != documents.size() * topics) {
    throw std::logic_error("gamma has " + std::to_string(gamma.size()) + " numbers, must have " +
                           std::to_string(documents.size() * topics));
  }
  const std::vector<double> alpha = spec.Alpha();
  const std::vector<double> sums = lda::TopicSums(posterior, spec.vocabulary);
  ThreadPool& pool = *context.pool();
  const lda::WordIndex index(documents, spec.vocabulary, &pool);

  std::vector<double> expected_log_beta(index.size() * topics);
  pool.ParallelFor(index.size(), [&](size_t v) {
    const auto lambda = posterior.At(index.words[v]);
    for (size_t k = 0; k < topics; ++k) {
      expected_log_beta[v * topics + k] = digamma(lambda[k]) - digamma(sums[k]);
    }
  });

  std::vector<double> parts((documents.size() + kDocumentsPerChunk - 1) / kDocumentsPerChunk);
  pool.ParallelFor(parts.size(), [&](size_t i) {
    const size_t last = std::min(documents.size(), (i + 1) * kDocumentsPerChunk);
    for (size_t d = i * kDocumentsPerChunk; d < last; ++d) {
      const uint64_t begin = documents.offsets[d];
      const size_t size = documents.offsets[d + 1] - begin;
      parts[i] +=
          DocumentPart({gamma.data() + d * topics, topics}, alpha,
                       {index.numbers.data() + begin, size}, documents, begin, expected_log_beta);
    }
  });
  double bound = TopicsPart(posterior, prior, sums, lda::TopicSums(prior, spec.vocabulary));
  for (const double part : parts) bound += part;
  return bound;
}

}  // namespace sda
