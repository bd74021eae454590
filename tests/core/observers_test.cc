#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "tests/core/test_primitives.h"

namespace sda {
namespace {

using ::testing::HasSubstr;

const FunctionPrimitive<Numbers, Dense> kAddUp(AddUp);

TEST(Observer, IsToldOfEveryFoldAndOfTheEnd) {
  MemorySource<Numbers> source({{1, 1}, {1}, {1, 1, 1}});
  MemoryStore<Dense> store(Dense{0, 0});
  std::vector<uint64_t> items;
  int ends = 0;
  const Summary summary = sda::Run(source, kAddUp, store, {}, [&](const Summary& s) {
    if (s.finished) {
      ++ends;
      return;
    }
    items.push_back(s.counts.items);
    EXPECT_EQ(s.last_minibatch + 1, items.size());
    EXPECT_EQ(store.Read().params[1], static_cast<double>(s.counts.items)) << "may read the store";
  });
  EXPECT_EQ(items, (std::vector<uint64_t>{2, 3, 6}));
  EXPECT_EQ(ends, 1);
  EXPECT_EQ(summary.counts.items, 6u);
  EXPECT_FALSE(summary.stopped);
}

TEST(Observer, SeveralAreCalledInTurn) {
  std::string calls;
  const Observer both =
      Observers([&](const Summary&) { calls += "a"; }, [&](const Summary&) { calls += "b"; });
  both({});
  EXPECT_EQ(calls, "ab");
  Observers({}, {})({});  // empty ones are fine
}

std::string ShownBy(const std::vector<Summary>& summaries) {
  std::FILE* file = std::tmpfile();
  const Observer observer = ShowProgress(file, "rows");
  for (const Summary& summary : summaries) observer(summary);
  std::rewind(file);
  std::string text(10000, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  return text;
}

TEST(ShowProgress, WritesPlainLinesToAFileAtTimes) {
  const std::string text =
      ShownBy({{.counts = {.items = 1000}, .seconds = 0.5},
               {.minibatches = 2,
                .counts = {.items = 1234567},
                .seconds = 2,
                .staleness_max = 3,
                .staleness_sum = 3},
               {.counts = {.items = 1234568}, .seconds = 2.5},
               {.counts = {.items = 9999999}, .seconds = 100, .finished = true}});
  EXPECT_THAT(text, HasSubstr("1,234,567 rows  617,283/s  2.0 s  staleness 1.5 mean, 3 max\n"));
  EXPECT_THAT(text, HasSubstr("9,999,999 rows  99,999/s  1:40  done\n"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
  EXPECT_EQ(text.find('\r'), std::string::npos);
}

TEST(ShowProgress, IsQuietInAShortRun) {
  EXPECT_EQ(ShownBy({{.counts = {.items = 10}, .seconds = 0.1},
                     {.counts = {.items = 10}, .seconds = 0.2, .finished = true}}),
            "");
}

TEST(ToJson, NamesTheItems) {
  const auto json = nlohmann::json::parse(ToJson({.minibatches = 2,
                                                  .counts = {.items = 6},
                                                  .seconds = 3,
                                                  .staleness_max = 1,
                                                  .staleness_sum = 1},
                                                 "documents"));
  EXPECT_EQ(json["documents"], 6);
  EXPECT_EQ(json["documents_per_second"], 2.0);
  EXPECT_EQ(json["staleness_mean"], 0.5);
  EXPECT_EQ(json["stopped"], false);
}

TEST(Summary, OfAnEarlierAndALaterRunHasTheSumsAndTheStateOfTheLater) {
  Summary whole{.minibatches = 3,
                .counts = {.items = 30, .tokens = 300, .skipped = 2, .bad = 1},
                .duplicates = 1,
                .last_minibatch = 2,
                .seconds = 4,
                .computing_seconds = 3,
                .prediction = {-10, 5},
                .last_prediction = {-1, 1},
                .staleness_last = 2,
                .staleness_max = 7,
                .staleness_sum = 12,
                .stopped = true,
                .finished = true};
  whole += {.minibatches = 2,
            .counts = {.items = 20, .tokens = 100, .skipped = 1, .bad = 4},
            .duplicates = 3,
            .last_minibatch = 4,
            .seconds = 1,
            .computing_seconds = 0.5,
            .prediction = {-6, 2},
            .last_prediction = {-2, 1},
            .staleness_last = 1,
            .staleness_max = 3,
            .staleness_sum = 3};
  EXPECT_EQ(whole.minibatches, 5u);
  EXPECT_EQ(whole.counts, (Counts{50, 400, 3, 5}));
  EXPECT_EQ(whole.duplicates, 4u);
  EXPECT_EQ(whole.last_minibatch, 4u);
  EXPECT_EQ(whole.seconds, 5);
  EXPECT_EQ(whole.computing_seconds, 3.5);
  EXPECT_EQ(whole.prediction.log_sum, -16);
  EXPECT_EQ(whole.prediction.tested, 7u);
  EXPECT_EQ(whole.last_prediction.log_sum, -2);
  EXPECT_EQ(whole.staleness_last, 1u);
  EXPECT_EQ(whole.staleness_max, 7u);
  EXPECT_EQ(whole.staleness_sum, 15u);
  EXPECT_EQ(whole.staleness_mean(), 3);
  EXPECT_FALSE(whole.stopped);
  EXPECT_FALSE(whole.finished);
  whole += {.whole_round = false};  // a run that has folded nothing yet
  EXPECT_EQ(whole.last_minibatch, 4u);
}

TEST(Summary, IsTheSameAfterACheckpoint) {
  const Summary summary{.minibatches = 3,
                        .counts = {.items = 30, .tokens = 300, .skipped = 2, .bad = 1},
                        .duplicates = 1,
                        .last_minibatch = 2,
                        .seconds = 1.0 / 3,
                        .computing_seconds = 0.1,
                        .prediction = {-1e7 / 3, 5},
                        .staleness_last = 2,
                        .staleness_max = 7,
                        .staleness_sum = 12};
  const Summary read = DeserializeSummary(SerializeSummary(summary));
  EXPECT_EQ(SerializeSummary(read), SerializeSummary(summary));
  EXPECT_EQ(read.counts, summary.counts);
  EXPECT_EQ(read.last_minibatch, 2u);
  EXPECT_EQ(read.seconds, summary.seconds);
  EXPECT_EQ(read.computing_seconds, summary.computing_seconds);
  EXPECT_EQ(read.prediction.log_sum, summary.prediction.log_sum);
  EXPECT_EQ(read.staleness_max, 7u);
  EXPECT_EQ(read.staleness_mean(), 4);
  EXPECT_THROW(DeserializeSummary("{}"), InputError);
  EXPECT_THROW(DeserializeSummary("no JSON"), InputError);
}

}  // namespace
}  // namespace sda
