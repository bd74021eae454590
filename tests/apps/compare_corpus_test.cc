#include "compare/compare_corpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace sda {
namespace {

using ::testing::HasSubstr;

class CompareCorpus : public ::testing::Test {
 protected:
  CompareCorpus() {
    std::string name = ::testing::TempDir() + "compare_corpus_XXXXXX";
    folder_ = mkdtemp(name.data());
  }
  ~CompareCorpus() override { std::filesystem::remove_all(folder_); }

  std::string Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ + "/" + name) << text;
    return folder_ + "/" + name;
  }
  std::string Read(const std::string& name) {
    std::ifstream file(folder_ + "/" + name);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }
  // 1,000 documents; every seventh has no words, document d has word d % 10, d times 3.
  CorpusOptions Thousand() {
    std::string text = "1000\n10\n858\n";
    for (int d = 1; d <= 1000; ++d) {
      if (d % 7 != 0) text += Triplet(d);
    }
    CorpusOptions options;
    options.inputs = {Write("docword.txt", text)};
    return options;
  }
  static std::string Triplet(int d) {
    return std::to_string(d) + " " + std::to_string(d % 10 + 1) + " 3\n";
  }

  std::string folder_;
};

TEST_F(CompareCorpus, IsTheSameDocumentsWithTheSameNumbersUnlessSampled) {
  CorpusOptions options = Thousand();
  options.held_out = {1, 5, 700, 1000};  // 700 has no words
  const CorpusCopy copy = CopyCorpus(options, {}, folder_, "corpus");
  EXPECT_EQ(copy.documents, 858 - 3);
  EXPECT_EQ(copy.tokens, 3 * (858 - 3));
  EXPECT_EQ(copy.held_out, 3);
  EXPECT_EQ(Read("corpus.holdout.txt"), "1\n5\n1000\n");

  CorpusOptions copied;
  copied.inputs = {folder_ + "/corpus.ldac"};
  copied.format = CorpusFormat::kLdac;
  copied.vocabulary_file = folder_ + "/corpus.vocab.txt";
  for (CorpusOptions* o : {&options, &copied}) {
    o->held_out = ReadDocumentNumbers(folder_ + "/corpus.holdout.txt");
    o->minibatch = 10'000;
  }
  const Documents before = CorpusSource(options).Next()->data;
  const Documents after = CorpusSource(copied).Next()->data;
  EXPECT_EQ(before.numbers, after.numbers);
  EXPECT_EQ(before.words, after.words);
  EXPECT_EQ(before.counts, after.counts);
  EXPECT_EQ(before.offsets, after.offsets);
}

TEST_F(CompareCorpus, WithoutAListATenthIsHeldOutAndTheRestLearntFrom) {
  const CorpusCopy copy = CopyCorpus(Thousand(), {}, folder_, "corpus");
  EXPECT_NEAR(static_cast<double>(copy.held_out), 86, 30);
  EXPECT_EQ(copy.documents + copy.held_out, 858);
  const CorpusCopy limited = CopyCorpus(Thousand(), {.held_out = 20}, folder_, "corpus");
  EXPECT_EQ(limited.held_out, 20);
  EXPECT_EQ(limited.documents, 838);
}

TEST_F(CompareCorpus, ASampleHasItsLimitsAndKeepsTheOrder) {
  const CorpusCopy copy = CopyCorpus(Thousand(), {.documents = 50, .held_out = 10}, folder_, "s");
  EXPECT_EQ(copy.documents, 50);
  EXPECT_EQ(copy.tokens, 150);
  EXPECT_EQ(copy.held_out, 10);
  std::istringstream lines(Read("s.ldac"));
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) EXPECT_THAT(line, HasSubstr(":3"));
  EXPECT_EQ(count, 60);
  const CorpusCopy few =
      CopyCorpus(Thousand(), {.documents = 50, .tokens = 31, .held_out = 10}, folder_, "s");
  EXPECT_EQ(few.documents, 10);
}

TEST_F(CompareCorpus, TheHashIsThatOfTheDocumentsTheWordsAndTheHeldOut) {
  CorpusOptions options = Thousand();
  const std::string hash = CopyCorpus(options, {}, folder_, "a").hash;
  EXPECT_EQ(CopyCorpus(options, {}, folder_, "b").hash, hash);
  EXPECT_NE(CopyCorpus(options, {.held_out = 20}, folder_, "b").hash, hash);
  options.vocabulary_file = Write("words", "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n");
  EXPECT_NE(CopyCorpus(options, {}, folder_, "b").hash, hash);
}

TEST_F(CompareCorpus, WordsOfATextAreNotChosenFromHeldOutDocuments) {
  std::string text;
  for (int d = 1; d <= 60; ++d) text += "common words everywhere own" + std::string(d, 'x') + "\n";
  CorpusOptions options;
  options.inputs = {Write("text.txt", text)};
  options.format = CorpusFormat::kText;
  options.maximum_document_share = 1;
  options.minimum_document_frequency = 1;
  const CorpusCopy copy = CopyCorpus(options, {}, folder_, "corpus");
  EXPECT_GT(copy.held_out, 0);
  std::istringstream numbers(Read("corpus.holdout.txt"));
  const std::string vocabulary = "\n" + Read("corpus.vocab.txt");
  for (int d = 0; numbers >> d;) {
    EXPECT_EQ(vocabulary.find("\nown" + std::string(d, 'x') + "\n"), std::string::npos) << d;
  }
  EXPECT_THAT(vocabulary, HasSubstr("\nownx"));
}

TEST_F(CompareCorpus, ANumberBeyondTheEndAndNothingToScoreOnAreErrors) {
  CorpusOptions options = Thousand();
  options.held_out = {1001};
  EXPECT_THROW(CopyCorpus(options, {}, folder_, "corpus"), InputError);
  options.held_out = {7};  // has no words
  EXPECT_THROW(CopyCorpus(options, {}, folder_, "corpus"), InputError);
}

}  // namespace
}  // namespace sda
