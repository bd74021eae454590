#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "sda/errors.h"
#include "sda/forgetting.h"
#include "sda/table_stream.h"
#include "sda/tables.h"
#include "tables/table_fit.h"
#include "tests/base/temporary_file.h"

namespace sda {
namespace {

constexpr int kRound = 200;

struct Case {
  std::string model;
  std::string columns;  // the first line
  bool has_target;
  std::map<std::string, OptionValue> options;
};

const std::vector<Case> kCases = {
    {"coin", "c", false, {}},
    {"poisson", "n", false, {}},
    {"normal", "x", false, {}},
    {"categorical", "k", false, {}},
    {"linear", "x,y", true, {}},
    {"probit", "x,w", true, {}},
    {"logistic", "x,w", true, {{"covariance", std::string("diagonal")}}},
    {"mixture", "x", false, {{"components", uint64_t{2}}}}};

// Rows whose distribution is another one from the row `change` on.
std::string Rows(const Case& of, int rows, int change, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::string text = of.columns + "\n";
  for (int i = 0; i < rows; ++i) {
    const bool after = i >= change;
    const double x = normal(random);
    const double u = std::uniform_real_distribution<double>()(random);
    std::string row;
    if (of.columns == "c") row = u < (after ? 0.8 : 0.2) ? "1" : "0";
    if (of.columns == "n") {
      row = std::to_string(std::poisson_distribution<int>(after ? 9 : 3)(random));
    }
    if (of.columns == "x")
      row = std::to_string(x + (u < 0.5 ? -4 : 4) * (of.model == "mixture") + 3 * after);
    if (of.columns == "k") row = u < (after ? 0.8 : 0.2) ? "red" : "blue";
    const double slope = after ? -2 : 2;
    if (of.columns == "x,y") row = std::to_string(x) + "," + std::to_string(slope * x + u);
    if (of.columns == "x,w") row = std::to_string(x) + "," + (slope * x + u > 0.5 ? "1" : "0");
    text += row + "\n";
  }
  return text;
}

TableFitOptions OptionsOf(const Case& of, const TemporaryFile& file) {
  TableFitOptions options;
  options.model = of.model;
  options.inputs = {file.path()};
  if (of.has_target) options.target = of.columns.substr(2);
  options.model_options = of.options;
  options.minibatch = kRound;
  options.half_life = kAutoHalfLife;
  return options;
}

ForgettingHistory HistoryOf(const TableFitOptions& options) {
  TableSession session(options, {}, Context(1));
  session.Run();
  return session.forgetting().value();
}

// A whole first minibatch forms a mixture's clusters.
int RowsIn(const Case& of) { return of.model == "mixture" ? 40'000 : 100 * kRound; }

TEST(LearntForgettingOfTables, EveryModelKeepsNearlyAllWithoutDrift) {
  for (const Case& of : kCases) {
    const int rows = RowsIn(of);
    const TemporaryFile file(Rows(of, rows, rows, 1), ".csv");
    const ForgettingHistory history = HistoryOf(OptionsOf(of, file));
    ASSERT_FALSE(history.points.empty()) << of.model;
    EXPECT_TRUE(history.change_points.empty()) << of.model;
    EXPECT_GT(history.points.back().effective, 0.7 * rows) << of.model;
  }
}

TEST(LearntForgettingOfTables, InEveryModelTheShareFallsAtAChange) {
  for (const Case& of : kCases) {
    const int rows = RowsIn(of);
    const int change = rows - 20 * kRound;
    const TemporaryFile file(Rows(of, rows, change, 1), ".csv");
    const ForgettingHistory history = HistoryOf(OptionsOf(of, file));
    ASSERT_EQ(history.change_points.size(), 1u) << of.model;
    EXPECT_NEAR(static_cast<double>(history.change_points[0].items), change, 3 * kRound)
        << of.model;
    EXPECT_LT(history.points.back().effective, 30 * kRound) << of.model;
  }
}

TEST(LearntForgettingOfTables, EightWorkersFindTheSameChangeAsOne) {
  const Case& of = kCases[2];
  const TemporaryFile file(Rows(of, 100 * kRound, 60 * kRound, 1), ".csv");
  TableFitOptions options = OptionsOf(of, file);
  const ForgettingHistory one = HistoryOf(options);
  for (const Schedule schedule : {Schedule::kSynchronous, Schedule::kAsynchronous}) {
    options.schedule = schedule;
    options.workers = 8;
    const ForgettingHistory eight = HistoryOf(options);
    ASSERT_EQ(eight.change_points.size(), 1u);
    EXPECT_NEAR(static_cast<double>(eight.change_points[0].items),
                static_cast<double>(one.change_points[0].items), 3 * kRound);
    EXPECT_NEAR(eight.points.back().effective, one.points.back().effective,
                0.3 * one.points.back().effective);
  }
}

TEST(LearntForgettingOfTables, AStreamOfPushedRowsLearnsItToo) {
  TableFitOptions options;
  options.model = "normal";
  options.half_life = kAutoHalfLife;
  options.minibatch = kRound;
  TableStream stream(options, {"x"}, Context(1));
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 60; ++i) {
    Table rows{1, {}};
    for (int r = 0; r < kRound; ++r) rows.values.push_back(normal(random) + 5 * (i >= 50));
    stream.Update(rows);
  }
  EXPECT_NEAR(stream.Describe()[0].mean, 5, 0.3);  // of all rows it is 0.8
  const TemporaryFile file("");
  stream.Save(file.path());
  TableStream loaded = TableStream::Load(file.path(), Context(1), options);
  EXPECT_DOUBLE_EQ(loaded.Describe()[0].mean, stream.Describe()[0].mean);
}

TEST(LearntForgettingOfTables, ItIsAnOptionAsTextAndNoNumber) {
  TableFitOptions options;
  options.model = "normal";
  options.inputs = {"x.csv"};
  options.half_life = kAutoHalfLife;
  const std::string json = options.ToJson();
  EXPECT_NE(json.find("\"half_life\":\"auto\""), std::string::npos) << json;
  EXPECT_EQ(TableFitOptions::FromJson(json).half_life, kAutoHalfLife);
  EXPECT_THROW(TableFitOptions::FromJson(R"({"model": "normal", "half_life": -1})"), InputError);
}

}  // namespace
}  // namespace sda
