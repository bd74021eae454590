#include "cluster/worker/word_sample.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sda::cluster {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(WordSampleTest, PartitionsShareEquallyAndTheLargeOnesTakeWhatTheSmallOnesLack) {
  EXPECT_THAT(SampleShares({100, 100, 100, 100}, 40), ElementsAre(10, 10, 10, 10));
  EXPECT_THAT(SampleShares({100, 3, 0, 50}, 43), ElementsAre(20, 3, 0, 20));
  EXPECT_THAT(SampleShares({100, 3, 0, 5}, 43), ElementsAre(35, 3, 0, 5));
}

TEST(WordSampleTest, SharesAreAllThatThereIsIfThatIsLess) {
  EXPECT_THAT(SampleShares({7, 0, 2}, 1000), ElementsAre(7, 0, 2));
  EXPECT_THAT(SampleShares({}, 1000), IsEmpty());
}

TEST(WordSampleTest, FewerDocumentsThanPartitionsAreSharedToo) {
  EXPECT_THAT(SampleShares({9, 9, 9}, 2), ElementsAre(0, 1, 1));
}

}  // namespace
}  // namespace sda::cluster
