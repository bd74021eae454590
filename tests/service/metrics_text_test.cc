#include "service/metrics_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <regex>
#include <sstream>

namespace sda {
namespace {

using testing::HasSubstr;
using testing::Not;

// Samples by name and labels. Adds failures for what a reader of the format would not take.
std::map<std::string, double> Parse(const std::string& text) {
  const std::string name = "[a-zA-Z_:][a-zA-Z0-9_:]*";
  const std::string label = R"re([a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*")re";
  const std::regex help("# HELP (" + name + ") .+");
  const std::regex type("# TYPE (" + name + ") (counter|gauge)");
  const std::regex sample("(" + name + ")(\\{" + label + "(?:," + label + ")*\\})? (\\S+)");
  std::map<std::string, double> samples;
  std::map<std::string, std::string> types;
  std::istringstream lines(text);
  std::string line;
  std::string current;
  EXPECT_EQ(text.back(), '\n');
  while (std::getline(lines, line)) {
    std::smatch match;
    if (std::regex_match(line, match, help)) {
      current = match[1];
      EXPECT_EQ(types.count(current), 0) << "again: " << line;
    } else if (std::regex_match(line, match, type)) {
      EXPECT_EQ(match[1], current) << line;
      types[current] = match[2];
      EXPECT_EQ(match[2] == "counter", current.ends_with("_total")) << line;
    } else if (std::regex_match(line, match, sample)) {
      EXPECT_EQ(match[1], current) << "not under its metric: " << line;
      EXPECT_EQ(types.count(current), 1) << "without a type: " << line;
      const std::string number = match[3];
      char* end = nullptr;
      const double value = std::strtod(number.c_str(), &end);
      EXPECT_EQ(*end, '\0') << line;
      EXPECT_TRUE(samples.insert({match[1].str() + match[2].str(), value}).second) << line;
    } else {
      ADD_FAILURE() << "is no line of the format: " << line;
    }
  }
  return samples;
}

TEST(MetricsTextTest, LabelsAreEscaped) {
  MetricsText metrics(MetricsText::Labels{{"job", std::string("a\"b\\c\nd")}});
  metrics.Gauge("x", "Help.").Sample(1).Sample(2, {{"other", std::string("é")}});
  EXPECT_EQ(metrics.text(),
            "# HELP x Help.\n# TYPE x gauge\n"
            "x{job=\"a\\\"b\\\\c\\nd\"} 1\n"
            "x{job=\"a\\\"b\\\\c\\nd\",other=\"é\"} 2\n");
  EXPECT_EQ(Parse(metrics.text()).size(), 2);
}

TEST(MetricsTextTest, NumbersKeepWhatTheyAre) {
  MetricsText metrics(MetricsText::Labels{});
  metrics.Gauge("a", "Help.").Sample(1794780901.116);
  metrics.Counter("b_total", "Help.").Sample(9007199254740991.0);
  metrics.Gauge("c", "Help.").Sample(NAN);
  metrics.Gauge("d", "Help.").Sample(-INFINITY);
  EXPECT_THAT(metrics.text(), HasSubstr("\na 1794780901.116\n"));
  EXPECT_THAT(metrics.text(), HasSubstr("\nc NaN\n"));
  EXPECT_THAT(metrics.text(), HasSubstr("\nd -Inf\n"));
  EXPECT_EQ(Parse(metrics.text()).at("b_total"), 9007199254740991.0);
}

TEST(MetricsTextTest, AWorkerTellsItsNumbers) {
  cluster::WorkerNumbers numbers{.job = "news", .worker = "w\"1"};
  numbers.documents = 1000;
  numbers.computing_seconds = 2.5;
  numbers.keeper = true;
  numbers.view_position = 77;
  numbers.set_aside = 3;
  const auto samples = Parse(WorkerMetrics(numbers));
  const std::string labels = R"({job="news",worker="w\"1"})";
  EXPECT_EQ(samples.at("sda_worker_documents_total" + labels), 1000);
  EXPECT_EQ(samples.at("sda_worker_computing_seconds_total" + labels), 2.5);
  EXPECT_EQ(samples.at("sda_worker_keeper" + labels), 1);
  EXPECT_EQ(samples.at("sda_worker_view_offset" + labels), 77);
  EXPECT_EQ(samples.at("sda_worker_set_aside_messages_total" + labels), 3);
}

TEST(MetricsTextTest, AJobTellsItsNumbers) {
  cluster::JobStatus status{.job = "news"};
  status.partitions = {{.lag = 5}, {.lag = 7}};
  status.workers = {{"a", "10.0.0.1", {0}, true, 60}, {"b", "10.0.0.2", {1}, false, 3}};
  status.totals.documents = 12;
  status.totals.deltas = 1;
  status.totals.score_sum = -14;
  status.totals.score_tokens = 2;
  status.set_aside.count = 3;
  status.not_in_log = 1;
  status.snapshot.emplace();
  const auto samples = Parse(JobMetrics(status));
  EXPECT_EQ(samples.at(R"(sda_job_up{job="news"})"), 1);
  EXPECT_EQ(samples.at(R"(sda_job_documents_total{job="news"})"), 12);
  EXPECT_EQ(samples.at(R"(sda_job_lag_documents{job="news"})"), 12);
  EXPECT_EQ(samples.at(R"(sda_job_set_aside_messages_total{job="news"})"), 2);
  EXPECT_EQ(samples.at(R"(sda_job_set_aside_others{job="news"})"), 1);
  EXPECT_EQ(samples.at(R"(sda_job_partition_lag_documents{job="news",partition="1"})"), 7);
  EXPECT_EQ(samples.at(R"(sda_job_held_out_score{job="news"})"), -7);
  EXPECT_EQ(samples.at(R"(sda_job_worker_keeper{job="news",worker="a"})"), 1);
  EXPECT_EQ(samples.at(R"(sda_job_worker_keeper{job="news",worker="b"})"), 0);
}

TEST(MetricsTextTest, AnEmptyJobAndOneThatCannotBeAskedAreWellFormed) {
  EXPECT_THAT(JobMetrics({.job = "news"}), Not(HasSubstr("held_out")));
  Parse(JobMetrics({.job = "news"}));
  EXPECT_EQ(Parse(JobDownMetrics("news")).at(R"(sda_job_up{job="news"})"), 0);
}

}  // namespace
}  // namespace sda
