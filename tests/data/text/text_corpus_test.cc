#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "data/text/stop_words.h"
#include "data/text/word_table.h"
#include "sda/corpus.h"
#include "tests/data/corpus_files.h"

namespace sda {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

// 100 documents: "common" in all, "half" in 50, "tenth" in 10, "rare" in 1.
std::string HundredDocuments() {
  std::string text;
  for (int i = 0; i < 100; ++i) {
    text += "common the";
    if (i % 2 == 0) text += " half half";
    if (i % 10 == 0) text += " tenth";
    if (i == 99) text += " rare";
    text += "\n";
  }
  return text;
}

std::vector<std::string> VocabularyOf(const CorpusOptions& options) {
  return CorpusSource(options).vocabulary();
}

TEST(TextCorpus, TheVocabularyIsChosenByDocumentFrequency) {
  const Folder folder;
  CorpusOptions options = OptionsFor({folder.Write("a", HundredDocuments())});
  EXPECT_THAT(VocabularyOf(options), ElementsAre("half", "rare", "tenth"));
  options.minimum_document_frequency = 2;
  EXPECT_THAT(VocabularyOf(options), ElementsAre("half", "tenth"));
  options.maximum_document_share = 1;
  EXPECT_THAT(VocabularyOf(options), ElementsAre("common", "half", "tenth"));
  options.maximum_vocabulary = 2;
  EXPECT_THAT(VocabularyOf(options), ElementsAre("common", "half"));
  options.stop_words = "none";
  EXPECT_THAT(VocabularyOf(options), ElementsAre("common", "the"));
  options.stop_words = folder.Write("stop", "The\nCOMMON\n");
  options.minimum_word_length = 5;
  EXPECT_THAT(VocabularyOf(options), ElementsAre("tenth"));
}

TEST(TextCorpus, TinyCorporaKeepTheirWords) {
  const Folder folder;
  EXPECT_THAT(VocabularyOf(OptionsFor({folder.Write("a", "the apple falls\nan apple\n")})),
              ElementsAre("apple", "falls"));
}

TEST(TextCorpus, TheDocumentsThatTheVocabularyCameFromAreHandedOut) {
  const Folder folder;
  for (const uint64_t first : {1, 3, 7, 99, 100, 1000}) {
    CorpusOptions options = OptionsFor({folder.Write("a", HundredDocuments())}, 7);
    options.vocabulary_documents = first;
    options.maximum_document_share = 1;
    CorpusSource source(options);
    const auto learnt = Lines(ReadAll(&source));
    EXPECT_EQ(learnt.size(), 100u);
    CorpusOptions given = options;
    given.vocabulary = source.vocabulary();
    CorpusSource again(given);
    EXPECT_EQ(Lines(ReadAll(&again)), learnt) << first;
    EXPECT_EQ(again.counts().tokens, source.counts().tokens);
    EXPECT_EQ(again.counts().unknown_tokens, source.counts().unknown_tokens);
  }
}

TEST(TextCorpus, HeldOutDocumentsHaveNoSayInTheVocabulary) {
  const Folder folder;
  CorpusOptions options = OptionsFor({folder.Write("a", HundredDocuments())});
  options.held_out = {100};
  EXPECT_THAT(VocabularyOf(options), Not(Contains("rare")));
}

TEST(TextCorpus, UnknownTokensAndInvalidUtf8AreCounted) {
  const Folder folder;
  for (const std::string content :
       {"apple fig the\nb\xFFpple \xC3\n",
        "{\"text\": \"apple fig the\"}\n{\"text\": \"b\xFFpple \xC3\"}\n"}) {
    CorpusOptions options = OptionsFor({folder.Write("a", content)});
    options.vocabulary = {"apple", "cherry"};
    CorpusSource source(options);
    EXPECT_THAT(Lines(ReadAll(&source)), ElementsAre("1: 0*1"));
    EXPECT_EQ(source.counts().unknown_tokens, 2u);  // fig, pple; the is a stop word
    EXPECT_EQ(source.counts().replaced_utf8, 2u);
    EXPECT_EQ(source.counts().skipped, 1u);
  }
}

TEST(TextCorpus, AnotherFieldOfJsonCanBeTheText) {
  const Folder folder;
  CorpusOptions options = OptionsFor({folder.Write("a", "{\"text\": 1, \"body\": \"apple\"}\n")});
  options.text_field = "body";
  EXPECT_THAT(ReadLines(options), ElementsAre("1: 0*1"));
}

TEST(TextCorpus, TheEnglishStopWordsAreFoldedAndMany) {
  const auto words = StopWords("english");
  EXPECT_GT(words.size(), 250u);
  for (const char* word : {"the", "of", "don't", "themselves", "e.g"}) {
    EXPECT_THAT(words, Contains(word));
  }
  EXPECT_THAT(StopWords("none"), IsEmpty());
}

TEST(WordTable, NumbersWordsInTheOrderTheyCome) {
  WordTable table;
  for (uint32_t round = 0; round < 2; ++round) {
    for (uint32_t i = 0; i < 100'000; ++i) ASSERT_EQ(table.Add("word" + std::to_string(i)), i);
  }
  EXPECT_EQ(table.size(), 100'000u);
  EXPECT_EQ(table.word(0), "word0");
  EXPECT_EQ(table.word(99'999), "word99999");
  EXPECT_EQ(table.Find("word77"), 77u);
  EXPECT_EQ(table.Find("word"), WordTable::kNone);
  EXPECT_EQ(table.Find(""), WordTable::kNone);
}

}  // namespace
}  // namespace sda
