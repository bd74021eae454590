#ifndef SDA_TESTS_REPORT_REPORT_TEST_UTIL_H_
#define SDA_TESTS_REPORT_REPORT_TEST_UTIL_H_

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "sda/model_report.h"

namespace sda {

inline constexpr double kEta = 0.1;

// A model with these tokens: a row for each word, a number for each topic.
inline TopicModel ModelOf(const std::vector<std::vector<double>>& tokens) {
  TopicModel model;
  const size_t topics = tokens[0].size();
  model.options.topics = static_cast<int>(topics);
  model.options.primitive = "gibbs";
  model.options.eta = kEta;
  model.options.alpha = {1.0 / static_cast<double>(topics)};
  model.posterior = KeyedRows(std::vector<double>(topics, kEta));
  for (size_t word = 0; word < tokens.size(); ++word) {
    model.vocabulary.push_back("word" + std::to_string(word));
    model.posterior.Add(word, tokens[word]);
    for (const double n : tokens[word]) model.tokens += static_cast<uint64_t>(n);
  }
  model.documents = 1 + model.tokens / 10;
  return model;
}

// Each topic has most of its tokens in a part of the words of its own, a few of them everywhere.
inline TopicModel RandomModel(size_t topics, size_t words, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::vector<double>> tokens(words, std::vector<double>(topics));
  for (size_t k = 0; k < topics; ++k) {
    for (size_t i = 0; i < 20 * words / topics + 20; ++i) {
      const size_t own = k * words / topics + random() % (words / topics);
      tokens[i % 4 == 0 ? random() % words : own][k] += 1 + static_cast<double>(random() % 9);
    }
  }
  return ModelOf(tokens);
}

// A document with these (word, count), which ascend.
inline void AddDocument(const std::vector<std::pair<uint32_t, uint32_t>>& bag, Documents* out) {
  for (const auto& [word, count] : bag) {
    out->words.push_back(word);
    out->counts.push_back(count);
  }
  out->offsets.push_back(out->words.size());
  out->numbers.push_back(out->size());
}

}  // namespace sda

#endif  // SDA_TESTS_REPORT_REPORT_TEST_UTIL_H_
