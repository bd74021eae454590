#include "cluster/worker/member.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "tests/cluster/mock_cluster.h"

namespace sda::cluster {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> TextsOf(const std::vector<Member::Document>& documents) {
  std::vector<std::string> texts;
  for (const Member::Document& document : documents) texts.push_back(document.text);
  return texts;
}

class MemberTest : public testing::Test {
 protected:
  MemberTest() { Join(); }

  void Join() {
    member_.reset();
    member_ = std::make_unique<Member>(
        job_, "worker", [this](bool) { return folded_; }, log_.context());
  }

  // Waits for up to that many documents; fewer if none are left.
  std::vector<std::string> Take(size_t count) {
    return TextsOf(member_->Take(count, {.at_end_at_once = true}, {}));
  }
  // What a worker does: a note of one delta. Whether it was committed.
  bool Commit() {
    return member_->Commit([&](Producer& producer, const Member::Ranges& offsets) {
      producer.Produce(job_.deltas_topic(), 0, "key", "value");
      written_ = offsets;
    });
  }
  // Commits again and again what is taken, until it succeeds.
  bool TakeAndCommitUntilItSucceeds() {
    return Eventually([&] {
      Take(2);
      return Commit();
    });
  }

  MockCluster brokers_;
  CollectedLog log_;
  const Job job_ = brokers_.NewJob(SmallSettings(), 1);
  Member::Offsets folded_;
  Member::Ranges written_;
  std::unique_ptr<Member> member_;
};

TEST_F(MemberTest, TakesDocumentsWithTheirKeysAndTimes) {
  brokers_.Send(job_.documents, 0, {{.value = "one", .key = "k"}, {.value = "two"}});
  const auto documents = member_->Take(2, {}, {});
  EXPECT_THAT(TextsOf(documents), ElementsAre("one", "two"));
  EXPECT_EQ(documents[0].key, "k");
  EXPECT_EQ(documents[1].key, "");
  EXPECT_EQ(documents[1].offset, 1);
  EXPECT_GT(documents[0].milliseconds, 1'500'000'000'000);
  EXPECT_TRUE(Commit());
  EXPECT_EQ(written_, (Member::Ranges{{0, {0, 2}}}));
  EXPECT_EQ(member_->counts().partitions, 1);
  EXPECT_EQ(member_->counts().rejoined, 0);
}

TEST_F(MemberTest, BeginsWhereTheLogSaysThatTheJobHasReadTo) {
  brokers_.SendTexts(job_.documents, 0, {"one", "two", "three"});
  folded_ = {{0, 2}};
  Join();
  EXPECT_THAT(Take(5), ElementsAre("three"));
}

TEST_F(MemberTest, WhatIsDroppedIsReadAgain) {
  brokers_.SendTexts(job_.documents, 0, {"one", "two", "three"});
  EXPECT_THAT(Take(2), ElementsAre("one", "two"));
  member_->Drop();
  EXPECT_THAT(Take(2), ElementsAre("one", "two"));
  EXPECT_TRUE(Commit());
  EXPECT_THAT(Take(2), ElementsAre("three"));
}

TEST_F(MemberTest, WhatIsPutBackIsNextAndNotCommitted) {
  brokers_.SendTexts(job_.documents, 0, {"one", "two", "three"});
  auto documents = member_->Take(3, {.at_end_at_once = true}, {});
  ASSERT_EQ(documents.size(), 3);
  member_->PutBack({documents.begin() + 1, documents.end()});
  EXPECT_TRUE(Commit());
  EXPECT_EQ(written_, (Member::Ranges{{0, {0, 1}}}));
  EXPECT_THAT(Take(3), ElementsAre("two", "three"));
  EXPECT_TRUE(Commit());
  EXPECT_EQ(written_, (Member::Ranges{{0, {1, 3}}}));
}

TEST_F(MemberTest, WhatIsPutBackIsReadAgainIfTheRestIsDropped) {
  brokers_.SendTexts(job_.documents, 0, {"one", "two", "three"});
  auto documents = member_->Take(3, {.at_end_at_once = true}, {});
  ASSERT_EQ(documents.size(), 3);
  member_->PutBack({documents.begin() + 1, documents.end()});
  member_->Drop();
  EXPECT_THAT(Take(3), ElementsAre("one", "two", "three"));
  member_->PutBack(documents);  // all of them: nothing is current
  EXPECT_THAT(Take(3), ElementsAre("one", "two", "three"));
}

TEST_F(MemberTest, WhatTheWriterThrowsIsThrownAndNothingIsCommitted) {
  brokers_.SendTexts(job_.documents, 0, {"one"});
  Take(1);
  EXPECT_THROW(
      member_->Commit([](Producer&, const Member::Ranges&) { throw std::logic_error("no"); }),
      std::logic_error);
  EXPECT_TRUE(Commit());  // the next transaction can begin
  EXPECT_EQ(written_, (Member::Ranges{{0, {0, 1}}}));
}

// The producer of a member that the group has given up is shut out by the next one.
TEST_F(MemberTest, AMemberThatIsFencedDropsWhatItHasAndJoinsAgain) {
  for (const auto error :
       {RD_KAFKA_RESP_ERR_PRODUCER_FENCED, RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH}) {
    brokers_.SendTexts(job_.documents, 0, {"one", "two"});
    const uint64_t before = member_->counts().rejoined;
    Take(2);
    brokers_.Answer(Request::kTxnOffsetCommit, {error});
    EXPECT_FALSE(Commit());
    EXPECT_EQ(member_->counts().rejoined, before + 1);
    EXPECT_THAT(log_.text(), HasSubstr("joins the job again"));
    folded_.clear();
    EXPECT_TRUE(TakeAndCommitUntilItSucceeds());
  }
}

TEST_F(MemberTest, AFencedCommitIsNoCommit) {
  brokers_.SendTexts(job_.documents, 0, {"one", "two"});
  Take(2);
  brokers_.Answer(Request::kEndTxn, {RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH});
  EXPECT_FALSE(Commit());
  EXPECT_EQ(member_->counts().rejoined, 1);
  EXPECT_TRUE(TakeAndCommitUntilItSucceeds());
}

// The group has a new generation, and the news is on its way: the transaction is tried again.
TEST_F(MemberTest, ATransactionOfAnotherGenerationIsTriedAgain) {
  brokers_.SendTexts(job_.documents, 0, {"one", "two"});
  for (const auto error :
       {RD_KAFKA_RESP_ERR_ILLEGAL_GENERATION, RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID,
        RD_KAFKA_RESP_ERR_REBALANCE_IN_PROGRESS}) {
    Take(1);
    brokers_.Answer(Request::kTxnOffsetCommit, {error});
    EXPECT_TRUE(Commit()) << rd_kafka_err2str(error) << "\n" << log_.text();
    brokers_.SendTexts(job_.documents, 0, {"more"});
  }
  EXPECT_EQ(member_->counts().rejoined, 0);
}

TEST_F(MemberTest, ErrorsThatPassAreWaitedFor) {
  brokers_.SendTexts(job_.documents, 0, {"one", "two"});
  Take(2);
  brokers_.Answer(Request::kAddOffsetsToTxn,
                  {RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE, RD_KAFKA_RESP_ERR_NOT_COORDINATOR});
  brokers_.Answer(Request::kTxnOffsetCommit, {RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT,
                                              RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE});
  brokers_.Answer(Request::kEndTxn, {RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS});
  EXPECT_TRUE(Commit()) << log_.text();
  EXPECT_EQ(member_->counts().rejoined, 0);
}

TEST_F(MemberTest, AMemberThatTheGroupDoesNotKnowGetsItsPartitionsBack) {
  brokers_.SendTexts(job_.documents, 0, {"one"});
  EXPECT_THAT(Take(1), ElementsAre("one"));
  EXPECT_TRUE(Commit());
  folded_ = {{0, 1}};
  brokers_.Answer(Request::kHeartbeat, {RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID});
  ASSERT_TRUE(Eventually([&] { return !member_->Has(0); }, std::chrono::seconds(15)));
  ASSERT_TRUE(Eventually([&] { return member_->Has(0); }));
  brokers_.SendTexts(job_.documents, 0, {"two"});
  EXPECT_THAT(Take(1), ElementsAre("two"));
  EXPECT_TRUE(Commit());
}

TEST_F(MemberTest, WhatIsInHandIsLostWithTheGroup) {
  brokers_.SendTexts(job_.documents, 0, {"one"});
  EXPECT_THAT(Take(1), ElementsAre("one"));
  brokers_.Answer(Request::kHeartbeat, {RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID});
  ASSERT_TRUE(Eventually([&] { return !member_->Has(0); }, std::chrono::seconds(15)));
  EXPECT_FALSE(Commit());
  EXPECT_THAT(Take(1), ElementsAre("one"));
  EXPECT_TRUE(Commit());
}

TEST_F(MemberTest, BrokersThatAreAwayForAWhileAreWaitedFor) {
  brokers_.SendTexts(job_.documents, 0, {"one"});
  EXPECT_THAT(Take(1), ElementsAre("one"));
  brokers_.SetDown();
  std::jthread later([&] {
    std::this_thread::sleep_for(std::chrono::seconds(2));
    brokers_.SetUp();
  });
  EXPECT_TRUE(Commit() || TakeAndCommitUntilItSucceeds()) << log_.text();
}

TEST_F(MemberTest, AStopEndsWaiting) {
  const Context context(1);
  Member member(
      job_, "other", [](bool) { return Member::Offsets{}; }, context);
  std::jthread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    context.RequestStop();
  });
  EXPECT_TRUE(member.Take(1, {}, {}).empty());
}

