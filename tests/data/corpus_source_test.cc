#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sda/corpus.h"
#include "tests/data/corpus_files.h"

namespace sda {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::vector<std::string> kSmall = {"1: 0*2 2*1", "2: 1*1 4*3", "4: 0*1 3*1"};

TEST(CorpusSource, EveryFormatGivesTheSameDocuments) {
  const Folder folder;
  const std::string vocabulary = folder.Write("words", SmallCorpus().vocabulary);
  for (const auto& [format, content] : SmallCorpus().All()) {
    CorpusOptions options = OptionsFor({folder.Write("corpus", content)});
    options.vocabulary_file = vocabulary;
    CorpusSource source(options);
    EXPECT_STREQ(CorpusFormatName(source.format()), format.c_str());
    EXPECT_EQ(Lines(ReadAll(&source)), kSmall) << format;
    EXPECT_THAT(source.vocabulary(), ElementsAre("apple", "banana", "cherry", "date", "elder"));
    EXPECT_EQ(source.vocabulary_size(), 5u);
    const CorpusCounts counts = source.counts();
    EXPECT_EQ(counts.documents, 4u) << format;
    EXPECT_EQ(counts.skipped, 1u) << format;
    EXPECT_EQ(counts.tokens, 9u) << format;
    EXPECT_EQ(counts.unknown_tokens, 0u) << format;
    EXPECT_EQ(counts.bytes, content.size()) << format;
    EXPECT_EQ(counts.total_bytes, content.size()) << format;
  }
}

TEST(CorpusSource, FormatCanBeGiven) {
  const Folder folder;
  const std::string vocabulary = folder.Write("words", SmallCorpus().vocabulary);
  for (const auto& [format, content] : SmallCorpus().All()) {
    CorpusOptions options = OptionsFor({folder.Write("corpus", content)});
    options.vocabulary_file = vocabulary;
    options.format = CorpusFormatFromName(format);
    EXPECT_EQ(ReadLines(options), kSmall) << format;
  }
}

TEST(CorpusSource, CompressedFilesAreReadAsPlainOnes) {
  const Folder folder;
  const std::string vocabulary = folder.Write("words", SmallCorpus().vocabulary);
  for (const auto& [format, content] : SmallCorpus().All()) {
    for (const std::string& packed : {Gzipped(content), Zstandard(content)}) {
      CorpusOptions options = OptionsFor({folder.Write("corpus", packed)});
      options.vocabulary_file = vocabulary;
      EXPECT_EQ(ReadLines(options), kSmall) << format;
    }
  }
}

TEST(CorpusSource, LineEndsOfWindowsBlankLinesAndAMissingLastOneAreFine) {
  const Folder folder;
  const std::string vocabulary =
      folder.Write("words", "apple\r\nbanana\r\ncherry\r\ndate\r\nelder");
  for (auto [format, content] : SmallCorpus().All()) {
    std::string windows = "\xEF\xBB\xBF";  // and a byte order mark
    for (const char c : content) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
    content.pop_back();
    for (const std::string& variant : {windows, content}) {
      CorpusOptions options = OptionsFor({folder.Write("corpus", variant)});
      options.vocabulary_file = vocabulary;
      EXPECT_EQ(ReadLines(options), kSmall) << format << "\n" << variant;
    }
    if (format == "text") continue;  // where a blank line is a document
    CorpusOptions options = OptionsFor({folder.Write("corpus", content + "\n\n \t\n\n")});
    options.vocabulary_file = vocabulary;
    EXPECT_EQ(ReadLines(options), kSmall) << format;
  }
}

TEST(CorpusSource, SeveralFilesAreOneStream) {
  const Folder folder;
  const std::string vocabulary = folder.Write("words", SmallCorpus().vocabulary);
  for (const auto& [format, content] : SmallCorpus().All()) {
    CorpusOptions options =
        OptionsFor({folder.Write("a", content), folder.Write("b", Gzipped(content))}, 4);
    options.vocabulary_file = vocabulary;
    CorpusSource source(options);
    const auto minibatches = ReadAll(&source);
    EXPECT_THAT(Lines(minibatches), ElementsAre("1: 0*2 2*1", "2: 1*1 4*3", "4: 0*1 3*1",
                                                "5: 0*2 2*1", "6: 1*1 4*3", "8: 0*1 3*1"))
        << format;
    ASSERT_EQ(minibatches.size(), 2u);
    EXPECT_EQ(minibatches[1].id, 1u);
    EXPECT_EQ(minibatches[1].counts.items, 2u);
    EXPECT_EQ(source.counts().documents, 8u);
    EXPECT_EQ(source.counts().bytes, source.counts().total_bytes);
  }
}

TEST(CorpusSource, ResumingFromAnyPositionGivesTheRestExactly) {
  const Folder folder;
  const std::string vocabulary = folder.Write("words", SmallCorpus().vocabulary);
  for (const auto& [format, content] : SmallCorpus().All()) {
    for (const bool learn : {false, true}) {
      if (learn && format != "text" && format != "jsonl") continue;
      CorpusOptions options = OptionsFor({folder.Write("a", content), folder.Write("b", content),
                                          folder.Write("c", Zstandard(content))},
                                         2);
      if (!learn) options.vocabulary_file = vocabulary;
      options.vocabulary_documents = 7;
      options.held_out = {2, 12};
      CorpusSource whole(options);
      const auto minibatches = ReadAll(&whole);
      ASSERT_EQ(minibatches.size(), 4u) << format;
      for (size_t i = 0; i < minibatches.size(); ++i) {
        CorpusSource source(options);
        if (i % 2 == 1) source.Next();
        source.Resume(minibatches[i].position, {});
        for (size_t j = i + 1; j < minibatches.size(); ++j) {
          const auto next = source.Next();
          ASSERT_TRUE(next.has_value());
          EXPECT_EQ(next->id, minibatches[j].id);
          EXPECT_EQ(next->position, minibatches[j].position);
          EXPECT_EQ(Lines(next->data), Lines(minibatches[j].data)) << format;
        }
        EXPECT_FALSE(source.Next().has_value());
        EXPECT_EQ(source.counts().documents, whole.counts().documents);
        EXPECT_EQ(source.counts().skipped, whole.counts().skipped);
        EXPECT_EQ(source.counts().tokens, whole.counts().tokens);
        EXPECT_EQ(source.counts().bytes, whole.counts().bytes) << format;
      }
    }
  }
}

TEST(CorpusSource, TheFirstMinibatchMayHaveASizeOfItsOwn) {
  Folder folder;
  std::string lines;
  for (int i = 0; i < 20; ++i) lines += "1 0:1\n";
  CorpusOptions options = OptionsFor({folder.Write("a.ldac", lines)}, 4);
  options.format = CorpusFormat::kLdac;
  options.vocabulary_size = 1;
  options.first_minibatch = 7;
  CorpusSource source(options);
  const auto minibatches = ReadAll(&source);
  std::vector<uint64_t> sizes;
  for (const auto& minibatch : minibatches) sizes.push_back(minibatch.counts.items);
  EXPECT_THAT(sizes, ElementsAre(7, 4, 4, 4, 1));
  source.Resume(minibatches[0].position, {});
  EXPECT_EQ(source.Next()->counts.items, 4u);
}

TEST(CorpusSource, ResumesInFilesThatAreLargerThanAnyBuffer) {
  const Folder folder;
  constexpr int kDocuments = 20'000;
  std::string text;
  std::string uci = std::to_string(kDocuments) + "\n1000\n" + std::to_string(3 * kDocuments) + "\n";
  for (int d = 1; d <= kDocuments; ++d) {
    for (int i = 0; i < 3; ++i) {
      const int word = 1 + (d * 31 + i * 367) % 1000;
      uci +=
          std::to_string(d) + " " + std::to_string(word) + " " + std::to_string(1 + d % 4) + "\n";
      text += "someword" + std::to_string(word) + " ";
    }
    text += "\n";
  }
  for (const std::string& content : {uci, text, Gzipped(uci), Zstandard(text)}) {
    const CorpusOptions options = OptionsFor({folder.Write("a", content)}, 3000);
    CorpusSource whole(options);
    const auto minibatches = ReadAll(&whole);
    ASSERT_EQ(minibatches.size(), 7u);
    for (size_t i = 0; i < minibatches.size(); ++i) {
      CorpusSource source(options);
      source.Resume(minibatches[i].position, {});
      const auto rest = Lines(ReadAll(&source));
      const auto all = Lines(minibatches);
      const size_t begin = std::min<size_t>(3000 * (i + 1), all.size());
      EXPECT_TRUE(std::equal(rest.begin(), rest.end(), all.begin() + begin, all.end())) << i;
    }
  }
}

TEST(CorpusSource, APositionOfAnotherCorpusIsRefused) {
  const Folder folder;
  CorpusSource source(OptionsFor({folder.Write("a", SmallCorpus().ldac)}));
  EXPECT_THROW(source.Resume("17", {}), InputError);
  EXPECT_THROW(source.Resume("corpus-1 0 0 100000 4 4 0 1 4 0 1 9 0 0", {}), InputError);
  EXPECT_THROW(source.Resume("corpus-1 7 0 1 1 1 0 1 1 0 0 1 0 0", {}), InputError);
}

TEST(CorpusSource, HeldOutDocumentsAreKeptApart) {
  const Folder folder;
  const std::string vocabulary = folder.Write("words", SmallCorpus().vocabulary);
  for (const auto& [format, content] : SmallCorpus().All()) {
    CorpusOptions options = OptionsFor({folder.Write("a", content), folder.Write("b", content)}, 2);
    options.vocabulary_file = vocabulary;
    options.held_out = {6, 3, 1, 6};
    CorpusSource source(options);
    EXPECT_THAT(Lines(ReadAll(&source)),
                ElementsAre("2: 1*1 4*3", "4: 0*1 3*1", "5: 0*2 2*1", "8: 0*1 3*1"));
    EXPECT_THAT(Lines(source.held_out()), ElementsAre("1: 0*2 2*1", "6: 1*1 4*3"));
    EXPECT_EQ(source.counts().held_out, 2u);
    EXPECT_EQ(source.counts().tokens, 11u);
    EXPECT_EQ(Lines(ReadDocuments(options, options.held_out)), Lines(source.held_out())) << format;
    EXPECT_THROW(ReadDocuments(options, {9}), InputError) << format;
  }
}

TEST(CorpusSource, DocumentsBeforeAndAfterTheOnesWithWordsAreCounted) {
  const Folder folder;
  CorpusSource source(OptionsFor({folder.Write("a", "1000000000000\n2\n1\n999999999999 1 1\n")}));
  EXPECT_THAT(Lines(ReadAll(&source)), ElementsAre("999999999999: 0*1"));
  EXPECT_EQ(source.counts().documents, 1000000000000u);
  EXPECT_EQ(source.counts().skipped, 999999999999u);
}

TEST(CorpusSource, RepeatedWordsAreSummedAndSorted) {
  const Folder folder;
  EXPECT_THAT(ReadLines(OptionsFor({folder.Write("a", "1\n3\n4\n1 3 1\n1 1 2\n1 3 4\n1 2 0\n")})),
              ElementsAre("1: 0*2 2*5"));
  EXPECT_THAT(
      ErrorOf(OptionsFor({folder.Write("a", "1\n3\n2\n1 3 4294967295\n1 3 1\n")})),
      HasSubstr(
          "a: document 1: the counts of a word sum to 4294967296, expected at most 4294967295"));
}

TEST(CorpusSource, WordsWithoutNamesAreNamedByTheirIds) {
  const Folder folder;
  const SmallCorpus small;
  EXPECT_THAT(CorpusSource(OptionsFor({folder.Write("a", small.uci)})).vocabulary(),
              ElementsAre("1", "2", "3", "4", "5"));
  EXPECT_THAT(CorpusSource(OptionsFor({folder.Write("a", small.svmlight)})).vocabulary(),
              ElementsAre("1", "2", "3", "4", "5"));
  EXPECT_THAT(CorpusSource(OptionsFor({folder.Write("a", small.ldac)})).vocabulary(),
              ElementsAre("0", "1", "2", "3", "4"));
  CorpusOptions options = OptionsFor({folder.Write("a", small.ldac)});
  options.vocabulary_size = 7;
  EXPECT_EQ(CorpusSource(options).vocabulary_size(), 7u);
}

TEST(CorpusSource, TheVocabularyBesideADocwordFileIsFound) {
  const Folder folder;
  folder.Write("vocab.small.txt", SmallCorpus().vocabulary);
  for (const std::string name : {"docword.small.txt", "docword.small.txt.gz"}) {
    CorpusSource source(OptionsFor({folder.Write(name, SmallCorpus().uci)}));
    EXPECT_EQ(source.vocabulary()[4], "elder");
  }
}

TEST(CorpusSource, BagsOfWordsAreTranslatedToAGivenVocabulary) {
  const Folder folder;
  folder.Write("vocab.small.txt", SmallCorpus().vocabulary);
  CorpusOptions options = OptionsFor({folder.Write("docword.small.txt", SmallCorpus().uci)});
  options.vocabulary = {"elder", "fig", "apple", "banana"};
  CorpusSource source(options);
  EXPECT_THAT(Lines(ReadAll(&source)), ElementsAre("1: 2*2", "2: 0*3 3*1", "4: 2*1"));
  EXPECT_EQ(source.counts().unknown_tokens, 2u);
  EXPECT_EQ(source.vocabulary(), options.vocabulary);
}

TEST(CorpusOptions, ValidateNamesFieldAndValue) {
  const auto message = [](auto change) -> std::string {
    CorpusOptions options = OptionsFor({"x"});
    change(&options);
    try {
      options.Validate();
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  using O = CorpusOptions*;
  EXPECT_EQ(message([](O) {}), "");
  EXPECT_THAT(message([](O o) { o->inputs.clear(); }), HasSubstr("inputs is empty"));
  EXPECT_THAT(message([](O o) { o->inputs = {"-", "-"}; }), HasSubstr("inputs has - twice"));
  EXPECT_THAT(message([](O o) { o->minibatch = 0; }), HasSubstr("minibatch is 0"));
  EXPECT_THAT(message([](O o) { o->held_out = {0}; }), HasSubstr("held_out is 0"));
  EXPECT_THAT(message([](O o) { o->vocabulary_size = 1ull << 40; }),
              HasSubstr("vocabulary_size is 1099511627776"));
  EXPECT_THAT(message([](O o) { o->maximum_document_share = 1.5; }),
              HasSubstr("maximum_document_share is 1.5"));
  EXPECT_THAT(message([](O o) { o->minimum_word_length = 0; }),
              HasSubstr("minimum_word_length is 0"));
  EXPECT_THROW(CorpusFormatFromName("xml"), UsageError);
}

TEST(CorpusSource, AStreamThatContinuesAnotherHasIdsFromThereAndNoFirstMinibatch) {
  const Folder folder;
  std::string lines;
  for (int i = 0; i < 10; ++i) lines += "1 0:1\n";
  CorpusOptions options = OptionsFor({folder.Write("a.ldac", lines)}, 4);
  options.format = CorpusFormat::kLdac;
  options.vocabulary_size = 1;
  options.first_minibatch = 7;
  options.first_id = 5;
  CorpusSource source(options);
  const auto minibatches = ReadAll(&source);
  ASSERT_EQ(minibatches.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(minibatches[i].id, 5 + i);
    EXPECT_EQ(minibatches[i].counts.items, i < 2 ? 4u : 2u);
  }
  CorpusSource again(options);
  again.Resume(minibatches[0].position, {});
  EXPECT_EQ(again.Next()->id, 6u);
}

TEST(CorpusSource, AMinibatchCountsItsDocumentsTokensAndThoseThatWereSkipped) {
  const Folder folder;
  const std::string vocabulary = folder.Write("words", SmallCorpus().vocabulary);
  for (const auto& [format, content] : SmallCorpus().All()) {
    CorpusOptions options = OptionsFor({folder.Write("a", content)}, 2);
    options.vocabulary_file = vocabulary;
    CorpusSource source(options);
    const auto minibatches = ReadAll(&source);
    ASSERT_EQ(minibatches.size(), 2u);
    EXPECT_EQ(minibatches[0].counts, (Counts{.items = 2, .tokens = 7})) << format;
    EXPECT_EQ(minibatches[1].counts, (Counts{.items = 1, .tokens = 2, .skipped = 1})) << format;
    CorpusSource again(options);
    again.Resume(minibatches[0].position, {});
    EXPECT_EQ(again.Next()->counts, minibatches[1].counts) << format;
  }
}

TEST(CorpusSource, AnEmptyPositionIsTheStartOfTheStream) {
  const Folder folder;
  const std::string vocabulary = folder.Write("words", SmallCorpus().vocabulary);
  for (const auto& [format, content] : SmallCorpus().All()) {
    for (const bool choose : {false, true}) {
      if (choose && format != "text" && format != "jsonl") continue;
      CorpusOptions options =
          OptionsFor({folder.Write("a", content), folder.Write("b", content)}, 2);
      if (!choose) options.vocabulary_file = vocabulary;
      CorpusSource source(options);
      const auto all = ReadAll(&source);
      const CorpusCounts counts = source.counts();
      source.Resume("", {});
      const auto again = ReadAll(&source);
      EXPECT_EQ(Lines(again), Lines(all)) << format;
      ASSERT_EQ(again.size(), all.size()) << format;
      EXPECT_EQ(again[0].id, 0u);
      EXPECT_EQ(again[0].counts, all[0].counts);
      EXPECT_EQ(source.counts().documents, counts.documents);
      source.Next();
      source.Resume("", {1, 2});
      EXPECT_EQ(source.Next()->counts.items, 1u) << format;
      EXPECT_EQ(source.Next()->data.numbers[0], 2u) << format;
    }
  }
}

}  // namespace
}  // namespace sda
