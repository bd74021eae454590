// Topics of several runs: which are matched, which count as found again, and the runs themselves.

#include "sda/topic_stability.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numeric>
#include <random>

#include "base/model_file.h"
#include "sda/errors.h"
#include "sda/seed_runs.h"
#include "tests/base/temporary_file.h"
#include "tests/topics/topic_test_util.h"
#include "topics/assignment.h"
#include "topics/topic_stability_json.h"

namespace sda {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

double SumOf(const std::vector<double>& values, const std::vector<size_t>& columns) {
  double sum = 0;
  for (size_t i = 0; i < columns.size(); ++i) sum += values[i * columns.size() + columns[i]];
  return sum;
}

TEST(Assignment, IsAsLargeAsTheBestOfAllPermutations) {
  std::mt19937_64 random(3);
  for (size_t size = 1; size <= 6; ++size) {
    for (int trial = 0; trial < 300; ++trial) {
      std::vector<double> values(size * size);
      // Many are equal in half of the trials, or negative in the others.
      for (double& value : values) {
        value = trial % 2 == 0 ? static_cast<double>(random() % 3)
                               : std::normal_distribution<double>()(random);
      }
      std::vector<size_t> columns(size);
      std::iota(columns.begin(), columns.end(), size_t{0});
      double best = SumOf(values, columns);
      while (std::next_permutation(columns.begin(), columns.end())) {
        best = std::max(best, SumOf(values, columns));
      }
      const std::vector<size_t> found = LargestAssignment(values, size);
      EXPECT_TRUE(std::is_permutation(found.begin(), found.end(), columns.begin()));
      EXPECT_NEAR(SumOf(values, found), best, 1e-12) << size << ", trial " << trial;
    }
  }
  EXPECT_TRUE(LargestAssignment({}, 0).empty());
}

// Topics with words of their own, a thousandth of eta for the others; some words have no row.
KeyedRows RandomTopics(size_t topics, uint64_t words, uint64_t seed) {
  std::mt19937_64 random(seed);
  KeyedRows rows(std::vector<double>(topics, 0.1));
  for (uint64_t word = 0; word < words; word += 1 + random() % 2) {
    std::vector<double> row(topics, 0.1);
    row[random() % topics] += static_cast<double>(1 + random() % 100);
    rows.Set(word, row);
  }
  return rows;
}

// The same with topic k as topic to[k], and another scale and order of the words.
KeyedRows Permuted(const KeyedRows& topics, const std::vector<size_t>& to, double scale) {
  std::vector<double> row(topics.width(), 0.1 * scale);
  KeyedRows permuted(row);
  for (size_t r = topics.rows(); r-- > 0;) {
    for (size_t k = 0; k < to.size(); ++k) row[to[k]] = scale * topics.row(r)[k];
    permuted.Set(topics.key(r), row);
  }
  return permuted;
}

TEST(MatchTopics, RecoversAPlantedPermutation) {
  constexpr size_t kTopics = 30;
  constexpr uint64_t kWords = 1500;  // more than are multiplied at a time
  const KeyedRows ours = RandomTopics(kTopics, kWords, 1);
  std::vector<size_t> to(kTopics);
  std::iota(to.begin(), to.end(), size_t{0});
  std::shuffle(to.begin(), to.end(), std::mt19937_64(2));
  const auto matches = MatchTopics(ours, Permuted(ours, to, 3), kWords);
  ASSERT_EQ(matches.size(), kTopics);
  for (size_t k = 0; k < kTopics; ++k) {
    EXPECT_EQ(matches[k].topic, to[k]);
    EXPECT_NEAR(matches[k].cosine, 1, 1e-12);
    EXPECT_LE(matches[k].cosine, 1);
  }
}

TEST(MatchTopics, HasTheCosineOfAllWordsThoseNeverSeenToo) {
  KeyedRows ours(std::vector<double>{1, 1});
  KeyedRows theirs(std::vector<double>{1, 1});
  ours.Set(0, std::vector<double>{3, 1});
  theirs.Set(2, std::vector<double>{1, 5});
  // Of 4 words: (3, 1, 1, 1) and (1, 1, 1, 1) against (1, 1, 1, 1) and (1, 1, 5, 1).
  const auto matches = MatchTopics(ours, theirs, 4);
  EXPECT_THAT(matches[0].topic, 0u);
  EXPECT_NEAR(matches[0].cosine, 6 / std::sqrt(12 * 4.0), 1e-12);
  EXPECT_NEAR(matches[1].cosine, 8 / std::sqrt(28 * 4.0), 1e-12);
}

TEST(Stability, CountsTheRunsAndAveragesTheOthers) {
  const TopicStability stability =
      StabilityFrom(3, {{{0, 0.95}, {1, 0.9}, {2, 0.2}}, {{2, 0.85}, {1, 1}, {0, 0}}});
  EXPECT_EQ(stability.runs, 3u);
  EXPECT_THAT(stability.found_by, ElementsAre(2, 3, 1));
  EXPECT_THAT(stability.cosine, ElementsAre(::testing::DoubleEq(0.9), ::testing::DoubleEq(0.95),
                                            ::testing::DoubleEq(0.1)));
  EXPECT_EQ(StabilityFromJson(json::parse(StabilityToJson(stability).dump())), stability);
}

TEST(Stability, WhatCannotBeIsRefused) {
  const json good = StabilityToJson({.runs = 2, .found_by = {1, 2}, .cosine = {0.5, 1}});
  StabilityFromJson(good);
  for (const auto& [key, value] : std::vector<std::pair<std::string, json>>{{"found_by", {0, 2}},
                                                                            {"found_by", {3, 2}},
                                                                            {"found_by", {1}},
                                                                            {"found_by", {1.5, 2}},
                                                                            {"cosine", {0.5, 1.5}},
                                                                            {"cosine", {-1, 1}},
                                                                            {"cosine", {"a", 1}},
                                                                            {"runs", -1}}) {
    json bad = good;
    bad[key] = value;
    EXPECT_THROW(StabilityFromJson(bad), InputError) << bad;
  }
  EXPECT_THROW(StabilityFromJson(json::array()), InputError);
}

TEST(Stability, ModelsKeepItAndThoseThatContinueDropIt) {
  TopicOptions options;
  options.topics = 2;
  TopicSession session(options, WordNames(8), Context(1));
  session.Update(MakeDocuments(20, 8, 1));
  TopicModel model = session.Snapshot();
  const TemporaryFile file("");
  SaveTopicModel(model, file.path());
  EXPECT_FALSE(LoadTopicModel(file.path()).stability);
  model.stability = {.runs = 4, .found_by = {1, 4}, .cosine = {0.25, 0.999}};
  SaveTopicModel(model, file.path());
  EXPECT_EQ(LoadTopicModel(file.path()).stability, model.stability);
  TopicSession continued(LoadTopicModel(file.path()), Context(1));
  continued.Update(MakeDocuments(20, 8, 2));
  EXPECT_FALSE(continued.Snapshot().stability);
  model.stability->found_by.push_back(1);
  model.stability->cosine.push_back(1);
  SaveTopicModel(model, file.path());
  EXPECT_THROW(LoadTopicModel(file.path()), InputError) << "of three topics";
}

class SeedRunsTest : public ::testing::Test {
 protected:
  SeedRunsTest() {
    std::ofstream out(texts_.path());
    for (int d = 0; d < 300; ++d) {
      for (int i = 0; i < 20; ++i) out << "w" << char('a' + d % 3) << char('a' + d * i % 7) << "x ";
      out << "\n";
    }
    options_.inputs = {texts_.path()};
    options_.output = model_.path();
    options_.topics.topics = 3;
    options_.topics.format = "text";
  }
  std::string Refusal(int seeds = 3) {
    return MessageOf<UsageError>([&] { SeedRuns(options_, seeds, Context(1)); });
  }

