#include "sda/over_time.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "sda/documents.h"
#include "sda/errors.h"
#include "sda/keyed_rows.h"

namespace sda {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr int64_t kDay = 86'400'000;
constexpr int64_t kAt2000 = 10957 * kDay;
constexpr size_t kTopics = 3;

// A minibatch with a document of one token at each of these times: of topic 0 and a word that
// `word` says.
OverTime Minibatch(const std::vector<int64_t>& times, const OverTimeOptions& options = {},
                   uint64_t word = 7) {
  OverTime sums(kTopics, options);
  const std::vector<int64_t> buckets = sums.Place(times);
  for (const int64_t bucket : buckets) {
    if (bucket == OverTime::kNoBucket) {
      sums.AddUndated(1, 1);
      continue;
    }
    OverTime::Sums& of_bucket = sums.At(bucket);
    ++of_bucket.documents;
    ++of_bucket.tokens;
    of_bucket.draws[0] += OverTime::kDraws;
    of_bucket.variances[0] += 0.25;
    of_bucket.shifts[1] += 0.5;
    if (of_bucket.words.empty()) of_bucket.words = {{word, 0, 0}};
    of_bucket.words[0].draws += OverTime::kDraws;
  }
  sums.Fit();
  return sums;
}

std::string Bytes(const OverTime& sums) {
  std::string bytes;
  sums.SerializeTo([&](std::string_view part) { bytes.append(part); });
  return bytes;
}

TEST(OverTimeTest, MinibatchesAddUpInAnyOrder) {
  const OverTime a = Minibatch({kAt2000, kAt2000 + kDay});
  const OverTime b = Minibatch({kAt2000 + kDay, kAt2000 + 40 * kDay}, {}, 8);
  OverTime ab = a;
  ab.Add(b);
  OverTime ba = b;
  ba.Add(a);
  EXPECT_EQ(ab.Buckets().size(), 3);
  EXPECT_EQ(ab.documents(), 4);
  const OverTime::Sums sums = ab.Between(INT64_MIN, INT64_MAX);
  EXPECT_EQ(sums, ba.Between(INT64_MIN, INT64_MAX));
  EXPECT_EQ(sums.tokens, 4);
  EXPECT_EQ(sums.Tokens(0), 4);
  EXPECT_THAT(sums.words, ElementsAre(OverTime::WordDraws{7, 0, 6}, OverTime::WordDraws{8, 0, 6}));
  EXPECT_EQ(ab.CutDraws(), 0);
}

TEST(OverTimeTest, APeriodIsTheSumOfItsBuckets) {
  std::vector<int64_t> times;
  for (int day = 0; day < 90; ++day) times.push_back(kAt2000 + day * kDay);
  const OverTime sums = Minibatch(times);
  OverTime::Sums january;
  for (const auto& bucket : sums.Buckets()) {
    if (bucket.begin < kAt2000 + 31 * kDay) january.Add(*bucket.sums);
  }
  EXPECT_EQ(january, sums.Between(kAt2000, kAt2000 + 31 * kDay));
  EXPECT_EQ(january.documents, 31);
  OverTime::Sums both = january;
  both.Add(sums.Between(kAt2000 + 31 * kDay, INT64_MAX));
  EXPECT_EQ(both, sums.Between(INT64_MIN, INT64_MAX));
}

TEST(OverTimeTest, CountsWhatIsLateAndWhatHasNoTime) {
  OverTime sums = Minibatch({kAt2000 + 9 * kDay, kNoTime});
  sums.Add(Minibatch({kAt2000, kAt2000 + 9 * kDay, kAt2000 + 20 * kDay}));
  sums.Add(Minibatch({kAt2000 + 10 * kDay, kNoTime, kNoTime}));
  EXPECT_EQ(sums.late_documents(), 2);
  EXPECT_EQ(sums.undated_documents(), 3);
  EXPECT_EQ(sums.undated_tokens(), 3);
  EXPECT_EQ(sums.documents() + sums.undated_documents(), 8);
}

TEST(OverTimeTest, TimesOutsideTheCalendarHaveNoBucket) {
  const int64_t year0 = -62'167'219'200'000;
  const int64_t year10000 = 253'402'300'800'000;
  const OverTime sums = Minibatch(
      {year0, year0 - 1, year10000 - 1, year10000, INT64_MAX, INT64_MIN + 1, -1, kNoTime});
  EXPECT_EQ(sums.documents(), 3);
  EXPECT_EQ(sums.undated_documents(), 5);
  EXPECT_EQ(OverTime::Deserialize(Bytes(sums)), sums);
}

TEST(OverTimeTest, BucketsBecomeLongerWithinTheMemory) {
  std::mt19937_64 random(1);
  for (const char* bucket : {"day", "week", "month"}) {
    OverTimeOptions options{.bucket = bucket, .memory = 1 << 17};
    OverTime sums(kTopics, options);
    uint64_t documents = 0;
    for (int i = 0; i < 30; ++i) {
      std::vector<int64_t> times;
      for (int d = 0; d < 500; ++d) {
        times.push_back(static_cast<int64_t>(random() % 315'569'520'000'000) - 62'167'219'200'000);
      }
      sums.Add(Minibatch(times, options, random() % 1000));
      documents += times.size();
      EXPECT_LE(sums.Bytes(), options.memory);
    }
    EXPECT_EQ(sums.documents(), documents) << bucket;
    EXPECT_STRNE(sums.unit(), bucket);
    const OverTime::Sums all = sums.Between(INT64_MIN, INT64_MAX);
    EXPECT_EQ(all.Tokens(0), static_cast<double>(documents));
    EXPECT_EQ(OverTime::Deserialize(Bytes(sums)), sums);
  }
}

TEST(OverTimeTest, TheRarestWordsOfATopicAreCutWithinTheMemory) {
  const OverTimeOptions options{.bucket = "day", .memory = 1 << 16};
  OverTime sums(kTopics, options);
  for (uint64_t i = 0; i < 20'000; ++i) {
    sums.Add(Minibatch({kAt2000}, options, i % 2 == 0 ? 0 : i));
    ASSERT_LE(sums.Bytes(), options.memory);
  }
  const OverTime::Sums& day = *sums.Buckets()[0].sums;
  EXPECT_EQ(day.documents, 20'000);
  EXPECT_EQ(day.TopWords(0, 1)[0], (OverTime::WordDraws{0, 0, 10'000 * OverTime::kDraws}));
  double kept = 0;
  for (const auto& word : day.words) kept += word.draws;
  EXPECT_GT(sums.CutDraws(), 0);
  EXPECT_EQ(kept + sums.CutDraws(), 20'000 * OverTime::kDraws);
}

TEST(OverTimeTest, BucketsThatDoNotGoTogetherAreRefused) {
  OverTime weeks = Minibatch({kAt2000}, {.bucket = "week"});
  EXPECT_THROW(weeks.Add(Minibatch({kAt2000}, {.bucket = "month"})), InputError);
  OverTime months = Minibatch({kAt2000}, {.bucket = "month"});
  months.Add(Minibatch({kAt2000 + kDay}, {.bucket = "day"}));
  EXPECT_STREQ(months.unit(), "month");
  OverTime days = Minibatch({kAt2000}, {.bucket = "day"});
  days.Add(months);
  EXPECT_STREQ(days.unit(), "month");
  EXPECT_EQ(days.documents(), 3);
  EXPECT_THROW(OverTime(1, {.bucket = "hour"}), UsageError);
  EXPECT_THROW(OverTime(1, {.memory = 1}), UsageError);
}

TEST(OverTimeTest, DamagedBytesAreRefused) {
  const std::string bytes = Bytes(Minibatch({kAt2000, kAt2000 + kDay, kNoTime}));
  EXPECT_EQ(Bytes(OverTime::Deserialize(bytes)), bytes);
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_THROW(OverTime::Deserialize(bytes.substr(0, size)), InputError) << size;
  }
  EXPECT_THROW(OverTime::Deserialize(bytes + "x"), InputError);
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) {
    std::string other = bytes;
    other[random() % other.size()] ^= static_cast<char>(1 << random() % 8);
    try {
      OverTime::Deserialize(other).Between(INT64_MIN, INT64_MAX);
    } catch (const InputError&) {
    }
  }
}

TEST(OverTimeTest, FollowSumsOfRowsAndNoDiscount) {
  const KeyedRows prior({1, 1, 1});
  KeyedRows change(std::vector<double>{0, 0, 0});
  change.Add(7, std::vector<double>{2, 0, 0});
  KeyedRows without = prior;
  without += change;
  change.SetOverTime(Minibatch({kAt2000, kAt2000}));
  KeyedRows posterior = prior;
  posterior += change;
  DiscountTowards(prior, 0.5, &posterior, nullptr);
  posterior *= 1;
  posterior += change;
  ASSERT_NE(posterior.over_time(), nullptr);
  EXPECT_EQ(posterior.over_time()->documents(), 4);
  EXPECT_EQ(posterior.over_time()->Between(INT64_MIN, INT64_MAX).Tokens(0), 4);
  const KeyedRows copy = posterior;
  posterior += change;
  EXPECT_EQ(copy.over_time()->documents(), 4);
  EXPECT_EQ(posterior.over_time()->documents(), 6);
  KeyedRows part;
  posterior.CopyTo({.everything = false, .keys = {7}}, &part);
  EXPECT_EQ(part.over_time(), nullptr);

  const KeyedRows again = KeyedRows::Deserialize(posterior.Serialize());
  EXPECT_EQ(*again.over_time(), *posterior.over_time());
  EXPECT_EQ(again.Serialize(), posterior.Serialize());
  KeyedRows cleared = prior;
  cleared += change;
  cleared.ClearOverTime();
  EXPECT_EQ(cleared.Serialize(), without.Serialize());
  EXPECT_THROW(KeyedRows(std::vector<double>{1.0}).SetOverTime(Minibatch({kAt2000})),
               std::logic_error);
}

TEST(OverTimeTest, ASharesIntervalHasItsMeanAndWholeTokens) {
  const OverTime sums = Minibatch({kAt2000, kAt2000});
  const OverTime::Sums& day = *sums.Buckets()[0].sums;
  const auto share = day.ShareOf(1);
  EXPECT_EQ(share.mean, 0);
  EXPECT_EQ(share.lower, 0);
  EXPECT_EQ(share.upper, 0.25);  // half a token of two
  OverTime::Sums uncertain = day;
  uncertain.tokens = 100;
  uncertain.draws = {60, 240, 0};
  uncertain.variances = {4, 4, 0};
  uncertain.shifts.assign(kTopics * OverTime::kShifts, 0.0);
  const auto known = uncertain.ShareOf(0);
  EXPECT_DOUBLE_EQ(known.mean, 0.2);
  EXPECT_LT(known.lower, 0.2 - 0.03);
  EXPECT_GT(known.lower, 0.2 - 0.08);
  uncertain.shifts.assign(kTopics * OverTime::kShifts, 5.0);
  const auto shifted = uncertain.ShareOf(0);
  uncertain.draws = {1, 299, 0};  // a third of a token, which may as well be none
  const auto small = uncertain.ShareOf(0);
  EXPECT_EQ(small.lower, 0);
  EXPECT_GT(small.upper, small.mean);
  EXPECT_LT(shifted.lower, known.lower);
  EXPECT_GT(shifted.upper, known.upper);
}

}  // namespace
}  // namespace sda
