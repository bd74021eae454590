#include "data/text/message_documents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/base/temporary_file.h"

namespace sda {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Outcome = MessageDocuments::Outcome;

CorpusOptions Options(CorpusFormat format, std::vector<std::string> vocabulary = {}) {
  CorpusOptions options;
  options.format = format;
  options.vocabulary = std::move(vocabulary);
  return options;
}

TEST(MessageDocumentsTest, ReadsTextsWithTheGivenWords) {
  MessageDocuments messages(Options(CorpusFormat::kText, {"apple", "pear"}));
  Documents documents;
  std::string error;
  EXPECT_EQ(messages.Add("A pear,\nan APPLE;\r\na pear", 7, &documents, &error), Outcome::kAdded);
  EXPECT_EQ(messages.Add("nothing known", 8, &documents, &error), Outcome::kNoKnownWord);
  EXPECT_EQ(messages.Add("", 9, &documents, &error), Outcome::kNoKnownWord);
  EXPECT_EQ(messages.Add("apple", 10, &documents, &error), Outcome::kAdded);
  EXPECT_THAT(documents.words, ElementsAre(0, 1, 0));
  EXPECT_THAT(documents.counts, ElementsAre(1, 2, 1));
  EXPECT_THAT(documents.numbers, ElementsAre(7, 10));
}

TEST(MessageDocumentsTest, ABadMessageIsToldAndTheNextOneIsRead) {
  MessageDocuments messages(Options(CorpusFormat::kJsonLines, {"apple", "pear"}));
  Documents documents;
  std::string error;
  EXPECT_EQ(messages.Add("{\"text\": ", 1, &documents, &error), Outcome::kBad);
  EXPECT_THAT(error, HasSubstr("expected a JSON object"));
  EXPECT_EQ(messages.Add("{\"body\": \"apple\"}", 2, &documents, &error), Outcome::kBad);
  EXPECT_THAT(error, HasSubstr("an object without the field \"text\""));
  EXPECT_EQ(messages.Add("", 3, &documents, &error), Outcome::kBad);
  EXPECT_EQ(messages.Add("{\n\"text\":\n\"apple\"}", 4, &documents, &error), Outcome::kAdded);
  EXPECT_EQ(error, "");
  EXPECT_THAT(documents.numbers, ElementsAre(4));
}

TEST(MessageDocumentsTest, ReadsWordCountsInAnyOrder) {
  MessageDocuments messages(Options(CorpusFormat::kLdac, {"a", "b", "c"}));
  Documents documents;
  std::string error;
  EXPECT_EQ(messages.Add("3 2:1 0:4 2:5", 1, &documents, &error), Outcome::kAdded);
  EXPECT_EQ(messages.Add("1 3:1", 2, &documents, &error), Outcome::kBad);
  EXPECT_THAT(error, HasSubstr("word id"));
  EXPECT_EQ(messages.Add("2 0:1", 3, &documents, &error), Outcome::kBad);
  EXPECT_EQ(messages.Add("0", 4, &documents, &error), Outcome::kNoKnownWord);
  EXPECT_THAT(documents.words, ElementsAre(0, 2));
  EXPECT_THAT(documents.counts, ElementsAre(4, 6));
}

TEST(MessageDocumentsTest, ChoosesTheWordsThatAFileOfTheSameTextsGives) {
  std::vector<std::string> texts;
  std::string lines;
  for (int d = 0; d < 60; ++d) {
    std::string text = "the common";
    for (int w = 0; w < 12; ++w) {
      text += " word";
      text += static_cast<char>('a' + (d * 7 + w * w) % 26);
    }
    texts.push_back(text);
    lines += text + "\n";
  }
  const TemporaryFile file(lines);
  CorpusOptions options = Options(CorpusFormat::kText);
  options.inputs = {file.path()};
  options.vocabulary_documents = 40;
  options.minimum_document_frequency = 3;
  CorpusSource source(options);
  const auto expected = source.Next()->data;

  MessageDocuments messages(options);
  EXPECT_FALSE(messages.has_vocabulary());
  messages.ChooseVocabulary(std::vector<std::string_view>(texts.begin(), texts.end()));
  EXPECT_EQ(messages.vocabulary(), source.vocabulary());
  Documents documents;
  std::string error;
  for (size_t d = 0; d < texts.size(); ++d) messages.Add(texts[d], d + 1, &documents, &error);
  EXPECT_EQ(documents.words, expected.words);
  EXPECT_EQ(documents.counts, expected.counts);
  EXPECT_EQ(documents.numbers, expected.numbers);
}

}  // namespace
}  // namespace sda
