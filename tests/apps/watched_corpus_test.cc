#include "ui/watched_corpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/base/temporary_file.h"

namespace sda {
namespace {

using ::testing::ElementsAre;

TEST(WatchedCorpus, TellsOfDocumentsWhenTheNextOnesAreAskedFor) {
  const TemporaryFile file("sea tide\nsea sail\ntide sail\n", ".txt");
  CorpusOptions options;
  options.inputs = {file.path()};
  options.vocabulary = {"sail", "sea", "tide"};
  options.minibatch = 2;
  std::vector<uint64_t> told;
  std::vector<bool> finished;
  WatchedCorpus corpus(options, Context(), [&](const Summary& summary) {
    told.push_back(summary.counts.items);
    finished.push_back(summary.finished);
  });
  while (corpus.Next()) continue;
  EXPECT_THAT(told, ElementsAre(0, 2, 3));
  EXPECT_THAT(finished, ElementsAre(false, false, true));
}

}  // namespace
}  // namespace sda
