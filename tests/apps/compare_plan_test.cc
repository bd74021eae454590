#include "compare/compare_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "sda/errors.h"

namespace sda {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;

PlanOptions Options() {
  PlanOptions options;
  options.documents = 16'489;
  options.cores = 2;
  options.primitives = {"vb", "gibbs"};
  return options;
}

std::set<double> XsOf(const std::vector<PlannedRun>& plan, const std::string& experiment) {
  std::set<double> xs;
  for (const PlannedRun& run : plan) {
    if (run.experiment == experiment) xs.insert(run.x);
  }
  return xs;
}

std::set<std::string> SeriesOf(const std::vector<PlannedRun>& plan, const std::string& experiment) {
  std::set<std::string> series;
  for (const PlannedRun& run : plan) {
    if (run.experiment == experiment) series.insert(run.series);
  }
  return series;
}

TEST(ComparePlan, HasThePointsOfThePaper) {
  const auto plan = MakePlan(Options());
  EXPECT_THAT(XsOf(plan, "workers"), ElementsAre(1, 2, 4, 8, 16, 32));
  EXPECT_THAT(XsOf(plan, "svi_documents"), ElementsAre(0.01, 0.1, 1, 10, 100));
  EXPECT_THAT(XsOf(plan, "minibatch"), ElementsAre(32, 128, 512, 2048, 8192));
  EXPECT_THAT(SeriesOf(plan, "minibatch"),
              ElementsAre("SDA, VB, eta 0.01", "SDA, VB, eta 1", "SVI, eta 0.01", "SVI, eta 1"));
  EXPECT_THAT(SeriesOf(plan, "table1"),
              IsSupersetOf({"SDA, VB, 32 workers", "SDA, VB, 1 worker", "SVI, told D", "SSU",
                            "SDA, Gibbs, 1 worker"}));
}

TEST(ComparePlan, SviIsToldTheDocumentsToLearnFrom) {
  for (const PlannedRun& run : MakePlan(Options())) {
    if (run.settings.algorithm != "svi") continue;
    const double factor = run.experiment == "svi_documents" ? run.x : 1;
    EXPECT_DOUBLE_EQ(run.settings.total_documents, factor * 16'489) << run.series;
  }
}

TEST(ComparePlan, RunsWithOneNameAreOneCommandAndTheOtherWayRound) {
  std::map<std::string, std::vector<std::string>> commands;
  std::set<std::vector<std::string>> distinct;
  PlanOptions options = Options();
  options.primitives.push_back("ep");
  options.part_documents = 1000;
  for (const PlannedRun& run : MakePlan(options)) {
    const auto [known, is_new] = commands.emplace(run.settings.Name(), run.settings.Arguments());
    EXPECT_EQ(known->second, run.settings.Arguments());
    EXPECT_EQ(distinct.insert(run.settings.Arguments()).second, is_new);
  }
}

TEST(ComparePlan, ExpectationPropagationHasARowOnlyIfTheProgramKnowsIt) {
  PlanOptions options = Options();
  EXPECT_EQ(SeriesOf(MakePlan(options), "table1").count("SDA, EP (1,000 documents)"), 0);
  options.primitives.push_back("ep");
  options.part_documents = 1000;
  const auto plan = MakePlan(options);
  EXPECT_EQ(SeriesOf(plan, "table1").count("SDA, EP (1,000 documents)"), 1);
  for (const PlannedRun& run : plan) {
    EXPECT_EQ(run.settings.corpus == "part", run.series.ends_with("documents)")) << run.series;
  }
}

TEST(ComparePlan, ASmallCorpusIsAStreamToo) {
  for (const uint64_t documents : {20, 353, 8'000, 178'147}) {
    const uint64_t first = FirstMinibatchOf(documents), usual = UsualMinibatch(documents);
    EXPECT_LE(first + 8 * usual, documents);
  }
  EXPECT_EQ(FirstMinibatchOf(178'147), 32'768);
  EXPECT_EQ(UsualMinibatch(178'147), 4'096);
}

TEST(ComparePlan, WrongOptionsAreNamed) {
  PlanOptions options = Options();
  options.seeds = 0;
  EXPECT_THROW(
      try { MakePlan(options); } catch (const UsageError& e) {
        EXPECT_THAT(e.what(), HasSubstr("--seeds is 0"));
        throw;
      },
      UsageError);
}

}  // namespace
}  // namespace sda
