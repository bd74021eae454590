#include "report/report_words.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "lda/topic_rows.h"
#include "models/estimates.h"
#include "sda/lda_topics.h"

namespace sda::report {
namespace {

constexpr int kSteps = 20;              // of the relevance, from 0 to 1
constexpr double kSmallestPart = 0.05;  // of a word's tokens, for a topic to be shown with it
// A word with less than this number of tokens in a topic is not one of its words, if there are
// others.
constexpr double kTouched = 0.01;

struct Candidate {
  uint64_t word;
  double log_probability;
  double log_lift;
};

// The words that a topic has tokens of; all words if these are too few.
std::vector<Candidate> CandidatesOf(const TopicWords& topics, size_t topic, size_t most) {
  const KeyedRows& posterior = topics.posterior;
  const double prior = posterior.default_row()[topic];
  const double log_sum = std::log(topics.sums[topic]);
  std::vector<Candidate> found;
  auto add = [&](uint64_t word, double lambda) {
    const double log_probability = std::log(lambda) - log_sum;
    found.push_back({word, log_probability, log_probability - std::log(topics.frequencies[word])});
  };
  for (size_t r = 0; r < posterior.rows(); ++r) {
    const double lambda = posterior.row(r)[topic];
    if (lambda > prior + kTouched) add(posterior.key(r), lambda);
  }
  if (found.size() >= most) return found;
  found.clear();
  for (uint64_t word = 0; word < topics.words(); ++word) add(word, posterior.At(word)[topic]);
  return found;
}

// The ids of those that are among the first `most` at some relevance, the most probable first.
std::vector<uint64_t> FirstAtSomeRelevance(std::vector<Candidate> candidates, size_t most) {
  most = std::min(most, candidates.size());
  std::vector<Candidate> kept;
  for (const double relevance : Relevances()) {
    auto before = [=](const Candidate& a, const Candidate& b) {
      const double value_a = relevance * a.log_probability + (1 - relevance) * a.log_lift;
      const double value_b = relevance * b.log_probability + (1 - relevance) * b.log_lift;
      return value_a != value_b ? value_a > value_b : a.word < b.word;
    };
    std::nth_element(candidates.begin(), candidates.begin() + most, candidates.end(), before);
    kept.insert(kept.end(), candidates.begin(), candidates.begin() + most);
  }
  std::sort(kept.begin(), kept.end(), [](const Candidate& a, const Candidate& b) {
    return a.log_probability != b.log_probability ? a.log_probability > b.log_probability
                                                  : a.word < b.word;
  });
  std::vector<uint64_t> words;
  for (const Candidate& candidate : kept) {
    if (words.empty() || words.back() != candidate.word) words.push_back(candidate.word);
  }
  return words;
}

}  // namespace

TopicWords::TopicWords(const TopicModel& model)
    : posterior(model.posterior),
      sums(lda::TopicSums(model.posterior, model.vocabulary.size())),
      shares(model.posterior.totals().begin(), model.posterior.totals().end()),
      frequencies(model.vocabulary.size()) {
  const double all = std::accumulate(shares.begin(), shares.end(), 0.0);
  for (double& share : shares) share = all > 0 ? share / all : 1.0 / topics();
  std::vector<double> weights(topics());
  for (size_t k = 0; k < topics(); ++k) weights[k] = shares[k] / sums[k];
  const auto frequency = [&](std::span<const double> row) {
    return std::inner_product(row.begin(), row.end(), weights.begin(), 0.0);
  };
  std::fill(frequencies.begin(), frequencies.end(), frequency(posterior.default_row()));
  for (size_t r = 0; r < posterior.rows(); ++r) {
    frequencies[posterior.key(r)] = frequency(posterior.row(r));
  }
}

ReportedShare BetaShare(double a, double b) {
  if (!(a > 0)) return {0, 0, 0};
  if (!(b > 0)) return {1, 1, 1};
  const Estimate estimate = BetaEstimate("", a, b);
  return {estimate.mean, estimate.lower, estimate.upper};
}

ReportedShare TopicWords::Probability(uint64_t word, size_t topic) const {
  const WordProbability p = ProbabilityOf(posterior, word, topic, sums[topic]);
  return BetaShare(p.a, p.b);
}

std::vector<double> Relevances() {
  std::vector<double> all;
  for (int i = 0; i <= kSteps; ++i) all.push_back(static_cast<double>(i) / kSteps);
  return all;
}

std::vector<std::vector<ReportedWord>> RelevantWords(const TopicWords& topics, size_t most,
                                                     const Context& context) {
  std::vector<std::vector<ReportedWord>> words(topics.topics());
  context.pool()->ParallelFor(topics.topics(), [&](size_t k) {
    context.ThrowIfInterrupted();
    for (const uint64_t word : FirstAtSomeRelevance(CandidatesOf(topics, k, most), most)) {
      words[k].push_back({word, topics.frequencies[word], topics.Probability(word, k)});
    }
  });
  return words;
}

std::vector<ReportedEntry> FindEntries(const TopicWords& topics, const ReportOptions& options,
                                       const Context& context) {
  std::vector<uint64_t> order(topics.words());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](uint64_t a, uint64_t b) {
    return topics.frequencies[a] > topics.frequencies[b];
  });
  order.resize(std::min<size_t>(order.size(), options.vocabulary));
  std::vector<ReportedEntry> entries(order.size());
  context.pool()->ParallelFor(order.size(), [&](size_t i) {
    context.ThrowIfInterrupted();
    ReportedEntry& entry = entries[i];
    entry.word = order[i];
    entry.frequency = topics.frequencies[entry.word];
    const auto row = topics.posterior.At(entry.word);
    std::vector<std::pair<double, size_t>> parts;
    for (size_t k = 0; k < topics.topics(); ++k) {
      const double part = topics.shares[k] * row[k] / topics.sums[k] / entry.frequency;
      if (part >= kSmallestPart) parts.emplace_back(-part, k);
    }
    std::sort(parts.begin(), parts.end());
    parts.resize(std::min<size_t>(parts.size(), options.word_topics));
    for (const auto& [part, k] : parts) {
      entry.topics.push_back({k, topics.Probability(entry.word, k)});
    }
  });
  return entries;
}

}  // namespace sda::report
