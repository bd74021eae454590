// Intervals of a document's topic proportions, against posteriors that can be had in full, and
// against the truth in simulated documents.
#include <gtest/gtest.h>

#include <boost/math/distributions/beta.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <cmath>
#include <functional>
#include <numeric>

#include "lda/infer/beta_mixture.h"
#include "lda/infer/linear_response.h"
#include "lda_test_util.h"
#include "sda/errors.h"
#include "sda/lda_topics.h"

namespace sda {
namespace {

using boost::math::beta_distribution;
using Rows = std::vector<std::vector<double>>;  // lambda, a row for each word

KeyedRows Posterior(const Rows& lambda, const LdaSpec& spec) {
  KeyedRows posterior = LdaPrior(spec);
  for (uint64_t v = 0; v < lambda.size(); ++v) {
    std::vector<double> more = lambda[v];
    for (double& x : more) x -= spec.eta;
    posterior.Add(v, more);
  }
  return posterior;
}

Documents OneDocument(std::vector<uint32_t> words, std::vector<uint32_t> counts) {
  return {{0, words.size()}, words, counts, {1}};
}

// E[beta_kv], words x topics.
Rows Means(Rows lambda) {
  for (size_t k = 0; k < lambda[0].size(); ++k) {
    double sum = 0;
    for (const auto& row : lambda) sum += row[k];
    for (auto& row : lambda) row[k] /= sum;
  }
  return lambda;
}

const TopicShare& ShareOf(const DocumentTopics& document, size_t topic) {
  for (const TopicShare& share : document.topics) {
    if (share.topic == topic) return share;
  }
  throw std::logic_error("no such topic");
}

TEST(BetaMixture, OfOnePartHasTheQuantilesOfBeta) {
  for (const auto& [a, b] : std::vector<std::pair<double, double>>{
           {1, 1}, {0.5, 0.5}, {0.02, 102}, {30.1, 70.4}, {2e5, 3e7}, {900, 0.3}, {1e-4, 50}}) {
    const Estimate found = lda::BetaMixture{a, b}.Summary(0.9);
    const beta_distribution<> beta(a, b);
    EXPECT_NEAR(cdf(beta, found.upper), 0.95, 1e-6) << a << " " << b;
    if (found.lower > 0) {
      EXPECT_NEAR(cdf(beta, found.lower), 0.05, 1e-6) << a << " " << b;
    }
    EXPECT_DOUBLE_EQ(found.mean, a / (a + b));
    EXPECT_NEAR(found.sd, standard_deviation(beta), 1e-12);
  }
  EXPECT_EQ((lda::BetaMixture{1e-4, 50}.Summary(0.9).lower), 0);  // 1e-12000
}

TEST(BetaMixture, HasTheTailsOfTheSumOfItsParts) {
  const std::vector<std::vector<lda::BetaMixture::Part>> cases = {
      {{0, 0.5}, {1, 0.3}, {2, 0.2}},       {{0, 0.9}, {3, 0.06}, {60, 0.04}},
      {{0, 0.02}, {55, 0.5}, {99, 0.48}},   {{40, 0.5}, {41, 0.25}, {47, 0.25}},
      {{0, 0.5}, {1, 0.001}, {100, 0.499}},
  };
  for (const double a : {0.02, 0.3, 5.0}) {
    for (const auto& parts : cases) {
      const lda::BetaMixture mixture{a, 101.3, parts};
      const Estimate found = mixture.Summary(0.95);
      const auto below = [&](double x) {
        double sum = 0;
        for (const auto& [n, weight] : parts) {
          sum += weight * cdf(beta_distribution<>(a + n, 101.3 - n), x);
        }
        return sum;
      };
      EXPECT_NEAR(below(found.upper), 0.975, 1e-6) << a << " " << found.upper;
      if (found.lower > 0) {
        EXPECT_NEAR(below(found.lower), 0.025, 1e-6) << a << " " << found.lower;
      }
    }
  }
}

// p(theta | n tokens of one word) is proportional to the prior times (sum_k theta_k beta_k)^n.
TEST(DocumentIntervals, OfOneWordAndTwoTopicsAreThoseOfTheIntegral) {
  const LdaSpec spec{.topics = 2, .vocabulary = 2, .alpha = {0.4, 0.7}, .eta = 1};
  const Rows lambda = {{600, 200}, {400, 800}};
  const double tokens = 12;
  constexpr int kSteps = 200000;
  std::vector<double> below(kSteps + 1);
  double mean = 0;
  for (int i = 0; i < kSteps; ++i) {
    // x = s^4 takes the pole at 0 away.
    const double s = (i + 0.5) / kSteps, x = std::pow(s, 4);
    const double density = 4 * std::pow(s, 3) * std::pow(x, -0.6) * std::pow(1 - x, -0.3) *
                           std::pow(0.6 * x + 0.2 * (1 - x), tokens);
    below[i + 1] = below[i] + density;
    mean += x * density;
  }
  const auto quantile = [&](double p) {
    const auto found = std::lower_bound(below.begin(), below.end(), p * below.back());
    return std::pow(static_cast<double>(found - below.begin()) / kSteps, 4);
  };
  const auto found = InferTopics(Posterior(lambda, spec), OneDocument({0}, {12}), spec, Context(1),
                                 0, {.sweeps = 40000});
  const Estimate& p = ShareOf(found[0], 0).proportion;
  EXPECT_NEAR(p.mean, mean / below.back(), 0.003);
  EXPECT_NEAR(p.lower, quantile(0.025), 0.005);
  EXPECT_NEAR(p.upper, quantile(0.975), 0.003);
  EXPECT_EQ(found[0].intervals, ProportionIntervals::kSampled);
}

// Calls back with each assignment of topics to the tokens, and its weight:
// prod beta_zw prod_k Gamma(alpha_k + n_k) / Gamma(alpha_k).
void ForAssignments(const std::vector<std::vector<double>>& beta_of_tokens,
                    const std::vector<double>& alpha, std::vector<uint32_t> counts, double weight,
                    const std::function<void(const std::vector<uint32_t>&, double)>& call) {
  if (beta_of_tokens.empty()) return call(counts, weight);
  const std::vector<std::vector<double>> others(beta_of_tokens.begin() + 1, beta_of_tokens.end());
  for (size_t k = 0; k < alpha.size(); ++k) {
    const double more = beta_of_tokens[0][k] * (alpha[k] + counts[k]);
    ++counts[k];
    ForAssignments(others, alpha, counts, weight * more, call);
    --counts[k];
  }
}

TEST(DocumentIntervals, OfFourTokensAreThoseOfAllAssignments) {
  const LdaSpec spec{.topics = 3, .vocabulary = 3, .alpha = {0.3, 0.2, 0.5}, .eta = 1};
  const Rows lambda = {{50, 10, 30}, {30, 70, 30}, {20, 20, 40}};
  const Rows beta = Means(lambda);
  const auto found = InferTopics(Posterior(lambda, spec), OneDocument({0, 1, 2}, {2, 1, 1}), spec,
                                 Context(1), 0, {.sweeps = 1000000});
  for (size_t k = 0; k < 3; ++k) {
    lda::BetaMixture exact{
        spec.alpha[k], 5 - spec.alpha[k], {{0, 0}, {1, 0}, {2, 0}, {3, 0}, {4, 0}}};
    double sum = 0;
    ForAssignments({beta[0], beta[0], beta[1], beta[2]}, spec.alpha, {0, 0, 0}, 1,
                   [&](const std::vector<uint32_t>& counts, double weight) {
                     exact.parts[counts[k]].weight += weight;
                     sum += weight;
                   });
    for (auto& part : exact.parts) part.weight /= sum;
    const Estimate expected = exact.Summary(0.95);
    const Estimate& p = ShareOf(found[0], k).proportion;
    EXPECT_NEAR(p.mean, expected.mean, 0.004) << k;
    EXPECT_NEAR(p.sd, expected.sd, 0.003) << k;
    EXPECT_NEAR(p.lower, expected.lower, 0.002) << k;
    EXPECT_NEAR(p.upper, expected.upper, 0.004) << k;
  }
}

// Mean of theta_1 at the optimum of variational Bayes, if the model's density is multiplied by
// exp(t theta_1): q is Beta(gamma_1, gamma_2) times that, integrated on a grid.
class TiltedDocument {
 public:
  static constexpr double kAlpha[2] = {1.3, 1.2};

