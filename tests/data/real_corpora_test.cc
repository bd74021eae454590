#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "sda/corpus.h"
#include "sda/prefetch_source.h"
#include "tests/data/corpus_files.h"

namespace sda {
namespace {

namespace fs = std::filesystem;

// The folder with the shared corpora: $SDA_DATA, else shared/data beside the source tree.
fs::path DataFolder() {
  const char* given = std::getenv("SDA_DATA");
  return given != nullptr ? fs::path(given) : fs::path(SDA_SOURCE_ROOT) / ".." / "shared" / "data";
}

class RealCorpus : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const std::string name = GetParam();
    folder_ = DataFolder() / (name == "ap_orig" ? "ap" : name);
    if (!fs::exists(folder_)) GTEST_SKIP() << "no corpora; set SDA_DATA to their folder";
    stats_ = nlohmann::json::parse(std::ifstream(folder_ / ("stats." + name + ".json")));
    options_ = OptionsFor({(folder_ / ("docword." + name + ".txt.gz")).string()}, 1000);
  }

  fs::path folder_;
  nlohmann::json stats_;
  CorpusOptions options_;
};

TEST_P(RealCorpus, HasTheCountsOfItsStatistics) {
  CorpusSource source(options_);
  PrefetchSource<Documents> prefetch(&source);
  uint64_t documents = 0;
  uint64_t entries = 0;
  while (const auto minibatch = prefetch.Next()) {
    documents += minibatch->counts.items;
    entries += minibatch->data.words.size();
    EXPECT_GT(source.counts().bytes, 0u);
  }
  EXPECT_EQ(documents, stats_["documents"]);
  EXPECT_EQ(entries, stats_["nnz"]);
  EXPECT_EQ(source.counts().tokens, stats_["tokens"]);
  EXPECT_EQ(source.counts().skipped, 0u);
  EXPECT_EQ(source.vocabulary_size(), stats_["vocabulary"]);
  EXPECT_EQ(source.vocabulary().size(), stats_["vocabulary"]);
}

TEST_P(RealCorpus, HoldsOutItsTestDocuments) {
  options_.held_out = ReadDocumentNumbers((folder_ / ("test_ids." + GetParam() + ".txt")).string());
  ASSERT_EQ(options_.held_out.size(), stats_["test_documents"]);
  CorpusSource source(options_);
  ReadAll(&source);
  EXPECT_EQ(source.held_out().numbers, options_.held_out);
  EXPECT_EQ(Lines(ReadDocuments(options_, options_.held_out)), Lines(source.held_out()));
}

class RealText : public RealCorpus {};

TEST_P(RealText, HasADocumentALine) {
  options_.inputs = {(folder_ / (GetParam() + ".txt.zst")).string()};
  options_.vocabulary_file = (folder_ / ("vocab." + GetParam() + ".txt")).string();
  CorpusSource source(options_);
  EXPECT_EQ(source.format(), CorpusFormat::kText);
  ReadAll(&source);
  EXPECT_EQ(source.counts().documents, stats_["documents"]);
  // Their tokeniser cuts at points and drops accents, ours does not: near, not equal.
  EXPECT_NEAR(source.counts().tokens, stats_["tokens"].get<double>(),
              0.1 * stats_["tokens"].get<double>());
}

const auto kName = [](const auto& corpus) { return corpus.param; };
INSTANTIATE_TEST_SUITE_P(Shared, RealCorpus,
                         ::testing::Values("reuters395", "ap", "ap_orig", "reuters21578", "nips"),
                         kName);
INSTANTIATE_TEST_SUITE_P(Shared, RealText, ::testing::Values("ap", "reuters21578", "nips"), kName);

}  // namespace
}  // namespace sda