TEST_F(MemberTest, AJobThatWasMadeAgainIsLeft) {
  Job before = job_;
  before.id = "4567";
  // Partitions come, and with them the question whether the job is the same.
  Member member(
      before, "worker", [this](bool) { return folded_; }, log_.context());
  EXPECT_TRUE(Eventually([&] {
    try {
      member.ExpectReading();
      return false;
    } catch (const IoError& e) {
      EXPECT_THAT(e.what(), HasSubstr("job job was deleted or repaired, and another of this name"));
      return true;
    }
  }));
}

TEST_F(MemberTest, TheGroupIsCaughtUpWhenTheLogHasAllDocuments) {
  brokers_.SendTexts(job_.documents, 0, {"one", "two"});
  EXPECT_FALSE(member_->GroupIsCaughtUp({}, 0));
  EXPECT_FALSE(member_->GroupIsCaughtUp({{0, 1}}, 0));
  EXPECT_TRUE(member_->GroupIsCaughtUp({{0, 2}}, 0));
  brokers_.SendTexts(job_.deltas_topic(), 0, {"a delta that the view has yet to read"});
  EXPECT_FALSE(member_->GroupIsCaughtUp({{0, 2}}, 0));
  EXPECT_TRUE(member_->GroupIsCaughtUp({{0, 2}}, 1));
}

}  // namespace
}  // namespace sda::cluster
