#include "cluster/worker/keeper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster/worker/view_thread.h"
#include "tests/cluster/mock_cluster.h"

namespace sda::cluster {
namespace {

using testing::HasSubstr;

class KeeperTest : public testing::Test {
 protected:
  void SendDelta(uint64_t documents) {
    brokers_.Send(job_.deltas_topic(), 0,
                  {SentDelta(job_, {.documents = documents}, OneRow(1, 1))});
  }
  size_t StoredSnapshots() const { return brokers_.Notes(job_.snapshots_topic()).size(); }

  MockCluster brokers_;
  CollectedLog log_;
  const Context context_ = log_.context();
  const Job job_ = brokers_.NewJob(SmallSettings(), 1);
  LogView view_{job_, KeyedRows(std::vector<double>(3, 0.5))};
  ViewThread reading_{&view_, context_, context_};
};

TEST_F(KeeperTest, WritesASnapshotAfterThatNumberOfDeltas) {
  Keeper keeper(job_, 2, &view_, context_);
  ASSERT_TRUE(Eventually([&] { return keeper.is_keeper(); }));
  SendDelta(1);
  SendDelta(2);
  ASSERT_TRUE(Eventually([&] { return keeper.snapshots() == 1; })) << log_.text();
  const auto notes = brokers_.Notes(job_.snapshots_topic());
  ASSERT_EQ(notes.size(), 1);
  const SnapshotNote note = ParseSnapshotHeader(notes[0]);
  EXPECT_EQ(note.job, job_.id);
  EXPECT_EQ(note.position, 2);
  EXPECT_EQ(LogTotals::FromJson(note.totals).documents, 3);
  EXPECT_EQ(NewestSnapshot(job_, {}), 2);
}

// The brokers of the test cannot trim; neither can a user who lacks the permission.
TEST_F(KeeperTest, ALogThatCannotBeTrimmedIsReportedAndSnapshotsContinue) {
  Keeper keeper(job_, 1, &view_, context_);
  SendDelta(1);
  ASSERT_TRUE(Eventually([&] { return keeper.snapshots() == 1; })) << log_.text();
  SendDelta(1);
  ASSERT_TRUE(Eventually([&] { return keeper.snapshots() == 2; })) << log_.text();
  EXPECT_TRUE(
      Eventually([&] { return log_.text().find("cannot trim the log") != std::string::npos; }));
}

TEST_F(KeeperTest, AKeeperThatIsFencedTriesAgain) {
  Keeper keeper(job_, 1, &view_, context_);
  brokers_.Answer(Request::kEndTxn, {RD_KAFKA_RESP_ERR_PRODUCER_FENCED});
  SendDelta(1);
  ASSERT_TRUE(Eventually([&] { return keeper.snapshots() == 1; })) << log_.text();
  EXPECT_GE(StoredSnapshots(), 1);
}

TEST_F(KeeperTest, AKeeperThatTheGroupDoesNotKnowGivesUpAndComesBack) {
  Keeper keeper(job_, 1, &view_, context_);
  ASSERT_TRUE(Eventually([&] { return keeper.is_keeper(); }));
  brokers_.Answer(Request::kHeartbeat, {RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID});
  ASSERT_TRUE(Eventually([&] { return !keeper.is_keeper(); }));
  ASSERT_TRUE(Eventually([&] { return keeper.is_keeper(); }));
  SendDelta(1);
  EXPECT_TRUE(Eventually([&] { return keeper.snapshots() == 1; })) << log_.text();
}

TEST_F(KeeperTest, ATimeoutOfTheCoordinatorIsWaitedFor) {
  Keeper keeper(job_, 1, &view_, context_);
  brokers_.Answer(Request::kInitProducerId, {RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE,
                                             RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT});
  SendDelta(1);
  EXPECT_TRUE(Eventually([&] { return keeper.snapshots() == 1; })) << log_.text();
}

// Of two, one stands by.
TEST_F(KeeperTest, OneOfTwoIsKeeper) {
  Keeper a(job_, 1, &view_, context_);
  ASSERT_TRUE(Eventually([&] { return a.is_keeper(); }));
  Keeper b(job_, 1, &view_, context_);
  SendDelta(1);
  EXPECT_TRUE(Eventually([&] { return a.snapshots() + b.snapshots() >= 1; })) << log_.text();
  EXPECT_FALSE(a.is_keeper() && b.is_keeper());
}

TEST_F(KeeperTest, AViewThatCannotReadTheLogWritesNoSnapshot) {
  SendDelta(1);
  brokers_.Send(job_.deltas_topic(), 0,
                {{"of the future", "id", R"({"version":4,"id":"x","chunk":0,"chunks":1})"}});
  EXPECT_TRUE(Eventually([&] { return context_.StopRequested(); }));  // by the view's thread
  Keeper keeper(job_, 1, &view_, context_);
  EXPECT_TRUE(Eventually([&] {
    return log_.text().find("no snapshot: topic sda.job.deltas, offset 1") != std::string::npos;
  })) << log_.text();
  EXPECT_EQ(keeper.snapshots(), 0);
  EXPECT_EQ(StoredSnapshots(), 0);
}

}  // namespace
}  // namespace sda::cluster
