#include "lda/vb/kernels.h"

#include <gtest/gtest.h>
#include <hwy/aligned_allocator.h>
#include <hwy/targets.h>

#include <boost/math/special_functions/digamma.hpp>
#include <cmath>

#include "lda_test_util.h"

namespace sda {
namespace {

using boost::math::digamma;

// Runs body once for each instruction set that this processor has and the library was built for.
template <class Body>
void ForEachTarget(Body body) {
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    body(hwy::TargetName(target));
  }
  hwy::SetSupportedTargetsForTest(0);
}

template <class T>
void CheckExpectedRow(double tolerance, const char* target) {
  // From parameters that lock a topic out to those of a very frequent word.
  const std::vector<double> lambda = {0.05, 0.3, 1, 1.5, 2, 3.99, 4, 7, 25, 1000, 1e6, 5e8, 0.01};
  std::vector<double> of_sum;
  for (size_t k = 0; k < lambda.size(); ++k) of_sum.push_back(digamma(10 * lambda[k] + k));
  std::vector<T> padded(of_sum.begin(), of_sum.end());
  padded.resize(lda::PaddedWidth<T>(lambda.size()));
  alignas(64) T row[64];
  std::vector<T> scratch(padded.size());
  lda::ExpectedRow(lambda.data(), padded.data(), lambda.size(), scratch.data(), row);
  std::vector<double> expected;
  double sum = 0;
  for (size_t k = 0; k < lambda.size(); ++k) {
    expected.push_back(std::exp(digamma(lambda[k]) - of_sum[k]));
    sum += expected[k];
  }
  for (size_t k = 0; k < lambda.size(); ++k) {
    const double share = expected[k] / sum;
    if (share < lda::kTiny<T>) {
      EXPECT_EQ(row[k], T(0)) << target;
    } else {
      // The rounding of an exponent grows with it.
      const double room = tolerance * (1 + std::abs(std::log(share)));
      EXPECT_NEAR(row[k] / share, 1, room) << lambda[k] << " " << target;
    }
  }
  for (size_t k = lambda.size(); k < lda::PaddedWidth<T>(lambda.size()); ++k) {
    EXPECT_EQ(row[k], T(0));
  }
}

TEST(KernelsTest, ExpectedRowsAreAccurateOnEveryTarget) {
  ForEachTarget([](const char* target) {
    CheckExpectedRow<float>(1e-6, target);
    CheckExpectedRow<double>(1e-14, target);
  });
}

TEST(KernelsTest, EveryTargetAgreesInBothPrecisions) {
  const Documents corpus = Generate(RandomTopics(40, 900, 0.02, 3), 0.1, 60, 150, 4);
  for (const Precision precision : {Precision::kFloat, Precision::kDouble}) {
    for (const int topics : {3, 50, 110}) {
      const LdaSpec spec = VbSpec(topics, 900);
      VbOptions options;
      options.local.precision = precision;
      options.start = LdaStart::kMixed;  // what is sampled depends on the last bit
      options.local.tolerance = 0;
      options.local.updates = 20;
      options.outer_tolerance = 0;
      options.outer_iterations = 2;
      std::vector<double> first;
      ForEachTarget([&](const char* target) {
        const auto lambda = Matrix(LdaVb(spec, options)(corpus, LdaPrior(spec), 0), 900);
        if (first.empty()) first = lambda;
        EXPECT_LT(LargestRelativeError(lambda, first),
                  precision == Precision::kDouble ? 1e-9 : 2e-2)
            << target << ", " << topics << " topics";
      });
    }
  }
}

// LocalVB of one document, plain and in log space.
std::vector<double> PlainGamma(const std::vector<std::vector<double>>& log_beta,
                               const std::vector<uint32_t>& counts,
                               const std::vector<double>& alpha, int updates) {
  const size_t topics = alpha.size();
  std::vector<double> gamma(topics, 1.0);
  for (int update = 0; update < updates; ++update) {
    std::vector<double> next = alpha;
    for (size_t i = 0; i < counts.size(); ++i) {
      double top = -HUGE_VAL, sum = 0;
      std::vector<double> z(topics);
      for (size_t k = 0; k < topics; ++k) {
        z[k] = digamma(gamma[k]) + log_beta[i][k];
        top = std::max(top, z[k]);
      }
      for (double& x : z) sum += x = std::exp(x - top);
      for (size_t k = 0; k < topics; ++k) next[k] += counts[i] * z[k] / sum;
    }
    gamma = next;
  }
  return gamma;
}

template <class T>
void CheckLogSpace(double tolerance, const char* target) {
  // All other words are of topic 1, so it has nearly all weight; word 0 is of any topic but that.
  const size_t topics = 200, words = 41;
  std::vector<std::vector<double>> log_beta(words, std::vector<double>(topics, -20.0));
  for (size_t i = 1; i < words; ++i) log_beta[i][1] = 0;
  log_beta[0][1] = -400;
  lda::LocalProblem<T> problem;
  const size_t stride = lda::PaddedWidth<T>(topics);
  const auto rows = hwy::AllocateAligned<T>(words * stride);
  std::fill_n(rows.get(), words * stride, T(0));
  for (size_t i = 0; i < words; ++i) {
    double top = -HUGE_VAL, sum = 0;
    for (const double x : log_beta[i]) top = std::max(top, x);
    for (const double x : log_beta[i]) sum += std::exp(x - top);
    for (size_t k = 0; k < topics; ++k) {
      const double share = std::exp(log_beta[i][k] - top) / sum;
      rows[i * stride + k] = share < lda::kTiny<T> ? T(0) : static_cast<T>(share);
    }
  }
  const std::vector<T> alpha(stride, T(0.0125));
  std::vector<uint32_t> numbers(words), counts(words, 30);
  for (size_t i = 0; i < words; ++i) numbers[i] = static_cast<uint32_t>(i);
  counts[0] = 1;
  const std::vector<uint64_t> offsets = {0, words};
  problem.topics = topics;
  problem.rows = rows.get();
  problem.alpha = alpha.data();
  problem.updates = 3;
  problem.expected_log_beta = [&](uint32_t v, double* out) {
    std::copy(log_beta[v].begin(), log_beta[v].end(), out);
  };
  problem.offsets = offsets.data();
  problem.words = numbers.data();
  problem.counts = counts.data();
  lda::LocalState<T> state;
  lda::LocalScratch<T> scratch;
  lda::LocalVb(problem, 0, 1, static_cast<lda::LocalState<T>*>(nullptr), &scratch, &state);
  const std::vector<double> expected =
      PlainGamma(log_beta, counts, std::vector<double>(topics, alpha[0]), problem.updates);
  std::vector<double> gamma(topics, alpha[0]);
  for (size_t j = 0; j < state.topics.size(); ++j) gamma[state.topics[j]] = state.gamma[j];
  for (size_t k = 0; k < topics; ++k) {
    EXPECT_NEAR(gamma[k], expected[k], tolerance * (1 + expected[k])) << k << " " << target;
  }
  EXPECT_GT(state.log_space_words, 0u) << target;
  EXPECT_EQ(state.log_space.size(), 1u) << target;
}

TEST(KernelsTest, NormalisersThatUnderflowAreDoneInLogSpace) {
  ForEachTarget([](const char* target) {
    CheckLogSpace<float>(1e-4, target);
    CheckLogSpace<double>(1e-9, target);
  });
}

}  // namespace
}  // namespace sda
