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

TEST(MessageDocumentsTest, WordsThatDifferInCaseAreRefusedOrNotFound) {
  MessageDocuments messages(Options(CorpusFormat::kText));
  EXPECT_THROW(messages.SetVocabulary({"Apple", "apple", "pear"}), InputError);
  messages.SetVocabulary({"Apple", "apple", "pear"}, Repeats::kNeverFound);
  Documents documents;
  std::string error;
  EXPECT_EQ(messages.Add("apple Apple pear", 1, &documents, &error), Outcome::kAdded);
  EXPECT_THAT(documents.words, ElementsAre(0, 2));
  EXPECT_THAT(documents.counts, ElementsAre(2, 1));
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

TEST(MessageDocumentsTest, AMessageThatIsTooLongDoesNotSpoilTheNextOnes) {
  MessageDocuments messages(Options(CorpusFormat::kText, {"apple", "pear"}));
  Documents documents;
  std::string error;
  std::string longest(size_t{64} << 20, ' ');
  EXPECT_EQ(messages.Add(longest, 1, &documents, &error), Outcome::kBad);
  EXPECT_EQ(error, "has 67108864 bytes, expected fewer than 67108864");
  longest += longest;
  EXPECT_EQ(messages.Add(longest, 2, &documents, &error), Outcome::kBad);
  longest.resize((size_t{64} << 20) - 1);
  longest.replace(longest.size() - 5, 5, " pear");
  EXPECT_EQ(messages.Add(longest, 3, &documents, &error), Outcome::kAdded);
  EXPECT_EQ(messages.Add("apple", 4, &documents, &error), Outcome::kAdded);
  EXPECT_THAT(documents.numbers, ElementsAre(3, 4));
}

TEST(MessageDocumentsTest, CountsAreCountedInFullOrTheMessageIsBad) {
  MessageDocuments messages(Options(CorpusFormat::kLdac, {"a", "b", "c"}));
  Documents documents;
  std::string error;
  EXPECT_EQ(messages.Add("1 0:20000000", 1, &documents, &error), Outcome::kAdded);
  EXPECT_EQ(messages.Add("2 0:4294967295 2:1", 2, &documents, &error), Outcome::kAdded);
  EXPECT_EQ(messages.Add("1 0:4294967296", 3, &documents, &error), Outcome::kBad);
  EXPECT_EQ(error, "count 4294967296, expected 0 to 4294967295");
  EXPECT_EQ(messages.Add("2 0:4294967295 0:1", 4, &documents, &error), Outcome::kBad);
  EXPECT_THAT(error, HasSubstr("the counts of a word sum to 4294967296, expected at most"));
  EXPECT_EQ(messages.Add("1 0:99999999999999999999999", 5, &documents, &error), Outcome::kBad);
  EXPECT_THAT(documents.numbers, ElementsAre(1, 2));
  EXPECT_EQ(Tokens(documents), 20'000'000 + 4'294'967'295 + 1);
  EXPECT_LE(Draws(documents, 0), kMaxSingleTokensPerWord);
  EXPECT_LE(Draws(documents, 1), 2 * kMaxSingleTokensPerWord + 2);
}

// A megabyte each, of one word.
TEST(MessageDocumentsTest, LongTextsOfOneWordAreCountedInFull) {
  MessageDocuments messages(Options(CorpusFormat::kText, {"word"}));
  Documents documents;
  std::string error;
  std::string text;
  while (text.size() < (size_t{1} << 20)) text += "word ";
  for (uint64_t i = 1; i <= 64; ++i) {
    ASSERT_EQ(messages.Add(text, i, &documents, &error), Outcome::kAdded);
  }
  EXPECT_EQ(Tokens(documents), 64 * text.size() / 5);
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
