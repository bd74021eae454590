#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/text.h"
#include "compare/compare_figures.h"
#include "compare/compare_results.h"
#include "tests/base/temporary_file.h"

namespace sda {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

// Scores by the row of the table and the seed.
Comparison Made(const std::map<std::string, std::vector<double>>& scores) {
  Comparison comparison;
  comparison.command = "sda compare x";
  comparison.corpus.documents = comparison.options.documents = 1000;
  comparison.options.workers = 4;
  comparison.options.seeds = 2;
  comparison.options.primitives = {"vb", "gibbs"};
  for (const PlannedRun& run : MakePlan(comparison.options)) {
    const auto row = scores.find(run.series);
    if (run.experiment != "table1" || row == scores.end()) continue;
    comparison.plan.push_back(run);
    RunResult result;
    result.name = run.settings.Name();
    result.score = row->second.at(run.settings.seed - 1);
    result.documents = 1000;
    result.eta = 0.3;
    result.wall_seconds = 1.5;
    comparison.results[result.name] = result;
  }
  return comparison;
}

TEST(CompareReport, ADifferenceBeyondTheSeedsIsSaidToBeOne) {
  const auto findings =
      Findings(Made({{"SDA, VB, 1 worker", {-7.5, -7.52}}, {"SVI, told D", {-7.6, -7.62}}}));
  EXPECT_THAT(findings, Contains(HasSubstr("best score is that of “SDA, VB, 1 worker”, −7.510 "
                                           "(mean of 2 seeds, −7.520 to −7.500)")));
  EXPECT_THAT(findings, Contains(HasSubstr("0.100 higher (beyond seed-to-seed variation)")));
}

TEST(CompareReport, ADifferenceWithinTheSeedsIsSaidToBeNone) {
  const auto findings =
      Findings(Made({{"SDA, VB, 1 worker", {-7.5, -7.62}}, {"SVI, told D", {-7.6, -7.54}}}));
  EXPECT_THAT(findings, Contains(HasSubstr("(within seed-to-seed variation)")));
  EXPECT_THAT(findings, Not(Contains(HasSubstr("(beyond seed-to-seed variation)"))));
}

TEST(CompareReport, TheBestIsTheBestWhicheverItIs) {
  const auto findings = Findings(
      Made({{"SDA, VB, 1 worker", {-9, -9}}, {"SSU", {-7, -7.1}}, {"SVI, told D", {-8, -8}}}));
  EXPECT_THAT(findings, Contains(HasSubstr("best score is that of “SSU”")));
  EXPECT_THAT(findings, Contains(HasSubstr("against SVI that is told D: 1.000 lower")));
}

TEST(CompareReport, TheAdviceIsOneSentenceAboutTheBest) {
  EXPECT_EQ(Advice(Made({{"SDA, VB, 1 worker", {-7.5, -7.5}},
                         {"sda fit, no options", {-7.4, -7.4}},
                         {"SSU", {-7.45, -7.45}}})),
            "For these documents, use “sda fit, no options”: it scores −7.400 (mean of 2 seeds, "
            "−7.400 to −7.400); the next best, “SSU”, scores 0.050 lower (beyond seed-to-seed "
            "variation).");
  EXPECT_EQ(Advice(Made(
                {{"SDA, Gibbs, 1 worker", {-7.3, -7.5}}, {"sda fit, no options", {-7.4, -7.45}}})),
            "For these documents, “sda fit, no options” will do: the best, “SDA, Gibbs, 1 worker”, "
            "scores 0.025 higher (within seed-to-seed variation).");
  EXPECT_EQ(Advice(Made({{"SSU", {-7.3, -7.3}}, {"sda fit, no options", {-7.4, -7.4}}})),
            "For these documents, use “SSU”: it scores −7.300 (mean of 2 seeds, −7.300 to −7.300); "
            "“sda fit, no options” scores 0.100 lower (beyond seed-to-seed variation).");
}

Comparison OfTopics(const std::map<int, double>& scores) {
  Comparison comparison;
  comparison.command = "sda compare x";
  comparison.options.seeds = 1;
  for (const auto& [topics, score] : scores) comparison.options.try_topics.push_back(topics);
  comparison.plan = MakePlan(comparison.options);
  for (const PlannedRun& run : comparison.plan) {
    RunResult result;
    result.name = run.settings.Name();
    result.score = scores.at(run.settings.topics);
    result.score_error = 0.0625;
    comparison.results[result.name] = result;
  }
  return comparison;
}

TEST(CompareReport, OfNumbersOfTopicsComparesTheseAlone) {
  const Comparison comparison = OfTopics({{20, -7.6}, {50, -7.505}, {100, -7.5}, {200, -7.55}});
  EXPECT_EQ(comparison.plan.size(), 4);
  EXPECT_EQ(Advice(comparison),
            "Use --topics 100 for these documents: the best score, −7.500; 50 topics, which are "
            "faster and easier to read, score 0.005 lower.");
  EXPECT_THAT(Findings(comparison), Contains(HasSubstr("20 topics −7.600 ± 0.062; 50 topics")));
  EXPECT_THAT(Advice(OfTopics({{20, -7.5}, {50, -7.505}})),
              HasSubstr("Use --topics 20 for these documents: the best score, −7.500."));
  EXPECT_THAT(Advice(OfTopics({{20, -7.6}, {50, -7.5}})),
              HasSubstr("the best score, −7.500; more were not tried, and may score higher."));
}

TEST(CompareReport, BeginsWithTheAdviceAndThePictureThatShowsIt) {
  const Comparison comparison = OfTopics({{20, -7.6}, {50, -7.5}});
  const TemporaryFile file("");
  const std::string folder = file.path() + ".d";
  std::filesystem::create_directory(folder);
  WriteReport(comparison, folder);
  std::ifstream in(folder + "/report.html");
  const std::string html(std::istreambuf_iterator<char>(in), {});
  const size_t picture = html.find("<svg");
  ASSERT_NE(picture, std::string::npos);
  EXPECT_LT(html.find("Use --topics 50 for these documents"), picture);
  EXPECT_EQ(html.find("<li>"), html.find("<li>", picture));  // what was found stands below
  EXPECT_EQ(html.find("<p>"), html.find("<p>", picture));
  EXPECT_FALSE(std::filesystem::exists(folder + "/table1.csv"));
  EXPECT_TRUE(std::filesystem::exists(folder + "/topics.svg"));
  std::filesystem::remove_all(folder);
}

TEST(CompareReport, ThePictureOfTheTableHasAllThatTheAdviceChoosesFrom) {
  const auto& all = Experiments();
  const auto table = std::find_if(all.begin(), all.end(), [](auto& e) { return e.id == "table1"; });
  const auto figures = FiguresOf(
      Made(
          {{"SSU", {-7.3, -7.35}}, {"SSU, eta 0.01", {-8, -8}}, {"sda fit, no options", {-7, -7}}}),
      *table);
  ASSERT_EQ(figures.size(), 1);
  ASSERT_EQ(figures[0].plot.lines.size(), 2);
  EXPECT_EQ(figures[0].plot.lines[0].label, "SSU");
  EXPECT_EQ(figures[0].plot.lines[0].points[0].low, -7.35);
  EXPECT_EQ(figures[0].plot.lines[1].label, "sda fit, no options");
  EXPECT_EQ(figures[0].plot.lines[1].points[0].x, 1.5);
}

TEST(CompareReport, ALabelSaysWhatANumberIs) {
  EXPECT_EQ(LabelOf({"table1", "SSU, eta 0.01", 0.01, {}}), "table1: SSU, eta 0.01");
  EXPECT_EQ(LabelOf({"workers", "synchronous", 4, {}}), "workers: synchronous, workers 4");
  EXPECT_EQ(LabelOf({"svi_documents", "10 D", 10, {}}), "svi_documents: 10 D");
  EXPECT_EQ(LabelOf({"topics", "sda fit", 50, {}}), "topics: sda fit, topics 50");
}

TEST(CompareReport, CellsAreMeansOverSeedsWithoutRunsThatFailed) {
  Comparison comparison = Made({{"SSU", {-7.5, -7.7}}, {"SVI, told D", {-8, -9}}});
  for (auto& [name, result] : comparison.results) {
    if (result.score == -9) result.error = "no memory";
  }
  const auto cells = CellsOf(comparison, "table1");
  ASSERT_EQ(cells.size(), 2);
  EXPECT_EQ(cells[0].series, "SVI, told D");
  EXPECT_EQ(cells[0].runs.size(), 1);
  EXPECT_DOUBLE_EQ(cells[1].Score(), -7.6);
  EXPECT_EQ(cells[1].Low(), -7.7);
  EXPECT_EQ(cells[1].High(), -7.5);
  EXPECT_THAT(ResultsJson(comparison).dump(), HasSubstr("\"error\":\"no memory\""));
}

TEST(CompareReport, CsvHasEveryDigitOfTheRun) {
  const Comparison comparison = Made({{"SSU", {-7.123456789012345, -7.5}}});
  EXPECT_EQ(ExperimentCsv(comparison, Experiments()[0]),
            "series,eta,seed,log_predictive_probability,wall_seconds,cpu_seconds,peak_rss_bytes,"
            "documents,test_tokens,run\n"
            "\"SSU\",0.3,1,-7.123456789012345,1.5,0,0,1000,0," +
                comparison.plan[0].settings.Name() + "\n\"SSU\",0.3,2,-7.5,1.5,0,0,1000,0," +
                comparison.plan[1].settings.Name() + "\n");
}

TEST(CompareReport, TheScriptRunsNothingThatStandsInAName) {
  const TemporaryFile harmed("");
  std::filesystem::remove(harmed.path());
  Comparison comparison = Made({{"SSU", {-7, -7}}});
  for (const std::string code : {"\n", "\r\n", "'\n", "\"\n", "$(", "`", ";", "\xff\n"}) {
    const std::string name = "a" + code + " touch " + harmed.path() + " #)`";
    comparison.command = ShellCommand({"sda", "compare", name});
    const TemporaryFile script(CommandsScript(comparison));
    EXPECT_EQ(std::system(("SDA=true bash " + script.path()).c_str()), 0);
    EXPECT_FALSE(std::filesystem::exists(harmed.path())) << CommandsScript(comparison);
  }
  // The runs do run.
  const TemporaryFile script(CommandsScript(comparison));
  EXPECT_NE(std::system(("SDA=false bash " + script.path()).c_str()), 0);
}

}  // namespace
}  // namespace sda
