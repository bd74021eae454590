#include <gtest/gtest.h>

#include <boost/math/special_functions/digamma.hpp>
#include <cmath>

#include "lda_test_util.h"
#include "sda/lda_bound.h"

namespace sda {
namespace {

using boost::math::digamma;
using Rows = std::vector<std::vector<double>>;

// E[log x] for x ~ Dirichlet(a).
std::vector<double> ExpectedLog(const std::vector<double>& a) {
  double sum = 0;
  for (const double x : a) sum += x;
  std::vector<double> result;
  for (const double x : a) result.push_back(digamma(x) - digamma(sum));
  return result;
}

// E[log Dir(x | a)] given E[log x].
double DirichletTerm(const std::vector<double>& a, const std::vector<double>& expected_log) {
  double sum = 0, result = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    sum += a[i];
    result += -std::lgamma(a[i]) + (a[i] - 1) * expected_log[i];
  }
  return result + std::lgamma(sum);
}

// The bound of appendix A.1, term by term and token by token, with phi given.
double TermByTerm(const Documents& documents, const Rows& gamma, const Rows& lambda,
                  const Rows& eta, const std::vector<double>& alpha) {
  const size_t topics = lambda.size();
  double bound = 0;
  Rows log_beta;
  for (size_t k = 0; k < topics; ++k) {
    log_beta.push_back(ExpectedLog(lambda[k]));
    bound += DirichletTerm(eta[k], log_beta[k]) - DirichletTerm(lambda[k], log_beta[k]);
  }
  for (size_t d = 0; d < documents.size(); ++d) {
    const std::vector<double> log_theta = ExpectedLog(gamma[d]);
    bound += DirichletTerm(alpha, log_theta) - DirichletTerm(gamma[d], log_theta);
    for (uint64_t i = documents.offsets[d]; i < documents.offsets[d + 1]; ++i) {
      std::vector<double> phi(topics);
      double sum = 0;
      for (size_t k = 0; k < topics; ++k) {
        sum += phi[k] = std::exp(log_theta[k] + log_beta[k][documents.words[i]]);
      }
      for (uint32_t token = 0; token < documents.counts[i]; ++token) {
        for (size_t k = 0; k < topics; ++k) {
          const double p = phi[k] / sum;
          bound += p * log_theta[k] + p * log_beta[k][documents.words[i]] - p * std::log(p);
        }
      }
    }
  }
  return bound;
}

TEST(BoundTest, IsTheAppendixsTermByTerm) {
  const size_t topics = 3, vocabulary = 7;
  const Documents documents{{0, 3, 5, 6}, {0, 2, 6, 1, 2, 5}, {2, 1, 3, 1, 4, 2}, {1, 2, 3}};
  const LdaSpec spec{
      .topics = topics, .vocabulary = vocabulary, .alpha = {0.3, 0.7, 1.1}, .eta = 0.4};
  KeyedRows prior = LdaPrior(spec);
  prior.Add(1, std::vector<double>{0.5, 0.25, 0});
  KeyedRows posterior = prior;
  Rows eta(topics, std::vector<double>(vocabulary)), lambda = eta;
  for (size_t v = 0; v < vocabulary - 1; ++v) {
    posterior.Add(v, std::vector<double>{0.1 * v, 2.0 + v, v == 3 ? 0.0 : 1.5});
  }
  for (size_t k = 0; k < topics; ++k) {
    for (size_t v = 0; v < vocabulary; ++v) {
      eta[k][v] = prior.At(v)[k];
      lambda[k][v] = posterior.At(v)[k];
    }
  }
  const Rows gamma = {{1.5, 0.31, 5}, {0.3, 3.7, 1.2}, {0.4, 0.8, 2}};
  std::vector<double> flat;
  for (const auto& row : gamma) flat.insert(flat.end(), row.begin(), row.end());
  const double expected = TermByTerm(documents, gamma, lambda, eta, spec.alpha);
  for (const int threads : {1, 2}) {
    EXPECT_NEAR(LdaBound(documents, flat, posterior, prior, spec, Context(threads)), expected,
                1e-11 * std::abs(expected));
  }
  flat.pop_back();
  EXPECT_THROW(LdaBound(documents, flat, posterior, prior, spec), std::logic_error);
}

}  // namespace
}  // namespace sda
