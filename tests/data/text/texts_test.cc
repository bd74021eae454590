#include "sda/texts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sda/corpus.h"
#include "tests/base/temporary_file.h"

namespace sda {
namespace {

const std::vector<std::string> kTexts = {"The captain sails, the ship sails; Straße!", "",
                                         "an anchor is on the ship", "zzz qqq",
                                         "Captain and anchor: 12 ships"};

std::vector<std::string_view> Views() { return {kTexts.begin(), kTexts.end()}; }

void ExpectAsOfAFile(CorpusOptions options) {
  std::string lines;
  for (const std::string& text : kTexts) lines += text + "\n";
  const TemporaryFile file(lines, ".txt");
  options.inputs = {file.path()};
  options.format = CorpusFormat::kText;
  CorpusSource source(options);
  const auto read = source.Next();

  Texts texts(options);
  texts.ChooseVocabulary(Views());
  EXPECT_EQ(texts.vocabulary(), source.vocabulary());
  Documents documents;
  for (size_t i = 0; i < kTexts.size(); ++i) texts.Add(kTexts[i], i + 1, &documents);
  EXPECT_EQ(documents.words, read->data.words);
  EXPECT_EQ(documents.counts, read->data.counts);
  ASSERT_EQ(documents.size(), kTexts.size());
  EXPECT_EQ(documents.offsets[1], documents.offsets[2]) << "an empty text has no words";
}

TEST(Texts, HaveTheWordsAndCountsOfAFileWithThem) { ExpectAsOfAFile(CorpusOptions()); }

TEST(Texts, AreCutAsTheOptionsSay) {
  CorpusOptions options;
  options.stemmer = "english";
  options.strip = "urls";
  ExpectAsOfAFile(options);
  options.phrases = true;
  ExpectAsOfAFile(options);
}

TEST(Texts, ChooseFromTheFirstDocumentsAlone) {
  CorpusOptions options;
  options.vocabulary_documents = 1;
  Texts texts(options);
  texts.ChooseVocabulary(Views());
  EXPECT_THAT(texts.vocabulary(), testing::ElementsAre("captain", "sails", "ship", "strasse"));
}

TEST(Texts, StopChoosingWhenInterrupted) {
  const Context context(1);
  context.Interrupt();
  Texts texts{CorpusOptions()};
  EXPECT_THROW(texts.ChooseVocabulary(Views(), context), InterruptedError);
  EXPECT_TRUE(texts.vocabulary().empty());
}

TEST(Texts, TakeAVocabularyThatIsGiven) {
  Texts texts(CorpusOptions(), {"ship", "Anchor"});
  Documents documents;
  texts.Add("anchor ship ship other", 7, &documents);
  EXPECT_EQ(documents.words, (std::vector<uint32_t>{0, 1}));
  EXPECT_EQ(documents.counts, (std::vector<uint32_t>{2, 1}));
  EXPECT_EQ(documents.numbers, std::vector<uint64_t>{7});
}

TEST(Texts, RefuseTextsWithoutAnyWordToChoose) {
  Texts texts((CorpusOptions()));
  const std::vector<std::string_view> none = {"", "12 34"};
  EXPECT_THROW(texts.ChooseVocabulary(none), InputError);
}

}  // namespace
}  // namespace sda
