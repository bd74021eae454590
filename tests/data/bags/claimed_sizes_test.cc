// What a few bytes claim: counts of billions, and millions of words.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sda/corpus.h"
#include "tests/data/corpus_files.h"

namespace sda {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Repeated(const std::string& line, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += line;
  return all;
}

std::vector<size_t> SizesOf(const std::vector<Minibatch<Documents>>& minibatches) {
  std::vector<size_t> sizes;
  for (const auto& minibatch : minibatches) sizes.push_back(minibatch.data.size());
  return sizes;
}

TEST(ClaimedSizes, AMinibatchOfLongDocumentsIsCutAndContinuesFromThere) {
  const Folder folder;
  const Documents one{{0, 1}, {0}, {UINT32_MAX}, {1}, {}, {}};
  const size_t most = kMaxMinibatchDraws / Draws(one, 0);
  ASSERT_GT(most, 1000u);
  const int lines = static_cast<int>(2 * most) + 100;
  CorpusOptions options = OptionsFor({folder.Write("corpus", Repeated("1 0:4294967295\n", lines))});
  options.minibatch = 1'000'000;
  CorpusSource source(options);
  const auto minibatches = ReadAll(&source);
  const auto part = Draws(one, 0) * most < kMaxMinibatchDraws ? most + 1 : most;
  EXPECT_THAT(SizesOf(minibatches), ElementsAre(part, part, lines - 2 * part));
  EXPECT_EQ(source.counts().tokens, uint64_t{UINT32_MAX} * lines);
  EXPECT_EQ(minibatches[1].counts.tokens, uint64_t{UINT32_MAX} * part);

  source.Resume(minibatches[0].position, {});
  EXPECT_EQ(Lines(ReadAll(&source)).front(), Lines(minibatches[1].data).front());
  // As the run that is resumed cut it, however large.
  source.Resume("", {part + 7});
  EXPECT_THAT(SizesOf(ReadAll(&source)), ElementsAre(part + 7, part, lines - 2 * part - 7));

  options.minibatch = kWholeStream;
  CorpusSource whole(options);
  EXPECT_THAT(SizesOf(ReadAll(&whole)), ElementsAre(lines));
}

TEST(ClaimedSizes, OrdinaryMinibatchesAreNotCut) {
  const Folder folder;
  CorpusOptions options = OptionsFor({folder.Write("corpus", Repeated("2 0:900 7:100\n", 20'000))});
  options.minibatch = 1'000'000;
  CorpusSource source(options);
  EXPECT_THAT(SizesOf(ReadAll(&source)), ElementsAre(20'000));
}

TEST(ClaimedSizes, AMillionWordsAreBelievedMoreIfTheFileIsLargeOrTheOptionsSaySo) {
  const Folder folder;
  const auto size = [](const CorpusOptions& o) { return CorpusSource(o).vocabulary_size(); };
  CorpusOptions options = OptionsFor({folder.Write("corpus", "1 1048575:1\n")});
  EXPECT_EQ(size(options), 1u << 20);
  options.inputs = {folder.Write("corpus", "1 1048576:1\n")};
  EXPECT_THAT(ErrorOf(options), HasSubstr(":1: word id 1048576, expected 0 to 1048575"));
  options.maximum_vocabulary = 1'048'577;
  EXPECT_EQ(size(options), (1u << 20) + 1);
  options.maximum_vocabulary = 10'000;
  options.inputs = {folder.Write("corpus", "1 1048600:1\n" + Repeated("1 0:1         \n", 70'000))};
  EXPECT_EQ(size(options), 1'048'601u);
}

TEST(ClaimedSizes, AListOfWordsIsBelieved) {
  const Folder folder;
  std::string words;
  for (int i = 0; i < 1'100'000; ++i) words += "w" + std::to_string(i) + "\n";
  CorpusOptions options = OptionsFor({folder.Write("corpus", "1 1099999:1\n")});
  options.vocabulary_file = folder.Write("words", words);
  EXPECT_THAT(ReadLines(options), ElementsAre("1: 1099999*1"));
  options.inputs = {folder.Write("corpus", "1 1100000:1\n")};
  EXPECT_THAT(ErrorOf(options), ::testing::EndsWith("word id 1100000, expected 0 to 1099999"));
}

}  // namespace
}  // namespace sda