  double Mean(double t, double gamma[2]) const {
    double mean = 0;
    for (int update = 0; update < 300; ++update) {
      double mass = 0, log_first = 0, log_second = 0;
      mean = 0;
      for (int i = 0; i < kSteps; ++i) {
        const double x = (i + 0.5) / kSteps;
        const double q =
            std::exp((gamma[0] - 1) * std::log(x) + (gamma[1] - 1) * std::log1p(-x) + t * x);
        mass += q;
        mean += q * x;
        log_first += q * std::log(x);
        log_second += q * std::log1p(-x);
      }
      mean /= mass;
      gamma[0] = kAlpha[0], gamma[1] = kAlpha[1];
      for (size_t w = 0; w < counts_.size(); ++w) {
        const double first = std::exp(log_first / mass + log_beta_[w][0]);
        const double second = std::exp(log_second / mass + log_beta_[w][1]);
        gamma[0] += counts_[w] * first / (first + second);
        gamma[1] += counts_[w] * second / (first + second);
      }
    }
    return mean;
  }

  Rows lambda_ = {{50, 30}, {20, 40}, {30, 30}};
  std::vector<double> counts_ = {4, 6, 3};

 private:
  static constexpr int kSteps = 4000;
  const Rows log_beta_ = [this] {
    Rows rows = lambda_;
    for (auto& row : rows) {
      for (double& x : row) x = boost::math::digamma(x) - boost::math::digamma(100.0);
    }
    return rows;
  }();
};

TEST(DocumentIntervals, LinearResponseIsTheDerivativeOfTheOptimum) {
  const TiltedDocument document;
  constexpr double kStep = 1e-2;
  double gamma[2] = {5, 5};
  const double more = document.Mean(kStep, gamma), less = document.Mean(-kStep, gamma);
  document.Mean(0, gamma);

  const LdaSpec spec{.topics = 2, .vocabulary = 3, .alpha = {1.3, 1.2}, .eta = 1};
  const KeyedRows posterior = Posterior(document.lambda_, spec);
  const lda::KnownTopics topics{posterior, spec.alpha, {100, 100}, 2.5};
  const Documents documents = OneDocument({0, 1, 2}, {4, 6, 3});
  const lda::LinearResponse response(topics, lda::KnownDocument(documents, 0, topics), gamma);
  const double expected = (more - less) / (2 * kStep);
  EXPECT_NEAR(response.Variance(0) / expected, 1, 1e-3);
  EXPECT_NEAR(response.Variance(1) / expected, 1, 1e-3);
  const double without = response.Mean(0) * response.Mean(1) / (gamma[0] + gamma[1] + 1);
  EXPECT_GT(response.Variance(0), 2 * without);  // what it is for
  EXPECT_NEAR(response.Posterior(0).Variance() / expected, 1, 1e-3);
}

struct Share {
  double held = 0, all = 0;
  double of_all() const { return held / all; }
};

// How often 95% intervals of proportions above 0.05 hold the true one, the topics being known.
Share Coverage(uint64_t vocabulary, double eta, double alpha, size_t tokens,
               ProportionIntervals intervals) {
  constexpr int kTopics = 10, kDocuments = 60, kModels = 20;
  Share share;
  for (uint64_t model = 1; model <= kModels; ++model) {
    const LdaSpec spec{.topics = kTopics, .vocabulary = vocabulary, .alpha = {alpha}, .eta = 1e-3};
    const auto topics = RandomTopics(kTopics, vocabulary, eta, model);
    Rows lambda(vocabulary, std::vector<double>(kTopics));
    for (uint64_t v = 0; v < vocabulary; ++v) {
      for (int k = 0; k < kTopics; ++k) lambda[v][k] = 1e-3 + 1e6 * topics[k][v];
    }
    std::vector<std::vector<double>> truth;
    const Documents documents = Generate(topics, alpha, kDocuments, tokens, 1000 + model, &truth);
    const auto found = InferTopics(Posterior(lambda, spec), documents, spec, Context(), 0,
                                   {.intervals = intervals});
    for (size_t d = 0; d < documents.size(); ++d) {
      for (const auto& [topic, p] : found[d].topics) {
        if (p.mean <= 0.05) break;
        share.held += p.lower <= truth[d][topic] && truth[d][topic] <= p.upper;
        ++share.all;
      }
    }
  }
  return share;
}

// The standard errors are 0.004.
TEST(DocumentIntervals, SampledOnesHoldTheTruth) {
  for (const auto& [vocabulary, eta, alpha, tokens] :
       std::vector<std::tuple<uint64_t, double, double, size_t>>{
           {1000, 0.1, 0.1, 80}, {1000, 0.1, 0.1, 25}, {500, 0.5, 0.3, 60}}) {
    const Share share = Coverage(vocabulary, eta, alpha, tokens, ProportionIntervals::kSampled);
    EXPECT_GT(share.of_all(), 0.93) << tokens << " tokens";
    EXPECT_LT(share.of_all(), 0.97) << tokens << " tokens";
  }
}

TEST(DocumentIntervals, OfLinearResponseHoldTheTruthInLongDocuments) {
  const Share share = Coverage(500, 0.3, 0.3, 2001, ProportionIntervals::kLinearResponse);
  EXPECT_GT(share.of_all(), 0.93);
  EXPECT_LT(share.of_all(), 0.97);
}

class DocumentAmongOthers : public testing::Test {
 protected:
  const std::vector<std::vector<double>> topics_ = RandomTopics(7, 100, 0.3, 3);
  const LdaSpec spec_{.topics = 7, .vocabulary = 100, .alpha = {0.2}};
  KeyedRows posterior_ = LdaPrior(spec_);
  Documents documents_ = Generate(topics_, 0.2, 12, 50, 4);