  const TemporaryFile texts_{""};
  const TemporaryFile model_{""};
  TopicFitOptions options_;
};

TEST_F(SeedRunsTest, TheModelIsThatOfTheFirstSeed) {
  TopicFit(options_, Context(1)).Run();
  const TopicModel alone = LoadTopicModel(model_.path());
  std::vector<int> watched;
  std::vector<std::string> said;
  const Context context(1, {}, [&](const std::string& line) { said.push_back(line); });
  SeedRuns runs(options_, 3, context, [&](int run) {
    watched.push_back(run);
    return TopicFit::Watchers();
  });
  const TopicReport report = runs.Run();
  const TopicModel model = LoadTopicModel(model_.path());
  EXPECT_EQ(model.posterior.Serialize(), alone.posterior.Serialize());
  EXPECT_EQ(model.options.seed, 1u);
  ASSERT_TRUE(model.stability);
  EXPECT_EQ(model.stability, report.stability);
  EXPECT_EQ(model.stability->runs, 3u);
  EXPECT_EQ(model.stability->found_by.size(), 3u);
  EXPECT_THAT(watched, ElementsAre(1, 2, 3));
  EXPECT_THAT(said, ::testing::Contains("run 2 of 3, with seed 2"));
}

TEST_F(SeedRunsTest, AStopInALaterRunKeepsTheOnesBefore) {
  const Context context(1);
  SeedRuns runs(options_, 4, context, [&](int run) {
    if (run == 3) context.RequestStop();
    return TopicFit::Watchers();
  });
  EXPECT_EQ(runs.Run().stability->runs, 2u);
  EXPECT_EQ(LoadTopicModel(model_.path()).stability->runs, 2u);
}

TEST_F(SeedRunsTest, AnInputThatChangesIsAnErrorAndTheFirstModelStays) {
  SeedRuns runs(options_, 2, Context(1), [&](int run) {
    if (run == 2) std::ofstream(texts_.path(), std::ios::app) << "wax wbx wcx\n";
    return TopicFit::Watchers();
  });
  EXPECT_THAT(MessageOf<InputError>([&] { runs.Run(); }),
              HasSubstr("the input has changed: run 2 "));
  EXPECT_FALSE(LoadTopicModel(model_.path()).stability);
}

TEST_F(SeedRunsTest, WhatDoesNotGoWithSeveralIsRefusedByName) {
  EXPECT_THAT(Refusal(0), HasSubstr("--seeds is 0"));
  const TopicFitOptions good = options_;
  options_.topics.follow = true;
  EXPECT_THAT(Refusal(), HasSubstr("--seeds does not go with --follow: "));
  options_ = good;
  options_.checkpoint = "folder";
  EXPECT_THAT(Refusal(), HasSubstr("--seeds does not go with --checkpoint"));
  options_ = good;
  options_.from = "model";
  EXPECT_THAT(Refusal(), HasSubstr("--seeds does not go with --from: "));
  options_ = good;
  options_.inputs.push_back("-");
  EXPECT_THAT(Refusal(), HasSubstr("--seeds does not go with standard input: "));
  options_ = good;
  options_.topics.seed = ~uint64_t{0} - 1;
  EXPECT_THAT(Refusal(), HasSubstr("the last seed must be at most"));
}

}  // namespace
}  // namespace sda
