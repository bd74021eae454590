#include "ui/topic_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sda {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(TopicText, ACoherenceNearZeroHasNoSign) {
  EXPECT_EQ(CoherenceNumber(-0.004), "0.00");
  EXPECT_EQ(CoherenceNumber(-0.006), "-0.01");
  EXPECT_THAT(CoherenceText({.words = 10, .documents = 1, .npmi = {-0.001}}),
              HasSubstr("median coherence 0.00 (NPMI of the top 10 words of each topic, in a "
                        "sample of 1 document)"));
}

TEST(TopicText, OneTopicIsNoTopics) {
  TopicSearch search{.topics = 1, .documents = 200};
  EXPECT_THAT(TopicSearchText(search), HasSubstr("1 topic: there were too few documents"));
  search.candidates = {{.topics = 1, .score = -3}, {.topics = 20, .score = -4, .below_best = 1}};
  EXPECT_THAT(TopicSearchText(search),
              AllOf(HasSubstr("1 topic was chosen in 0.0 s"), HasSubstr("*     1 topic   -3.0000"),
                    HasSubstr("     20 topics  -4.0000")));
}

}  // namespace
}  // namespace sda