  void SetUp() override {
    for (uint64_t v = 0; v < 100; ++v) {
      std::vector<double> row(7);
      for (int k = 0; k < 7; ++k) row[k] = 1000 * topics_[k][v];
      posterior_.Add(v, row);
    }
  }
  std::vector<DocumentTopics> Infer(const Documents& documents, int threads = 1,
                                    const InferOptions& options = {}) const {
    return InferTopics(posterior_, documents, spec_, Context(threads), 0, options);
  }
};

TEST_F(DocumentAmongOthers, HasTheSameResultAloneAndWithAnyNumberOfThreads) {
  const auto all = Infer(documents_);
  const auto threads = Infer(documents_, 3);
  for (size_t d = 0; d < documents_.size(); ++d) {
    const auto alone = Infer(Slice(documents_, d, d + 1));
    for (size_t i = 0; i < 7; ++i) {
      for (const auto* other : {&alone[0], &threads[d]}) {
        EXPECT_EQ(other->topics[i].topic, all[d].topics[i].topic);
        EXPECT_EQ(other->topics[i].proportion.lower, all[d].topics[i].proportion.lower);
        EXPECT_EQ(other->topics[i].proportion.upper, all[d].topics[i].proportion.upper);
      }
    }
  }
}

TEST_F(DocumentAmongOthers, ThatCannotBeSampledHasLinearResponse) {
  Documents weighted = documents_;
  weighted.weights.assign(weighted.counts.begin(), weighted.counts.end());
  weighted.weights[0] = 0.5;
  const auto of_weights = Infer(weighted);
  EXPECT_EQ(of_weights[0].intervals, ProportionIntervals::kLinearResponse);
  EXPECT_EQ(of_weights[1].intervals, ProportionIntervals::kSampled);
  EXPECT_EQ(of_weights[1].topics[0].proportion.lower,
            Infer(documents_)[1].topics[0].proportion.lower);

  const auto of_long = Infer(OneDocument({1, 2}, {1000, 1001}));
  EXPECT_EQ(of_long[0].intervals, ProportionIntervals::kLinearResponse);
  EXPECT_EQ(Infer(OneDocument({1, 2}, {1000, 1000}))[0].intervals, ProportionIntervals::kSampled);
  const auto chosen = Infer(documents_, 1, {.intervals = ProportionIntervals::kLinearResponse});
  EXPECT_EQ(chosen[0].intervals, ProportionIntervals::kLinearResponse);
}

TEST_F(DocumentAmongOthers, WithLinearResponseIsCalledApproximateIfItIsShort) {
  const InferOptions fast = {.intervals = ProportionIntervals::kLinearResponse};
  for (const uint32_t tokens : {5u, 999u, 1000u}) {
    const auto found = Infer(OneDocument({1}, {tokens}), 1, fast);
    for (const TopicShare& share : found[0].topics) {
      EXPECT_EQ(share.proportion.approximate, tokens < 1000);
    }
  }
  EXPECT_FALSE(Infer(documents_)[0].topics[0].proportion.approximate);
}

TEST_F(DocumentAmongOthers, WithoutWordsHasThePrior) {
  for (const auto kind : {ProportionIntervals::kSampled, ProportionIntervals::kLinearResponse}) {
    const auto found = Infer(OneDocument({}, {}), 1, {.intervals = kind});
    const Estimate expected = lda::BetaMixture{0.2, 1.2}.Summary(0.95);
    for (const TopicShare& share : found[0].topics) {
      EXPECT_NEAR(share.proportion.mean, 1.0 / 7, 1e-6);
      EXPECT_NEAR(share.proportion.upper, expected.upper, 1e-6);
    }
  }
}

TEST_F(DocumentAmongOthers, HasWiderIntervalsOfAHigherLevel) {
  const Estimate most = Infer(documents_, 1, {.level = 0.99})[0].topics[0].proportion;
  const Estimate half = Infer(documents_, 1, {.level = 0.5})[0].topics[0].proportion;
  EXPECT_LT(most.lower, half.lower);
  EXPECT_GT(most.upper, half.upper);
  EXPECT_EQ(most.mean, half.mean);
}

TEST_F(DocumentAmongOthers, IsNotInferredWithOptionsThatMakeNoSense) {
  EXPECT_THROW(Infer(documents_, 1, {.sweeps = 0}), UsageError);
  EXPECT_THROW(Infer(documents_, 1, {.level = 1}), UsageError);
  EXPECT_THROW(ProportionIntervalsNamed("wide"), UsageError);
  EXPECT_EQ(ProportionIntervalsNamed("linear-response"), ProportionIntervals::kLinearResponse);
}

TEST(DocumentIntervals, OfTheOnlyTopicAreCertain) {
  const LdaSpec spec{.topics = 1, .vocabulary = 2, .alpha = {0.3}, .eta = 1};
  for (const auto kind : {ProportionIntervals::kSampled, ProportionIntervals::kLinearResponse}) {
    const auto found = InferTopics(Posterior({{3}, {4}}, spec), OneDocument({0, 1}, {2, 1}), spec,
                                   Context(1), 0, {.intervals = kind});
    EXPECT_EQ(found[0].topics[0].proportion.lower, 1);
    EXPECT_EQ(found[0].topics[0].proportion.upper, 1);
    EXPECT_EQ(found[0].topics[0].proportion.mean, 1);
  }
}

}  // namespace
}  // namespace sda
