#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report_test_util.h"
#include "sda/errors.h"

namespace sda {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kHostile[] = {"</script><script>alert(1)</script>",
                                    "<!--",
                                    "]]>",
                                    "&amp;",
                                    "a\u2028b\u2029c",
                                    "\"'`\\",
                                    "{{",
                                    "@@SDA_DATA@@"};

ModelReport HostileReport() {
  TopicModel model = RandomModel(3, 60, 1);
  for (size_t i = 0; i < std::size(kHostile); ++i) model.vocabulary[i] = kHostile[i];
  ModelReport report = MakeReport(model, {});
  report.title = "</title><script>alert(2)</script>";
  return report;
}

size_t CountOf(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(ReportJsonTest, HasWhatThePageDraws) {
  const ModelReport report = HostileReport();
  const json data = json::parse(report.ToJson());
  EXPECT_EQ(data["topics"].size(), 3u);
  EXPECT_EQ(data["words"].size(), 60u);
  EXPECT_EQ(data["frequencies"].size(), 60u);
  EXPECT_EQ(data["word_topics"].size(), 60u);
  EXPECT_FALSE(data.contains("input"));
  const json& words = data["topics"][0]["words"];
  ASSERT_EQ(words.size() % 4, 0u);
  const ReportedWord& first = report.topics[0].words[0];
  EXPECT_EQ(data["words"][words[0].get<size_t>()], report.words[first.word]);
  EXPECT_NEAR(words[1].get<double>(), first.probability.mean, 0.006 * first.probability.mean);
  EXPECT_NEAR(data["topics"][0]["share"][0].get<double>(), report.topics[0].share.mean, 1e-6);
  EXPECT_FALSE(data["topics"][0].contains("coherence"));
}

TEST(ReportJsonTest, OptionalNumbersAreThereWhereKnown) {
  ModelReport report = HostileReport();
  report.topics[0].coherence = 0.254963;  // 0.25, and not 0.26 as when 0.255 is rounded again
  report.topics[0].stability = {.found_by = 3, .runs = 5, .cosine = 0.875};
  const json data = json::parse(report.ToJson());
  EXPECT_EQ(data["topics"][0]["coherence"], 0.254963);
  EXPECT_EQ(data["topics"][0]["stability"],
            (json{{"found_by", 3}, {"runs", 5}, {"cosine", 0.875}}));
  EXPECT_FALSE(data["topics"][1].contains("stability"));
}

TEST(ReportPageTest, HostileWordsStayText) {
  if (!SDA_HAS_PAGE) GTEST_SKIP() << "built without the page";
  const std::string page = ReportPage(HostileReport());
  // The data and the script, no other element; nothing of the words begins one.
  EXPECT_EQ(CountOf(page, "</script"), 2u);
  EXPECT_EQ(CountOf(page, "<script"), 2u);
  EXPECT_EQ(CountOf(page, "</title"), 1u);
  EXPECT_THAT(page, Not(HasSubstr("<!--")));
  EXPECT_THAT(page, Not(HasSubstr("\u2028")));
  const std::string begin = "id=\"data\">";
  const size_t at = page.find(begin) + begin.size();
  const json data = json::parse(page.substr(at, page.find("</script>", at) - at));
  for (const char* word : kHostile) {
    EXPECT_THAT(data["words"], testing::Contains(json(word))) << word;
  }
}

TEST(ReportPageTest, PermitsNothingButItsOwnScriptAndStyle) {
  if (!SDA_HAS_PAGE) GTEST_SKIP() << "built without the page";
  const std::string page = ReportPage(HostileReport());
  EXPECT_THAT(page,
              HasSubstr("http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                        "script-src 'sha256-"));
  EXPECT_THAT(page, Not(HasSubstr("unsafe-inline")));
  EXPECT_THAT(page, Not(HasSubstr("https://")));
}

TEST(ReportPageTest, WithoutThePageSaysHowToGetIt) {
  if (SDA_HAS_PAGE) GTEST_SKIP() << "built with the page";
  try {
    ReportPage(HostileReport());
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("install Node.js and npm"));
  }
}

}  // namespace
}  // namespace sda
