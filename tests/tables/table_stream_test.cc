#include "sda/table_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "sda/errors.h"
#include "sda/loop.h"
#include "tests/base/temporary_file.h"

namespace sda {
namespace {

using ::testing::HasSubstr;

TableFitOptions Of(const std::string& model) {
  TableFitOptions options;
  options.model = model;
  return options;
}

// Columns a, b and a target: 2 a - b + 1 and noise, or whether that is positive.
Table MakeRows(size_t rows, bool classes, uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Table table{3, {}};
  for (size_t i = 0; i < rows; ++i) {
    const double a = normal(random), b = 10 * normal(random) + 5;
    const double y = 2 * a - 0.1 * b + 1 + normal(random) / 4;
    table.values.insert(table.values.end(), {a, b, classes ? (y > 0 ? 1.0 : 0.0) : y});
  }
  return table;
}

const std::vector<std::string> kColumns = {"a", "b", "y"};

std::vector<Dictionary> Classes() {
  std::vector<Dictionary> names(3);
  names[2].NumberOf("0");
  names[2].NumberOf("1");
  return names;
}

TEST(TableStream, PushedPiecesAndOneFitGiveTheSameExactPosterior) {
  const Table rows = MakeRows(500, false);
  TableStream pushed(Of("linear"), kColumns, Context(1));
  for (const Table& part : Split(rows, 60)) pushed.Update(part);
  TableStream whole(Of("linear"), kColumns, Context(1));
  whole.Fit(rows);
  EXPECT_EQ(pushed.rows(), 500u);
  const auto a = pushed.Describe(), b = whole.Describe();
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].name, b[i].name);
    EXPECT_NEAR(a[i].mean, b[i].mean, 1e-9 * (1 + std::abs(b[i].mean)));
  }
  EXPECT_NEAR(a[1].mean, 2, 0.1);
}

TEST(TableStream, IsTheSessionThatReadsTheSameRowsFromAFile) {
  const Table rows = MakeRows(2500, true);
  std::string csv = "a,b,y\n";
  for (size_t i = 0; i < rows.size(); ++i) {
    char line[200];
    const auto row = rows.row(i);
    std::snprintf(line, sizeof(line), "%.17g,%.17g,%g\n", row[0], row[1], row[2]);
    csv += line;
  }
  const TemporaryFile file(csv, ".csv");
  TableFitOptions options = Of("logistic");
  options.inputs = {file.path()};
  options.target = "y";
  TableSession session(options);
  session.Run();
  TableStream stream(Of("logistic"), kColumns);
  stream.Fit(rows, Classes());
  const auto expected = session.Describe(), found = stream.Describe();
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].name, expected[i].name);
    EXPECT_EQ(found[i].mean, expected[i].mean);
    EXPECT_EQ(found[i].sd, expected[i].sd);
  }
  EXPECT_EQ(stream.Notes(), session.Notes());
}

TEST(TableStream, WhatIsSavedIsLoadedAndContinues) {
  const TemporaryFile file("", ".safetensors");
  TableStream stream(Of("logistic"), kColumns);
  stream.Update(MakeRows(500, true, 1), Classes());
  stream.Save(file.path());
  TableStream loaded = TableStream::Load(file.path());
  EXPECT_EQ(loaded.columns(), kColumns);
  EXPECT_EQ(loaded.rows(), 500u);
  stream.Update(MakeRows(500, true, 2), Classes());
  loaded.Update(MakeRows(500, true, 2), Classes());
  EXPECT_EQ(loaded.rows(), 1000u);
  EXPECT_NEAR(loaded.Describe()[1].mean, stream.Describe()[1].mean, 1e-6);
  const Table features{2, {3, 0, -3, 0}};
  const auto predicted = loaded.Predict(features);
  EXPECT_EQ(predicted.names[0], "probability");
  EXPECT_GT(predicted.rows[0][0], 0.9);
  EXPECT_LT(predicted.rows[1][0], 0.1);
}

