#include "topics/share_history.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <optional>
#include <random>

#include "sda/errors.h"

namespace sda {
namespace {

constexpr ShareHistory::Rules kRules = {.least = 0.002};

// A share of the tokens of a minibatch of `documents`, each of which has its own: so skewed that
// most have none of it.
class Shares {
 public:
  explicit Shares(uint64_t seed) : random_(seed) {}

  double Draw(double mean, int documents) {
    std::gamma_distribution<double> part(0.1 * mean / 0.01), rest(0.1 * (1 - mean) / 0.01);
    double sum = 0;
    for (int d = 0; d < documents; ++d) {
      const double a = part(random_);
      sum += a / (a + rest(random_));
    }
    return sum / documents;
  }

 private:
  std::mt19937_64 random_;
};

struct Found {
  int minibatch = 0;
  ShareHistory::Change change;
};

std::optional<Found> FirstChange(uint64_t seed, int documents, int minibatches,
                                 const std::function<double(int)>& mean) {
  Shares shares(seed);
  ShareHistory history;
  for (int m = 0; m < minibatches; ++m) {
    history.Add(shares.Draw(mean(m), documents), documents);
    if (const auto change = history.TakeChange(kRules)) return Found{m, *change};
  }
  return std::nullopt;
}

TEST(ShareHistoryTest, AMeanThatStaysIsNoChange) {
  int changes = 0;
  for (uint64_t series = 0; series < 100; ++series) {
    const double mean = series % 2 == 0 ? 0.01 : 0.002;
    changes += FirstChange(series, 50, 300, [&](int) { return mean; }).has_value();
  }
  EXPECT_LE(changes, 1) << "in 30,000 minibatches";
}

TEST(ShareHistoryTest, AnEndIsFoundSoon) {
  for (uint64_t series = 0; series < 10; ++series) {
    const auto found = FirstChange(series, 500, 120, [](int m) { return m < 100 ? 0.01 : 1e-5; });
    ASSERT_TRUE(found) << series;
    EXPECT_GE(found->minibatch, 100);
    EXPECT_LE(found->minibatch, 105) << "5% of the stream";
    EXPECT_NEAR(found->change.before, 0.01, 0.002);
    EXPECT_LT(found->change.now, 0.004);
    EXPECT_GT(found->change.probability, 0.9999999);
  }
}

TEST(ShareHistoryTest, SoIsSlowGrowth) {
  const auto found = FirstChange(3, 200, 400, [](int m) { return 0.01 * (1 + m / 100.0); });
  ASSERT_TRUE(found);
  EXPECT_GT(found->change.now, 1.5 * found->change.before);
  EXPECT_LT(found->minibatch, 200);
}

TEST(ShareHistoryTest, AChangeIsFoundOnceAndTheWayBackIsAnother) {
  Shares shares(4);
  ShareHistory history;
  std::vector<double> now;
  for (int m = 0; m < 300; ++m) {
    history.Add(shares.Draw(m >= 100 && m < 200 ? 0.04 : 0.01, 300), 300);
    if (const auto change = history.TakeChange(kRules)) now.push_back(change->now);
  }
  ASSERT_EQ(now.size(), 2u);
  EXPECT_GT(now[0], 0.02);
  EXPECT_LT(now[1], 0.02);
}

TEST(ShareHistoryTest, AVeryLongDocumentIsNoGrowth) {
  for (uint64_t series = 0; series < 20; ++series) {
    Shares shares(series);
    ShareHistory history;
    for (int m = 0; m < 60;
         ++m) {  // it is a tenth of a minibatch, and so is another one soon after
      const double share = shares.Draw(0.01, 500);
      history.Add(m == 30 || m == 31 ? share + 0.1 : share, 500);
      EXPECT_FALSE(history.TakeChange(kRules)) << m;
    }
  }
}

TEST(ShareHistoryTest, RareTopicsAndFewMinibatchesSayNothing) {
  EXPECT_FALSE(FirstChange(5, 500, 200, [](int m) { return m < 100 ? 0.0001 : 0.001; }));
  EXPECT_FALSE(FirstChange(5, 500, 6, [](int m) { return m < 5 ? 0.01 : 0.5; }));
  // All equal, and then one that hardly differs.
  ShareHistory history;
  for (int m = 0; m < 20; ++m) history.Add(0, 100);
  history.Add(0.003, 100);
  EXPECT_FALSE(history.TakeChange(kRules));
}

TEST(ShareHistoryTest, ContinuesFromItsJsonAsIfNothingHadHappened) {
  Shares shares(6);
  ShareHistory whole, stored;
  int changes = 0;
  for (int m = 0; m < 150; ++m) {
    const double share = shares.Draw(m < 100 ? 0.01 : 0.03, 300);
    stored = ShareHistory::FromJson(nlohmann::json::parse(stored.ToJson().dump()));
    whole.Add(share, 300);
    stored.Add(share, 300);
    const auto change = whole.TakeChange(kRules);
    const auto again = stored.TakeChange(kRules);
    ASSERT_EQ(change.has_value(), again.has_value());
    if (!change) continue;
    ++changes;
    EXPECT_EQ(change->before, again->before);
    EXPECT_EQ(change->probability, again->probability);
  }
  EXPECT_EQ(changes, 1);
}

TEST(ShareHistoryTest, RefusesForgedJson) {
  for (const char* text : {R"({})", R"({"before": [1, 2, 3], "recent": []})",
                           R"({"before": [-1, 2, 3, 4], "recent": []})",
                           R"({"before": [1, 2, 3, 4], "recent": ["x"]})"}) {
    EXPECT_ANY_THROW(ShareHistory::FromJson(nlohmann::json::parse(text))) << text;
  }
  nlohmann::json large = ShareHistory().ToJson();
  for (int i = 0; i < 100; ++i) large["recent"].push_back(0.5);
  EXPECT_THROW(ShareHistory::FromJson(large), InputError);
}

}  // namespace
}  // namespace sda
