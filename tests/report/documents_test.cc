#include <gtest/gtest.h>

#include "report/document_survey.h"
#include "report_test_util.h"

namespace sda {
namespace {

// Topic 0 has words 0 to 9, topic 1 words 10 to 19; both have words 20 to 29.
TopicModel TwoTopics() {
  std::vector<std::vector<double>> tokens(30, {0, 0});
  for (size_t word = 0; word < 30; ++word) {
    if (word < 10 || word >= 20) tokens[word][0] = 100;
    if (word >= 10) tokens[word][1] = 100;
  }
  return ModelOf(tokens);
}

std::vector<std::pair<uint32_t, uint32_t>> Bag(uint32_t first, uint32_t last, uint32_t count) {
  std::vector<std::pair<uint32_t, uint32_t>> bag;
  for (uint32_t word = first; word < last; ++word) bag.emplace_back(word, count);
  return bag;
}

ModelReport ReportOf(const Documents& documents, const ReportOptions& options = {}) {
  MemorySource<Documents> source(std::vector<Documents>{documents});
  return MakeReport(TwoTopics(), options, Context(2), &source);
}

const ReportedTopic& TopicOf(const ModelReport& report, size_t topic) {
  return report.topics[0].topic == topic ? report.topics[0] : report.topics[1];
}

TEST(ReportDocumentsTest, ATopicIsRepresentedByTheDocumentsThatAreAllAboutIt) {
  Documents documents;
  for (int i = 0; i < 5; ++i) AddDocument(Bag(10, 20, 2), &documents);
  AddDocument(Bag(0, 10, 5), &documents);   // number 6
  AddDocument(Bag(0, 20, 5), &documents);   // of both topics
  AddDocument(Bag(0, 10, 50), &documents);  // number 8: it says so more often
  const ModelReport report = ReportOf(documents, {.documents = 2});
  const auto& best = TopicOf(report, 0).documents;
  ASSERT_EQ(best.size(), 2u);
  EXPECT_EQ(best[0].number, 8u);
  EXPECT_EQ(best[1].number, 6u);
  EXPECT_GT(best[1].share.mean, 0.9);
  EXPECT_LT(best[1].share.lower, best[1].share.mean);
  EXPECT_GT(best[1].share.upper, best[1].share.mean);
  EXPECT_EQ(TopicOf(report, 1).documents[0].number, 1u);
}

TEST(ReportDocumentsTest, ADocumentFitsNoTopicIfItsWordsAreThoseOfAll) {
  Documents documents;
  for (int i = 0; i < 9; ++i)
    AddDocument(Bag(i % 2 == 0 ? 0 : 10, i % 2 == 0 ? 10 : 20, 3), &documents);
  AddDocument(Bag(20, 30, 3), &documents);
  const ModelReport report = ReportOf(documents);
  ASSERT_TRUE(report.input);
  EXPECT_EQ(report.input->misfits.front().number, 10u);
  EXPECT_LT(report.input->misfits.front().gain, 0.1);
  EXPECT_GT(report.input->median_gain, 0.5);
  EXPECT_EQ(report.input->misfits_of, 10u);
}

TEST(ReportDocumentsTest, DocumentsWithFewOrNoKnownWordsAreCountedNotShown) {
  Documents documents;
  AddDocument(Bag(0, 2, 1), &documents);
  AddDocument({}, &documents);
  AddDocument(Bag(0, 10, 2), &documents);
  const ModelReport report = ReportOf(documents);
  EXPECT_EQ(report.input->documents, 3u);
  EXPECT_EQ(report.input->skipped, 1u);
  ASSERT_EQ(TopicOf(report, 0).documents.size(), 1u);
  EXPECT_EQ(TopicOf(report, 0).documents[0].number, 3u);
}

TEST(ReportDocumentsTest, IdsTimesAndTextsAreShown) {
  Documents documents;
  AddDocument(Bag(0, 10, 2), &documents);
  AddDocument(Bag(10, 20, 2), &documents);
  documents.ids = {"first", ""};
  documents.times = {86'400'000, kNoTime};
  documents.texts = {"  A\ttext\n</script> of  words ", ""};
  const ModelReport report = ReportOf(documents);
  const ReportedDocument& first = TopicOf(report, 0).documents[0];
  EXPECT_EQ(first.id, "first");
  EXPECT_EQ(first.time, 86'400'000);
  EXPECT_EQ(first.text, "A text </script> of words");
  EXPECT_EQ(TopicOf(report, 1).documents[0].time, std::nullopt);
  EXPECT_EQ(report.input->undated, 1u);
  ASSERT_EQ(report.input->periods.size(), 1u);
  EXPECT_EQ(report.input->periods[0].documents, 1u);
  EXPECT_EQ(report.input->unit, "hour");
}

TEST(ReportDocumentsTest, WithoutTimesNoneIsCalledUndated) {
  Documents documents;
  AddDocument(Bag(0, 10, 2), &documents);
  EXPECT_EQ(ReportOf(documents).input->undated, 0u);
  EXPECT_TRUE(ReportOf(documents).input->periods.empty());
}

TEST(SnippetTest, ALongTextIsCutBetweenCharacters) {
  EXPECT_EQ(report::Snippet("abc def", 7), "abc def");
  EXPECT_EQ(report::Snippet("abc def", 6), "abc de\u2026");
  EXPECT_EQ(report::Snippet("\u00e4\u00f6\u00fc\u00df", 3), "\u00e4\u00f6\u00fc\u2026");
  EXPECT_EQ(report::Snippet("a   b", 3), "a b");
  EXPECT_EQ(report::Snippet(" \n ", 3), "");
  EXPECT_EQ(report::Snippet("text", 0), "\u2026");
}

}  // namespace
}  // namespace sda
