#include "cluster/log/log_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "cluster/log/body.h"
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
  LogViewTest() { brokers_.SendTexts(job_.documents, 0, std::vector<std::string>(20, "apple")); }

  // Of the documents after those of the last one.
  void SendDelta(uint64_t documents) {
    brokers_.Send(job_.deltas_topic(), 0, {GoodDelta(job_, next_, documents)});
    next_ += static_cast<int64_t>(documents);
  }
  void SendSnapshot(const LogView::Copy& copy) {
    brokers_.Send(
        job_.snapshots_topic(), 0,
        {{PackSnapshot(copy.posterior, copy.vocabulary), copy.note.id, ToHeader(copy.note, 0, 1)}});
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
  LogView NewView() { return LogView(job_, prior_, log_.context()); }

  MockCluster brokers_;
  CollectedLog log_;
  const Job job_ = brokers_.NewJob(Settings(), 1);
  const KeyedRows prior_ = Settings().Prior();
  int64_t next_ = 0;

 private:
  static JobSettings Settings() {
    JobSettings settings = SmallSettings();
    settings.options.half_life = 8;
    return settings.Settled();
  }
};

constexpr char kOfTheFuture[] = R"({"version":5,"id":"x","chunk":0,"chunks":1})";

TEST_F(LogViewTest, TheDeltasOfTheLogAddUp) {
  LogView view(job_, prior_);
  SendDelta(2);
  // Of a job of this name that was deleted.
  brokers_.Send(job_.deltas_topic(), 0, {SentDelta(job_, {.job = "another"}, OneRow(1, 1))});
  SendDelta(3);
  EXPECT_TRUE(PollUntil(&view, 5));
  EXPECT_EQ(view.deltas(), 2);
  KeyedRows now;
  EXPECT_EQ(view.Read({}, &now), 2);
  EXPECT_DOUBLE_EQ(now.At(1)[0], prior_.At(1)[0] + std::exp2(-3.0 / 8) * 2 + 3);
  EXPECT_DOUBLE_EQ(now.At(0)[0], prior_.At(0)[0]);
  EXPECT_EQ(view.set_aside(), 0);
}

TEST_F(LogViewTest, AViewStartsFromTheNewestSnapshot) {
  LogView first(job_, prior_);
  SendDelta(2);
  ASSERT_TRUE(PollUntil(&first, 2));
  SendSnapshot(first.CopyAll());
  SendDelta(3);
  LogView second(job_, prior_);
  EXPECT_EQ(second.totals().documents, 2);
  second.CatchUp();
  EXPECT_EQ(second.totals().documents, 5);
  ASSERT_TRUE(PollUntil(&first, 5));
  EXPECT_EQ(first.CopyAll().posterior.Serialize(), second.CopyAll().posterior.Serialize());
}

TEST_F(LogViewTest, ADamagedMessageIsSetAsideAndNamedAndReportedOnce) {
  SendDelta(2);
  brokers_.Send(job_.deltas_topic(), 0,
                {{"no delta", "x", ToHeader(GoodNote(job_, next_, 1), 0, 1)},
                 {"of nobody", "x", ""},
                 {"of the future", "id", kOfTheFuture}});
  SendDelta(3);
  std::vector<SetAside> reported;
  LogView view(job_, prior_, log_.context(),
               [&](const SetAside& message) { reported.push_back(message); });
  ASSERT_TRUE(PollUntil(&view, 5));
  EXPECT_EQ(view.set_aside(), 3);
  EXPECT_EQ(view.totals().set_aside.last, reported);
  ASSERT_EQ(reported.size(), 3);
  EXPECT_EQ(reported[0],
            (SetAside{job_.deltas_topic(), 0, 1, "the delta is not compressed by zstd"}));
  EXPECT_EQ(reported[1].reason, "the delta has no note");
  EXPECT_THAT(reported[2].reason, HasSubstr("has version 5, this sda reads version 4"));
  EXPECT_THAT(log_.text(),
              HasSubstr("deltas, partition 0, offset 1: the delta is not compressed by zstd; set"));
  view.ExpectReadable();
}

