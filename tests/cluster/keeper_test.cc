#include "cluster/worker/keeper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster/log/dead_letter.h"
#include "cluster/log/snapshot_reader.h"
#include "cluster/worker/view_thread.h"
#include "tests/cluster/mock_cluster.h"

namespace sda::cluster {
namespace {

using testing::HasSubstr;

class KeeperTest : public testing::Test {
 protected:
  KeeperTest() { brokers_.SendTexts(job_.documents, 0, std::vector<std::string>(20, "apple")); }

  // Of the documents after those of the last one.
  void SendDelta(uint64_t documents) {
    brokers_.Send(job_.deltas_topic(), 0, {GoodDelta(job_, next_, documents)});
    next_ += static_cast<int64_t>(documents);
  }
  size_t StoredSnapshots() const { return brokers_.Notes(job_.snapshots_topic()).size(); }

  MockCluster brokers_;
  CollectedLog log_;
  const Context context_ = log_.context();
  const Job job_ = brokers_.NewJob(SmallSettings(), 1);
  int64_t next_ = 0;
  DeadLetterBox letters_;
  LogView view_{job_, SmallSettings().Prior()};
  ViewThread reading_{&view_, context_, context_};
};

TEST_F(KeeperTest, WritesASnapshotAfterThatNumberOfDeltas) {
  Keeper keeper(job_, "worker", 2, &view_, &letters_, context_);
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
  EXPECT_EQ(ReadSnapshots(job_, {}).newest->note.position, 2);
}

TEST_F(KeeperTest, NotesWhatIsNoSnapshotBeforeItIsTrimmed) {
  Keeper keeper(job_, "worker", 1, &view_, &letters_, context_);
  SendDelta(1);
  ASSERT_TRUE(Eventually([&] { return keeper.snapshots() == 1; })) << log_.text();
  brokers_.Send(job_.snapshots_topic(), 0, {{"forged", "id", "{}"}});
  SendDelta(1);
  ASSERT_TRUE(Eventually([&] { return keeper.snapshots() == 2; })) << log_.text();
  ASSERT_TRUE(Eventually([&] { return !ReadDeadLetters(job_, 9, {}).empty(); })) << log_.text();
  const SetAside noted = ReadDeadLetters(job_, 9, {})[0].message;
  EXPECT_EQ(noted.topic, job_.snapshots_topic());
  EXPECT_EQ(noted.reason, "the snapshot has no version, expected version 4");
}

// The brokers of the test cannot trim; neither can a user who lacks the permission.
TEST_F(KeeperTest, ALogThatCannotBeTrimmedIsReportedAndSnapshotsContinue) {
  Keeper keeper(job_, "worker", 1, &view_, &letters_, context_);
  SendDelta(1);
  ASSERT_TRUE(Eventually([&] { return keeper.snapshots() == 1; })) << log_.text();
  SendDelta(1);
  ASSERT_TRUE(Eventually([&] { return keeper.snapshots() == 2; })) << log_.text();
  EXPECT_TRUE(
      Eventually([&] { return log_.text().find("cannot trim the log") != std::string::npos; }));
}

TEST_F(KeeperTest, AKeeperThatIsFencedTriesAgain) {
  Keeper keeper(job_, "worker", 1, &view_, &letters_, context_);
  brokers_.Answer(Request::kEndTxn, {RD_KAFKA_RESP_ERR_PRODUCER_FENCED});
  SendDelta(1);
  ASSERT_TRUE(Eventually([&] { return keeper.snapshots() == 1; })) << log_.text();
  EXPECT_GE(StoredSnapshots(), 1);
}

TEST_F(KeeperTest, AKeeperThatTheGroupDoesNotKnowGivesUpAndComesBack) {
  Keeper keeper(job_, "worker", 1, &view_, &letters_, context_);
  ASSERT_TRUE(Eventually([&] { return keeper.is_keeper(); }));
  brokers_.Answer(Request::kHeartbeat, {RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID});
  ASSERT_TRUE(Eventually([&] { return !keeper.is_keeper(); }));
  ASSERT_TRUE(Eventually([&] { return keeper.is_keeper(); }));
  SendDelta(1);
  EXPECT_TRUE(Eventually([&] { return keeper.snapshots() == 1; })) << log_.text();
}

TEST_F(KeeperTest, ATimeoutOfTheCoordinatorIsWaitedFor) {
  Keeper keeper(job_, "worker", 1, &view_, &letters_, context_);
  brokers_.Answer(Request::kInitProducerId, {RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE,
                                             RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT});
  SendDelta(1);
  EXPECT_TRUE(Eventually([&] { return keeper.snapshots() == 1; })) << log_.text();
}

// Of two, one stands by.
TEST_F(KeeperTest, OneOfTwoIsKeeper) {
  Keeper a(job_, "a", 1, &view_, &letters_, context_);
  ASSERT_TRUE(Eventually([&] { return a.is_keeper(); }));
  Keeper b(job_, "b", 1, &view_, &letters_, context_);
  SendDelta(1);
  EXPECT_TRUE(Eventually([&] { return a.snapshots() + b.snapshots() >= 1; })) << log_.text();
  EXPECT_FALSE(a.is_keeper() && b.is_keeper());
}

TEST_F(KeeperTest, AViewThatCannotReadTheLogWritesNoSnapshot) {
  const Job taken = brokers_.NewTopics("taken", 1, SmallSettings());
  brokers_.Send(
      taken.settings_topic(), 0,
      {{R"({"version":5})", "settings", R"({"version":5,"id":"1","chunk":0,"chunks":1})"}});
  brokers_.SendTexts(taken.documents, 0, {"apple"});
  brokers_.Send(taken.deltas_topic(), 0,
                {GoodDelta(taken, 0, 1),
                 {"of the future", "id", R"({"version":5,"id":"x","chunk":0,"chunks":1})"}});
  LogView view(taken, SmallSettings().Prior());
  const ViewThread reading(&view, context_, context_);
  EXPECT_TRUE(Eventually([&] { return context_.StopRequested(); }));  // by the view's thread
  Keeper keeper(taken, "worker", 1, &view, &letters_, context_);
  EXPECT_TRUE(Eventually([&] {
    return log_.text().find("no snapshot: job taken has version 5") != std::string::npos;
  })) << log_.text();
  EXPECT_EQ(keeper.snapshots(), 0);
  EXPECT_EQ(brokers_.Notes(taken.snapshots_topic()).size(), 0);
}

}  // namespace
}  // namespace sda::cluster
