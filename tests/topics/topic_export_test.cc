// A topic model for other programs.

#include "sda/topic_export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sstream>

#include "sda/errors.h"
#include "sda/topics.h"
#include "tests/base/temporary_file.h"
#include "tests/topics/topic_test_util.h"

namespace sda {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr uint64_t kWords = 40;

TopicModel MakeModel() {
  TopicSession session({.topics = 3, .alpha = {1, 2, 5}, .seed = 1}, WordNames(kWords));
  session.Update(MakeDocuments(60, kWords, 1));
  return session.Snapshot();
}

std::string Content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> Lines(const std::string& path) {
  std::istringstream text(Content(path));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

// The numbers after the header.
std::vector<double> Numbers(const std::string& path) {
  const std::string bytes = Content(path).substr(128);
  std::vector<double> numbers(bytes.size() / sizeof(double));
  std::copy_n(bytes.data(), numbers.size() * sizeof(double),
              reinterpret_cast<char*>(numbers.data()));
  return numbers;
}

class TopicExportTest : public ::testing::Test {
 protected:
  TopicExportTest() { fs::create_directory(folder_); }
  ~TopicExportTest() override { fs::remove_all(folder_); }

  // Of the model, and of these documents, one a line.
  void Export(const std::string& documents) {
    const TemporaryFile text(documents);
    CorpusOptions options = model_.Corpus({text.path()});
    options.format = CorpusFormat::kText;
    options.minibatch = 2;
    CorpusSource source(options);
    ExportTopicModel(model_, what_, &source);
  }

  const std::string folder_ =
      (fs::path(::testing::TempDir()) / ("sda_topics_" + std::to_string(getpid()))).string();
  TopicExport what_ = TopicExport::InFolder(folder_, true);
  TopicModel model_ = MakeModel();
};

TEST_F(TopicExportTest, LambdaIsTheWholePosterior) {
  Export("word1\n");
  EXPECT_THAT(Content(what_.lambda), HasSubstr("'fortran_order': True, 'shape': (3, 40), }"));
  const std::vector<double> lambda = Numbers(what_.lambda);
  ASSERT_EQ(lambda.size(), 3 * kWords);
  for (uint64_t v = 0; v < kWords; ++v) {
    for (size_t k = 0; k < 3; ++k) EXPECT_EQ(lambda[3 * v + k], model_.posterior.At(v)[k]);
  }
  EXPECT_EQ(Lines(what_.vocabulary), model_.vocabulary);
}

TEST_F(TopicExportTest, TheTablesHaveTheTopicsOfSummarizeTopics) {
  what_.words = 2;
  Export("word1\n");
  const auto topics = SummarizeTopics(model_.posterior, model_.Spec(), 2);
  const auto lines = Lines(what_.topic_words);
  EXPECT_EQ(lines[0], "topic,rank,word,probability,lower,upper");
  ASSERT_EQ(lines.size(), 1 + 3 * 2);
  EXPECT_THAT(lines[1], StartsWith(std::to_string(topics[0].topic) + ",1," +
                                   model_.vocabulary[topics[0].top_words[0].word] + ",0."));
  what_.words = 0;
  Export("word1\n");
  EXPECT_EQ(Lines(what_.topic_words).size(), 1 + 3 * kWords);
  EXPECT_EQ(Lines(what_.topics).size(), 1 + 3);
}

TEST_F(TopicExportTest, EveryDocumentHasARowAlsoOneWithoutAKnownWord) {
  Export("word1 word2 word1\nnothing\nword30\nword31\nnothing again\n");
  EXPECT_THAT(Lines(what_.documents), ElementsAre("row,document,id,tokens", "0,1,,3", "1,2,,0",
                                                  "2,3,,1", "3,4,,1", "4,5,,0"));
  const std::vector<double> rows = Numbers(what_.document_topics);
  ASSERT_EQ(rows.size(), 5 * 3);
  for (const size_t without : {1, 4}) {  // alpha / sum
    EXPECT_DOUBLE_EQ(rows[3 * without], 0.125);
    EXPECT_DOUBLE_EQ(rows[3 * without + 2], 0.625);
  }
  Documents first;
  first.words = {1, 2};
  first.counts = {2, 1};
  first.offsets.push_back(2);
  const auto inferred = InferTopics(model_.posterior, first, model_.Spec(), Context(), 0,
                                    {.intervals = ProportionIntervals::kLinearResponse});
  for (const auto& [topic, p] : inferred[0].topics) {
    EXPECT_NEAR(rows[topic], p.mean, 1e-12);
  }
}

TEST_F(TopicExportTest, TheTableOfDocumentTopicsHasTheSameNumbers) {
  what_.document_topics = folder_ + "/table.csv";
  Export("nothing\nword1\n");
  const auto lines = Lines(what_.document_topics);
  ASSERT_EQ(lines.size(), 3);
  EXPECT_EQ(lines[0], "document,id,topic_0,topic_1,topic_2");
  EXPECT_EQ(lines[1], "1,,0.125,0.25,0.625");
  EXPECT_THAT(lines[2], StartsWith("2,,0."));
}

TEST_F(TopicExportTest, PyldavisGetsDistributionsAndCountsThatGoTogether) {
  Export("word1 word2 word1\nnothing\nword30\n");
  const auto json = nlohmann::json::parse(Content(what_.pyldavis));
  EXPECT_EQ(json.size(), 5);
  EXPECT_EQ(json["vocab"], nlohmann::json(model_.vocabulary));
  EXPECT_EQ(json["doc_lengths"], nlohmann::json({3, 0, 1}));
  const auto frequency = json["term_frequency"].get<std::vector<uint64_t>>();
  EXPECT_EQ(frequency[1], 2);
  EXPECT_EQ(std::accumulate(frequency.begin(), frequency.end(), 0), 4);
  EXPECT_EQ(json["topic_term_dists"].size(), 3);
  EXPECT_EQ(json["topic_term_dists"][0].size(), kWords);
  EXPECT_EQ(json["doc_topic_dists"].size(), 3);
  for (const char* name : {"topic_term_dists", "doc_topic_dists"}) {
    for (const auto& row : json[name]) {
      const auto numbers = row.get<std::vector<double>>();
      EXPECT_NEAR(std::accumulate(numbers.begin(), numbers.end(), 0.0), 1, 1e-6);
    }
  }
}

TEST_F(TopicExportTest, HostileWordsStayWords) {
  model_.vocabulary[1] = "</script>\",\n";
  what_ = {.topic_words = folder_ + "/w.csv", .pyldavis = folder_ + "/p.json"};
  what_.words = 0;
  Export("word2\n");
  EXPECT_THAT(Content(what_.topic_words), HasSubstr(",\"</script>\"\",\n\","));
  EXPECT_EQ(nlohmann::json::parse(Content(what_.pyldavis))["vocab"][1], model_.vocabulary[1]);
  what_ = {.vocabulary = folder_ + "/v.txt"};
  EXPECT_THAT(MessageOf<InputError>([&] { ExportTopicModel(model_, what_); }),
              HasSubstr("word 1 of the model, \"</script>\",\\x0a\", has a line end"));
  EXPECT_FALSE(fs::exists(what_.vocabulary));
}

TEST_F(TopicExportTest, AStopLeavesNoPartOfTheDocuments) {
  const TemporaryFile text("word1\nword2\n");
  CorpusSource source(model_.Corpus({text.path()}));
  const Context context;
  context.RequestStop();
  EXPECT_THROW(ExportTopicModel(model_, what_, &source, context), IoError);
  EXPECT_TRUE(fs::exists(what_.lambda));
  for (const std::string& file : {what_.document_topics, what_.documents, what_.pyldavis}) {
    EXPECT_FALSE(fs::exists(file)) << file;
  }
}

TEST_F(TopicExportTest, SaysWhatIsMissing) {
  EXPECT_THAT(MessageOf<UsageError>([&] { ExportTopicModel(model_, what_); }),
              HasSubstr("name INPUT"));
  EXPECT_THAT(MessageOf<UsageError>([&] { ExportTopicModel(model_, {}); }),
              HasSubstr("nothing is to be exported"));
  what_.document_topics = "topics.txt";
  EXPECT_THAT(MessageOf<UsageError>([&] { what_.Validate(); }),
              HasSubstr("document_topics is \"topics.txt\", must end in .npy or .csv"));
}

}  // namespace
}  // namespace sda
