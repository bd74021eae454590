#include "tables/table_fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "sda/errors.h"

namespace sda {
namespace {

using ::testing::HasSubstr;

std::string TemporaryPath(const std::string& name) {
  return (std::filesystem::path(::testing::TempDir()) / name).string();
}

std::string WriteCsv(const std::string& name, const std::string& text) {
  const std::string path = TemporaryPath(name);
  std::ofstream(path) << text;
  return path;
}

std::unique_ptr<TableFit> FitCsv(const std::string& model, const std::string& path,
                                 const std::string& target = "") {
  const TableModel& info = FindTableModel(model);
  TableSource source({.inputs = {path},
                      .kind = info.kind,
                      .target = target,
                      .classes = info.classifies,
                      .minibatch = 2});
  auto fit = TableFit::Make({.model = model, .columns = source.columns()});
  fit->Fit(source);
  return fit;
}

void ExpectSameEstimates(const TableFit& a, const TableFit& b) {
  const auto x = a.Describe();
  const auto y = b.Describe();
  ASSERT_EQ(x.size(), y.size());
  for (size_t i = 0; i < x.size(); ++i) {
    EXPECT_EQ(x[i].name, y[i].name);
    EXPECT_EQ(x[i].mean, y[i].mean);
    EXPECT_EQ(x[i].lower, y[i].lower);
  }
}

TEST(TableFit, EveryModelIsTheSameAfterSavingAndLoading) {
  const std::string numbers = WriteCsv("fit.csv", "a,b\n1,0\n0,1\n1,1\n1,3\n0,0\n");
  const std::string bits = WriteCsv("bits.csv", "a,b\n1,0\n0,1\n1,1\n");
  for (const TableModel& model : TableModels()) {
    const bool binary = model.kind == ColumnKind::kBinary || model.classifies;
    const std::string path = binary ? bits : numbers;
    const auto fit = FitCsv(model.name, path, model.has_target ? "b" : "");
    const std::string saved = TemporaryPath("fit.safetensors");
    fit->Save(saved);
    const auto loaded = TableFit::Load(saved);
    EXPECT_EQ(loaded->spec().rows, fit->spec().rows) << model.name;
    EXPECT_EQ(loaded->spec().columns, fit->spec().columns) << model.name;
    ExpectSameEstimates(*fit, *loaded);
  }
}

TEST(TableFit, CategoriesThatAppearLateAreCounted) {
  const auto fit = FitCsv("categorical", WriteCsv("late.csv", "c\nx\nx\nx\ny\n\"z, or so\"\n"));
  const auto estimates = fit->Describe();
  ASSERT_EQ(estimates.size(), 3u);
  EXPECT_EQ(estimates[2].name, "share[c=z, or so]");
  EXPECT_DOUBLE_EQ(estimates[0].mean, 4.0 / 8);
}

TEST(TableFit, OnlyARegressionOrAMixturePredicts) {
  const std::string path = WriteCsv("predict.csv", "a,b\n1,0\n0,1\n1,1\n2,5\n");
  EXPECT_EQ(FitCsv("linear", path, "b")->Predict(Table{1, {1, 2}}).rows.size(), 2u);
  EXPECT_THROW(FitCsv("normal", path)->Predict(Table{1, {1}}), UsageError);
}

TEST(TableFit, UnknownModelsAndPriorsAreRefusedWithTheChoices) {
  auto message = [](const TableSpec& spec) -> std::string {
    try {
      TableFit::Make(spec);
      return "";
    } catch (const UsageError& e) {
      return e.what();
    }
  };
  EXPECT_EQ(message({.model = "coyn"}),
            "no model \"coyn\"; the models are lda, coin, categorical, normal, poisson, linear, "
            "probit, logistic, mixture");
  EXPECT_EQ(message({.model = "coin", .columns = {"x"}, .prior = {{"weight", 1}}}),
            "the prior of model coin has no \"weight\"; it has heads=1, tails=1");
  EXPECT_THAT(message({.model = "poisson", .columns = {"x"}, .prior = {{"shape", -1}}}),
              HasSubstr("prior shape is -1"));
}

TEST(TableFit, AFileThatIsNoModelIsRefusedByName) {
  const std::string path = WriteCsv("not_a_model", "hello, this is text and no model at all");
  try {
    TableFit::Load(path);
    FAIL() << "nothing was thrown";
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(), HasSubstr("not_a_model: is not a model"));
  }
}

}  // namespace
}  // namespace sda
