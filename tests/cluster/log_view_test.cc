#include "cluster/log/log_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster/log/chunks.h"
#include "sda/errors.h"
#include "tests/cluster/mock_cluster.h"

namespace sda::cluster {
namespace {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::HasSubstr;

class LogViewTest : public testing::Test {
 protected:
  void SendDelta(const DeltaNote& note, double number) {
    brokers_.Send(job_.deltas_topic(), 0, {SentDelta(job_, note, OneRow(1, number))});
  }
  // Polls until the view has that many documents. (CatchUp() is for a view that was just made.)
  static bool PollUntil(LogView* view, uint64_t documents) {
    return Eventually([&] {
      view->Poll(milliseconds(50));
      return view->totals().documents == documents;
    });
  }
  // Polls until the view throws; what it says.
  static std::string Failure(LogView* view) {
    std::string what;
    Eventually([&] {
      try {
        view->Poll(milliseconds(50));
        return false;
      } catch (const std::exception& e) {
        what = e.what();
        return true;
      }
    });
    return what;
  }

  MockCluster brokers_;
  const Job job_ = brokers_.NewJob(SmallSettings(), 1);
  const KeyedRows prior_ = KeyedRows(std::vector<double>(3, 0.5));
};

TEST_F(LogViewTest, TheDeltasOfTheLogAddUp) {
  LogView view(job_, prior_);
  SendDelta({.documents = 2, .tokens = 20}, 1.5);
  SendDelta({.job = "another", .documents = 7}, 100);  // of a job of this name that was deleted
  SendDelta({.documents = 3, .tokens = 30, .discount = 0.5}, 1);
  EXPECT_TRUE(PollUntil(&view, 5));
  EXPECT_EQ(view.deltas(), 2);
  KeyedRows now;
  EXPECT_EQ(view.Read({}, &now), 2);
  EXPECT_DOUBLE_EQ(now.At(1)[0], 0.5 + 0.5 * 1.5 + 1);
  EXPECT_DOUBLE_EQ(now.At(0)[0], 0.5);
}

TEST_F(LogViewTest, AViewStartsFromTheNewestSnapshot) {
  LogView first(job_, prior_);
  SendDelta({.id = "a", .documents = 2}, 1);
  ASSERT_TRUE(PollUntil(&first, 2));
  const LogView::Copy copy = first.CopyAll();
  brokers_.Send(
      job_.snapshots_topic(), 0,
      {{PackSnapshot(copy.posterior, {"a", "b"}), copy.note.id, ToHeader(copy.note, 0, 1)}});
  SendDelta({.id = "b", .documents = 3}, 10);
  LogView second(job_, prior_);
  EXPECT_EQ(second.totals().documents, 2);
  EXPECT_EQ(second.vocabulary(), (std::vector<std::string>{"a", "b"}));
  second.CatchUp();
  EXPECT_EQ(second.totals().documents, 5);
  ASSERT_TRUE(PollUntil(&first, 5));
  EXPECT_EQ(first.CopyAll().posterior.Serialize(), second.CopyAll().posterior.Serialize());
}

TEST_F(LogViewTest, ADeltaOfANewerVersionIsNamedWithWhatToDo) {
  SendDelta({.documents = 2}, 1);
  brokers_.Send(job_.deltas_topic(), 0,
                {{"of the future", "id", R"({"version":4,"id":"x","chunk":0,"chunks":1})"}});
  LogView view(job_, prior_);
  EXPECT_THAT(Failure(&view),
              AllOf(HasSubstr("topic sda.job.deltas, offset 1: the delta has version 4"),
                    HasSubstr("reads version 3"), HasSubstr("install that one")));
  EXPECT_EQ(view.totals().documents, 2);
  EXPECT_THROW(view.ExpectReadable(), InputError);
}

TEST_F(LogViewTest, ASnapshotOfANewerVersionIsNamedWithWhatToDo) {
  brokers_.Send(job_.snapshots_topic(), 0,
                {{"of the future", "id", R"({"version":4,"id":"x","chunk":0,"chunks":1})"}});
  try {
    LogView view(job_, prior_);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(),
                AllOf(HasSubstr("topic sda.job.snapshots, offset 0: the snapshot has version 4"),
                      HasSubstr("install that one")));
  }
}

TEST_F(LogViewTest, ADamagedDeltaIsNamed) {
  DeltaNote note{.job = job_.id, .id = "x"};
  brokers_.Send(job_.deltas_topic(), 0, {{"no delta", "x", ToHeader(note, 0, 1)}});
  LogView view(job_, prior_);
  EXPECT_THAT(Failure(&view), HasSubstr("topic sda.job.deltas, offset 0: the delta is not"));
}

TEST_F(LogViewTest, ADeltaWithOtherTopicsIsNamed) {
  const KeyedRows wide(std::vector<double>(4));
  brokers_.Send(job_.deltas_topic(), 0, {SentDelta(job_, {}, wide)});
  LogView view(job_, prior_);
  EXPECT_THAT(Failure(&view), HasSubstr("does not have the job's number of topics"));
}

TEST_F(LogViewTest, BrokersThatAreAwayForAWhileAreWaitedFor) {
  LogView view(job_, prior_);
  SendDelta({.documents = 1}, 1);
  ASSERT_TRUE(PollUntil(&view, 1));
  brokers_.SetDown();
  for (int i = 0; i < 10; ++i) view.Poll(milliseconds(50));
  view.ExpectReadable();
  brokers_.SetUp();
  SendDelta({.documents = 2}, 1);
  EXPECT_TRUE(PollUntil(&view, 3));
}

TEST_F(LogViewTest, AnErrorOfAFetchIsTriedAgain) {
  SendDelta({.documents = 1}, 1);
  brokers_.Answer(Request::kFetch,
                  {RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT, RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION,
                   RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART});
  LogView view(job_, prior_);
  EXPECT_TRUE(PollUntil(&view, 1));
}

TEST_F(LogViewTest, WaitingForADeltaEndsWhenItIsFolded) {
  LogView view(job_, prior_);
  view.Watch("mine");
  EXPECT_FALSE(view.WaitForWatched(milliseconds(1)));
  SendDelta({.id = "other", .documents = 1}, 1);
  ASSERT_TRUE(PollUntil(&view, 1));
  EXPECT_FALSE(view.WaitForWatched(milliseconds(1)));
  SendDelta({.id = "mine", .documents = 1}, 1);
  ASSERT_TRUE(PollUntil(&view, 2));
  EXPECT_TRUE(view.WaitForWatched(milliseconds(0)));
}

}  // namespace
}  // namespace sda::cluster
