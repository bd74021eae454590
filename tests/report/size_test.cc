#include <gtest/gtest.h>

#include <cmath>

#include "report_test_util.h"

namespace sda {
namespace {

constexpr size_t kTopics = 500;
constexpr uint64_t kWords = 100'000;

// Words of a topic are as frequent as the harmonic series says, in an order of its own; a third of
// the tokens are in an order that all topics share.
TopicModel LargeModel() {
  std::mt19937_64 random(1);
  std::vector<std::vector<std::pair<uint32_t, float>>> tokens(kWords);
  for (int i = 0; i < 5'000'000; ++i) {
    const uint32_t topic = random() % kTopics;
    const double uniform = std::ldexp(static_cast<double>(random() >> 11), -53);
    const auto rank = static_cast<uint64_t>(std::pow(static_cast<double>(kWords), uniform)) - 1;
    const uint64_t order = i % 3 == 0 ? 0 : 1 + topic;
    tokens[(rank * 48'271 + order * 7'919 * 97) % kWords].emplace_back(topic, 1);
  }
  TopicModel model;
  model.options.topics = kTopics;
  model.options.eta = kEta;
  model.posterior = KeyedRows(std::vector<double>(kTopics, kEta));
  std::vector<double> row(kTopics);
  for (uint64_t word = 0; word < kWords; ++word) {
    std::fill(row.begin(), row.end(), 0);
    for (const auto& [topic, count] : tokens[word]) row[topic] += count;
    model.posterior.Add(word, row);
    model.vocabulary.push_back("word-of-the-model-" + std::to_string(word));
  }
  model.documents = 100'000;
  model.tokens = 5'000'000;
  return model;
}

TEST(ReportSizeTest, FiveHundredTopicsOf100000WordsAreAtMost20Megabytes) {
  const ModelReport report = MakeReport(LargeModel(), {});
  const std::string json = report.ToJson();
  EXPECT_LE(json.size(), 19'000'000u) << "without the page around it";
  EXPECT_GT(json.size(), 2'000'000u);
  EXPECT_EQ(report.entries.size(), kWords);
}

}  // namespace
}  // namespace sda
