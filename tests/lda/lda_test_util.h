#ifndef SDA_TESTS_LDA_LDA_TEST_UTIL_H_
#define SDA_TESTS_LDA_LDA_TEST_UTIL_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <numeric>
#include <ostream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "golden.h"
#include "lda/cpu_backend.h"
#include "sda/lda_vb.h"
#include "sda/loop.h"

namespace sda {

// A backend that tests run with. Every test of results takes one, so that a new backend has to
// pass them all.
struct TestBackend {
  const char* name;
  std::shared_ptr<lda::Backend> (*make)(const Context& context, int workers);
};

inline void PrintTo(const TestBackend& backend, std::ostream* out) { *out << backend.name; }

inline std::vector<TestBackend> Backends() {
  return {{"Cpu", [](const Context& context, int workers) -> std::shared_ptr<lda::Backend> {
             return std::make_shared<lda::CpuBackend>(context, workers);
           }}};
}

// Tests that are run with each backend: INSTANTIATE_TEST_SUITE_P(Backends, NAME,
// testing::ValuesIn(Backends()), NameOfBackend).
class OnBackend : public testing::TestWithParam<TestBackend> {
 protected:
  static std::shared_ptr<lda::Backend> Backend(int threads = 1, int workers = 1) {
    return GetParam().make(Context(threads), workers);
  }
};

inline std::string NameOfBackend(const testing::TestParamInfo<TestBackend>& info) {
  return info.param.name;
}

inline std::vector<Documents> Cut(const Documents& corpus, size_t size) {
  std::vector<Documents> minibatches;
  for (size_t first = 0; first < corpus.size(); first += size) {
    minibatches.push_back(Slice(corpus, first, std::min(corpus.size(), first + size)));
  }
  return minibatches;
}

// The reference's synthetic corpus: K = 5, V = 60, 80 documents of 40 tokens.
inline Documents GoldenDocuments() {
  Documents corpus{golden::kOffsets, golden::kWords, golden::kCounts, {}};
  for (uint64_t d = 1; d <= corpus.size(); ++d) corpus.numbers.push_back(d);
  return corpus;
}

inline LdaSpec GoldenSpec() { return {.topics = 5, .vocabulary = 60, .alpha = {0.2}, .eta = 0.1}; }

inline LocalVbOptions GoldenLocal() {
  return {.precision = Precision::kDouble, .tolerance = 0, .updates = 30};
}

inline VbOptions GoldenOptions() {
  VbOptions options;
  options.local = GoldenLocal();
  options.outer_tolerance = 0;
  options.outer_iterations = 4;
  options.start = LdaStart::kPrior;
  options.warm_gamma = false;
  return options;
}

// Runs the minibatches through the loop from the prior.
inline KeyedRows Fit(std::vector<Documents> minibatches, const Primitive<Documents, KeyedRows>& a,
                     const KeyedRows& prior, const RunOptions& run = {}) {
  MemoryStore<KeyedRows> store(prior);
  MemorySource<Documents> source(std::move(minibatches));
  Run(source, a, store, run);
  return store.Read().params;
}

// K x V, topic by topic.
inline std::vector<double> Matrix(const KeyedRows& rows, uint64_t vocabulary) {
  std::vector<double> matrix;
  for (size_t k = 0; k < rows.width(); ++k) {
    for (uint64_t v = 0; v < vocabulary; ++v) matrix.push_back(rows.At(v)[k]);
  }
  return matrix;
}

inline double LargestRelativeError(const std::vector<double>& actual,
                                   const std::vector<double>& expected) {
  if (actual.size() != expected.size()) return HUGE_VAL;
  double worst = 0;
  for (size_t i = 0; i < actual.size(); ++i) {
    const double error = std::abs(actual[i] - expected[i]) / std::abs(expected[i]);
    if (!(error <= worst)) worst = error;
  }
  return worst;
}

// Documents of an LDA model with the given topics (K x V), proportions from Dirichlet(alpha), which
// are added to those given.
inline Documents Generate(const std::vector<std::vector<double>>& topics, double alpha,
                          size_t documents, size_t length, uint64_t seed,
                          std::vector<std::vector<double>>* proportions = nullptr) {
  std::mt19937_64 random(seed);
  std::vector<std::discrete_distribution<uint32_t>> word;
  for (const auto& topic : topics) word.emplace_back(topic.begin(), topic.end());
  std::gamma_distribution<double> gamma(alpha);
  Documents corpus;
  for (size_t d = 0; d < documents; ++d) {
    std::vector<double> theta(topics.size());
    for (double& t : theta) t = gamma(random) + 1e-300;
    if (proportions != nullptr) {
      const double sum = std::accumulate(theta.begin(), theta.end(), 0.0);
      proportions->push_back(theta);
      for (double& t : proportions->back()) t /= sum;
    }
    std::discrete_distribution<size_t> topic(theta.begin(), theta.end());
    std::vector<uint32_t> tokens(length);
    for (uint32_t& token : tokens) token = word[topic(random)](random);
    std::sort(tokens.begin(), tokens.end());
    for (size_t i = 0; i < length; ++i) {
      if (i > 0 && tokens[i] == tokens[i - 1]) {
        ++corpus.counts.back();
      } else {
        corpus.words.push_back(tokens[i]);
        corpus.counts.push_back(1);
      }
    }
    corpus.offsets.push_back(corpus.words.size());
    corpus.numbers.push_back(d + 1);
  }
  return corpus;
}

// K topics over V words, each from Dirichlet(concentration).
inline std::vector<std::vector<double>> RandomTopics(size_t topics, size_t vocabulary,
                                                     double concentration, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::gamma_distribution<double> gamma(concentration);
  std::vector<std::vector<double>> result(topics, std::vector<double>(vocabulary));
  for (auto& topic : result) {
    double sum = 0;
    for (double& p : topic) sum += p = gamma(random);
    for (double& p : topic) p /= sum;
  }
  return result;
}

// The folder of real corpora: the environment's SDA_DATA, or shared/data beside the source; empty
// if there is none.
inline std::filesystem::path DataFolder() {
  const char* given = std::getenv("SDA_DATA");
  const std::filesystem::path folder =
      given != nullptr ? given : std::filesystem::path(SDA_SOURCE_DIR) / "../shared/data";
  return std::filesystem::exists(folder) ? folder : std::filesystem::path();
}

}  // namespace sda

#endif  // SDA_TESTS_LDA_LDA_TEST_UTIL_H_
