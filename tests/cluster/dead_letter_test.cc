#include "cluster/log/dead_letter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster/worker/worker.h"
#include "sda/errors.h"
#include "tests/cluster/mock_cluster.h"

namespace sda::cluster {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST(DeadLetterTest, ComesBackFromJson) {
  const DeadLetter letter{{"t", 3, 17, "is \"empty\""}, "w"};
  EXPECT_EQ(ParseDeadLetter(ToJson(letter)), letter);
  DeadLetter long_one = letter;
  long_one.message.reason.assign(5000, '\xff');
  EXPECT_THAT(ToJson(long_one), SizeIs(testing::Lt(1000)));
  EXPECT_NO_THROW(ParseDeadLetter(ToJson({{"t", 0, 0, "\xff\xfe"}, "\xff"})));
}

TEST(DeadLetterTest, WhatIsNoneIsRefused) {
  for (const char* text : {"", "{}", "[]", R"({"version":2})", R"({"version":4,"topic":1})",
                           R"({"version":4,"topic":"t","partition":-1,"offset":0})",
                           R"({"version":4,"topic":"t","partition":4294967296,"offset":0})"}) {
    EXPECT_THROW(ParseDeadLetter(text), InputError) << text;
  }
}

class RejectedTest : public testing::Test {
 protected:
  static JobSettings Settings() {
    JobSettings settings = SmallSettings();
    settings.options.format = "jsonl";
    settings.options.first_minibatch = settings.options.minibatch = 300;
    return settings;
  }
  // All that there is to learn, by a worker.
  Summary Learn() {
    Worker worker(job_, {.name = "w", .until_caught_up = true}, log_.context());
    worker.Run();
    return worker.summary();
  }

  MockCluster brokers_;
  CollectedLog log_;
  const Job job_ = brokers_.NewJob(Settings(), 1);
};

TEST_F(RejectedTest, BadDocumentsAreNotedWhereTheyAre) {
  brokers_.SendTexts(job_.documents, 0,
                     {R"({"text":"apple dog"})", "not JSON", "", R"({"text":"fox"})", "[]"});
  EXPECT_EQ(Learn().counts.items, 2);
  const auto letters = ReadDeadLetters(job_, 100, {});
  ASSERT_THAT(letters, SizeIs(3));
  EXPECT_EQ(letters[0].message.topic, job_.documents);
  EXPECT_EQ(letters[0].message.offset, 1);
  EXPECT_EQ(letters[1].message.offset, 2);
  EXPECT_EQ(letters[2].message.offset, 4);
  EXPECT_EQ(letters[0].worker, "w");
  EXPECT_FALSE(letters[0].message.reason.empty());
  for (const int offset : {1, 2, 4}) {
    EXPECT_THAT(log_.text(), HasSubstr("topic sda.job.in.documents, partition 0, offset " +
                                       std::to_string(offset) + ": "));
  }
  EXPECT_THAT(ReadDeadLetters(job_, 2, {}), SizeIs(2));  // the last ones
}

// A message is a letter at most, a flood of them a hundred.
TEST_F(RejectedTest, OfManyTheFirstAreNoted) {
  std::vector<std::string> texts(250, "not JSON");
  texts.emplace_back(R"({"text":"apple"})");
  brokers_.SendTexts(job_.documents, 0, texts);
  EXPECT_EQ(Learn().counts.items, 1);
  const auto letters = ReadDeadLetters(job_, 1000, {});
  ASSERT_THAT(letters, SizeIs(100));
  EXPECT_THAT(letters.back().message.reason, HasSubstr("and 150 more after it"));
}

TEST_F(RejectedTest, AWorkerThatMayNotNoteThemLearnsAllTheSame) {
  brokers_.SendTexts(job_.documents, 0, {R"({"text":"apple dog"})", "not JSON"});
  constexpr auto kAddPartitions = static_cast<Request>(24);
  brokers_.Answer(kAddPartitions, {RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED});
  EXPECT_EQ(Learn().counts.items, 1);
  EXPECT_THAT(log_.text(), AllOf(HasSubstr("cannot note what was rejected"),
                                 HasSubstr("topic sda.job.log.rejected")));
  EXPECT_THAT(ReadDeadLetters(job_, 10, {}), IsEmpty());
}

}  // namespace
}  // namespace sda::cluster
