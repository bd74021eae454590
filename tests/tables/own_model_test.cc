// A model on tables with an option of its own, which the library does not have: it is fitted,
// saved, loaded and refused by the code that fits all others.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sda/errors.h"
#include "sda/models.h"
#include "sda/tables.h"
#include "tables/table_fit_of.h"
#include "tests/base/temporary_file.h"

namespace sda {
namespace {

// How often the sum of a row is a multiple of a number: a coin that lands on heads then.
class Multiples : public ConjugateModel<Dense> {
 public:
  Multiples(uint64_t of, double heads) : of_(of), heads_(heads) {}
  Dense Prior() const override { return {heads_, 1}; }
  void AddStatistics(const Table& data, Dense* params) const override {
    for (size_t i = 0; i < data.size(); ++i) {
      double sum = 0;
      for (const double x : data.row(i)) sum += x;
      (*params)[static_cast<uint64_t>(sum) % of_ == 0 ? 0 : 1] += 1;
    }
  }
  std::vector<Estimate> Describe(const Dense& p) const override {
    return {{"multiples", p[0] / (p[0] + p[1]), 0, 0, 0}};
  }
  std::optional<std::string> FaultIn(const Dense& p) const override {
    if (p[0] > 0 && p[1] > 0) return std::nullopt;
    return "a count is not above 0";
  }

 private:
  uint64_t of_;
  double heads_;
};

TableModel MultiplesModel() {
  TableModel model;
  model.name = "multiples";
  model.summary = "share of rows whose sum is a multiple of a number";
  model.prior = {{"heads", 1}};
  model.kind = ColumnKind::kCount;
  model.options = {{"of", "The number", uint64_t{2}, {}}};
  model.make = [](const TableMaking& m) {
    return MakeFit(m, Multiples(m.Whole("of"), m.Prior("heads")));
  };
  return model;
}

TableModelList WithMultiples() {
  TableModelList models = BuiltInTableModels();
  models.Add(MultiplesModel());  // the one line
  return models;
}

TableFitOptions OptionsFor(const TemporaryFile& file) {
  TableFitOptions options;
  options.model = "multiples";
  options.inputs = {file.path()};
  return options;
}

TEST(OwnModel, IsFittedWithItsOption) {
  const TableModelList models = WithMultiples();
  const TemporaryFile file("a\n1\n2\n3\n4\n5\n6\n");
  TableFitOptions options = OptionsFor(file);
  TableSession by_two(options, {}, Context(), models);
  EXPECT_EQ(by_two.Run().counts.items, 6u);
  EXPECT_DOUBLE_EQ(by_two.Describe()[0].mean, 4.0 / 8);
  options.model_options["of"] = uint64_t{3};
  TableSession by_three(options, {}, Context(), models);
  by_three.Run();
  EXPECT_DOUBLE_EQ(by_three.Describe()[0].mean, 3.0 / 8);
}

TEST(OwnModel, IsSavedAndLoadedWithItsOption) {
  const TableModelList models = WithMultiples();
  const TemporaryFile file("a\n1\n2\n3\n4\n5\n6\n");
  TableFitOptions options = OptionsFor(file);
  options.model_options["of"] = uint64_t{3};
  TableSession session(options, {}, Context(), models);
  session.Run();
  const TemporaryFile saved("");
  session.Save(saved.path());
  const auto loaded = TableFit::Load(saved.path(), Context(), models);
  EXPECT_EQ(loaded->spec().options.at("of"), OptionValue(uint64_t{3}));
  EXPECT_DOUBLE_EQ(loaded->Describe()[0].mean, 3.0 / 8);
}

TEST(OwnModel, APosteriorThatIsNotValidIsNeitherSavedNorKeptInACheckpoint) {
  const TableModelList models = WithMultiples();
  const TemporaryFile file("a\n1\n2\n");
  TableFitOptions options = OptionsFor(file);
  options.prior["heads"] = -5;  // which this model does not check
  const TemporaryFile saved("the model before");
  const std::string folder = saved.path() + "_checkpoints";
  std::string failure;
  {
    TableSession session(options, {.checkpoint = folder}, Context(), models);
    session.Run();
    EXPECT_EQ(MessageOf<InputError>([&] { session.Save(saved.path()); }),
              saved.path() +
                  ": the posterior is not valid, so it is not saved, and what was there stays: a "
                  "count is not above 0; look for numbers in the data or the options that are far "
                  "too large");
    ASSERT_TRUE(session.checkpoint_failure());
    failure = MessageOf<InputError>([&] { std::rethrow_exception(session.checkpoint_failure()); });
  }
  EXPECT_EQ(failure.find(folder + ": the posterior is not valid, so it is not saved"), 0u);
  EXPECT_TRUE(CheckpointFolder(folder).empty());
  std::ifstream in(saved.path());
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "the model before");
  std::filesystem::remove_all(folder);
}

TEST(OwnModel, ItsOptionIsInTheJsonAndNotForOthers) {
  const TableModelList models = WithMultiples();
  const TemporaryFile file("a\n1\n");
  TableFitOptions options = OptionsFor(file);
  options.model_options["of"] = uint64_t{3};
  const TableFitOptions same = TableFitOptions::FromJson(options.ToJson(), models);
  EXPECT_EQ(same.model_options, options.model_options);
  options.model = "poisson";
  EXPECT_EQ(MessageOf<UsageError>([&] { options.Validate(models); }),
            "--of is not for --model poisson");
  EXPECT_THROW(TableFitOptions::FromJson(options.ToJson(), models), InputError);
}

TEST(OwnModel, NamesThatAreTakenAreRefused) {
  TableModelList models = WithMultiples();
  EXPECT_THROW(models.Add(MultiplesModel()), std::logic_error);
  TableModel other = MultiplesModel();
  other.name = "other";
  other.options[0].name = "target";
  EXPECT_THROW(models.Add(other), std::logic_error);
  other.options[0].name = "of";
  other.options[0].usual = 2.0;
  EXPECT_THROW(models.Add(other), std::logic_error);
}

}  // namespace
}  // namespace sda