TEST(TableStream, AFileHasTheModelAndTheCallerTheRun) {
  const TemporaryFile file("", ".safetensors");
  TableFitOptions forgetting = Of("linear");
  forgetting.half_life = 100;
  forgetting.prior["precision"] = 2;
  TableStream stream(forgetting, kColumns);
  stream.Update(MakeRows(500, false, 1));
  stream.Save(file.path());
  TableStream loaded = TableStream::Load(file.path(), Context(), forgetting);
  EXPECT_EQ(loaded.options().model, "linear");
  EXPECT_EQ(loaded.options().prior.at("precision"), 2);
  TableStream keeping = TableStream::Load(file.path());
  for (TableStream* s : {&stream, &loaded, &keeping}) s->Update(MakeRows(500, false, 2));
  EXPECT_EQ(loaded.Describe()[1].sd, stream.Describe()[1].sd);
  EXPECT_LT(keeping.Describe()[1].sd, 0.9 * stream.Describe()[1].sd);
}

TEST(TableStream, NamesClassesAndTheOneThatProbabilitiesAreOf) {
  TableStream stream(Of("probit"), kColumns);
  EXPECT_EQ(stream.positive_class(), "");
  std::vector<Dictionary> names(3);
  names[2].NumberOf("yes");
  names[2].NumberOf("no");
  stream.Update(MakeRows(500, true), names);
  EXPECT_EQ(stream.categories().back(), (std::vector<std::string>{"yes", "no"}));
  EXPECT_EQ(stream.positive_class(), "yes");
}

TEST(TableStream, ValuesThatAModelCannotTakeAreNamedAndChangeNothing) {
  const auto message = [](const std::string& model, std::vector<double> values) {
    TableStream stream(Of(model), {"a"});
    const std::string text = MessageOf<InputError>([&] { stream.Update({1, std::move(values)}); });
    EXPECT_EQ(stream.rows(), 0u);
    return text;
  };
  EXPECT_THAT(message("coin", {1, 2}), HasSubstr("row 2, column \"a\" is 2, must be 0 or 1"));
  EXPECT_THAT(message("poisson", {1.5}), HasSubstr("a whole number of at least 0"));
  EXPECT_THAT(message("normal", {NAN}), HasSubstr("a finite number"));
  EXPECT_THAT(message("normal", {1e200}), HasSubstr("1e150"));
  EXPECT_THAT(message("categorical", {0}), HasSubstr("the number of a category"));
  TableStream stream(Of("logistic"), kColumns);
  EXPECT_THAT(MessageOf<InputError>([&] {
                stream.Update({3, {1, 2, 3}}, Classes());
              }),
              HasSubstr("column \"y\" is 3, must be 0 or 1"));
  EXPECT_THAT(MessageOf<InputError>([&] {
                stream.Update({2, {1, 2}}, Classes());
              }),
              HasSubstr("2 columns, must have 3"));
}

TEST(TableStream, BadOptionsAreRefusedAtOnce) {
  TableFitOptions options = Of("coin");
  options.prior["heads"] = -1;
  EXPECT_THROW(TableStream(options, {"a"}), UsageError);
  EXPECT_THROW(TableStream(Of("magic"), {"a"}), UsageError);
  EXPECT_THROW(TableStream(Of("coin"), {}), UsageError);
  TableStream fresh(Of("coin"), {"a"});
  EXPECT_THROW(fresh.Describe(), UsageError);
}

TEST(TableStream, InterruptedItLearnsNothingMoreAndGoesOnLater) {
  const Table rows = MakeRows(3000, true);
  const Context context(1);
  TableStream stream(Of("logistic"), kColumns, context);
  stream.Update(rows, Classes());
  context.Interrupt();
  EXPECT_THROW(stream.Update(rows, Classes()), RunError);
  EXPECT_THROW(stream.Fit(rows, Classes()), RunError);
  EXPECT_EQ(stream.rows(), 3000u);
  context.ClearInterrupt();
  stream.Fit(rows, Classes());
  EXPECT_EQ(stream.rows(), 6000u);
}

// The third minibatch has a value that the model cannot take, which only its computation finds.
TEST(TableStream, RowsOfWholeMinibatchesAreCountedWhenALaterOneFails) {
  TableFitOptions options = Of("logistic");
  options.model_options["primitive"] = "vb";
  options.minibatch = 100;
  Table rows = MakeRows(300, true);
  rows.values[3 * 250] = 1e140;
  TableStream stream(options, kColumns, Context(1));
  EXPECT_THROW(stream.Fit(rows, Classes()), RunError);
  EXPECT_EQ(stream.rows(), 200u);
}

}  // namespace
}  // namespace sda