TEST_F(LogViewTest, AJobThatANewerVersionTookOverIsNotReadOn) {
  const Job taken = brokers_.NewTopics("taken", 1, SmallSettings());
  brokers_.Send(
      taken.settings_topic(), 0,
      {{R"({"version":5})", "settings", R"({"version":5,"id":"1","chunk":0,"chunks":1})"}});
  brokers_.Send(taken.deltas_topic(), 0, {{"of the future", "id", kOfTheFuture}});
  LogView view(taken, SmallSettings().Prior());
  EXPECT_THAT(Failure(&view), AllOf(HasSubstr("job taken has version 5"),
                                    HasSubstr("reads version 4"), HasSubstr("install that one")));
  EXPECT_THROW(view.ExpectReadable(), InputError);
}

TEST_F(LogViewTest, ABadSnapshotIsSetAsideAndTheOneBeforeCounts) {
  LogView first(job_, prior_);
  SendDelta(2);
  ASSERT_TRUE(PollUntil(&first, 2));
  SendSnapshot(first.CopyAll());
  SendDelta(3);
  ASSERT_TRUE(PollUntil(&first, 5));
  LogView::Copy bad = first.CopyAll();
  bad.posterior.Add(2, std::vector<double>(3, -1e6));
  SendSnapshot(bad);
  brokers_.Send(job_.snapshots_topic(), 0,
                {{"{}", "x", "{}"}, {"of the future", "x", kOfTheFuture}});
  LogView second = NewView();
  EXPECT_EQ(second.totals().documents, 2);
  EXPECT_EQ(second.set_aside(), 3);
  EXPECT_THAT(log_.text(), AllOf(HasSubstr("snapshots, partition 0, offset 1: the snapshot has a "
                                           "number that is below that of the prior"),
                                 HasSubstr("offset 2: the snapshot has no version"),
                                 HasSubstr("offset 3: the snapshot has version 5")));
  second.CatchUp();
  EXPECT_EQ(first.CopyAll().posterior.Serialize(), second.CopyAll().posterior.Serialize());
}

TEST_F(LogViewTest, BrokersThatAreAwayForAWhileAreWaitedFor) {
  LogView view(job_, prior_);
  SendDelta(1);
  ASSERT_TRUE(PollUntil(&view, 1));
  brokers_.SetDown();
  for (int i = 0; i < 10; ++i) view.Poll(milliseconds(50));
  view.ExpectReadable();
  brokers_.SetUp();
  SendDelta(2);
  EXPECT_TRUE(PollUntil(&view, 3));
}

TEST_F(LogViewTest, AnErrorOfAFetchIsTriedAgain) {
  SendDelta(1);
  brokers_.Answer(Request::kFetch,
                  {RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT, RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION,
                   RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART});
  LogView view(job_, prior_);
  EXPECT_TRUE(PollUntil(&view, 1));
}

TEST_F(LogViewTest, WaitingForADeltaEndsWhenItIsFoldedOrSetAside) {
  LogView view(job_, prior_);
  DeltaNote mine = GoodNote(job_, 1, 1);
  view.Watch(mine.id);
  EXPECT_FALSE(view.WaitForWatched(milliseconds(1)));
  SendDelta(1);
  ASSERT_TRUE(PollUntil(&view, 1));
  EXPECT_FALSE(view.WaitForWatched(milliseconds(1)));
  brokers_.Send(job_.deltas_topic(), 0, {SentDelta(job_, mine, OneRow(1, 1))});
  ASSERT_TRUE(PollUntil(&view, 2));
  EXPECT_TRUE(view.WaitForWatched(milliseconds(0)));
  mine.id = "another";
  view.Watch(mine.id);
  EXPECT_FALSE(view.WaitForWatched(milliseconds(1)));
  brokers_.Send(job_.deltas_topic(), 0, {SentDelta(job_, mine, OneRow(1, 1))});  // folded before
  next_ = 2;
  SendDelta(1);
  ASSERT_TRUE(PollUntil(&view, 3));
  EXPECT_TRUE(view.WaitForWatched(milliseconds(0)));
}

}  // namespace
}  // namespace sda::cluster
