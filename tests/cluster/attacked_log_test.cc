// A log into which somebody writes who should not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "cluster/log/body.h"
#include "cluster/log/delta_notes.h"
#include "cluster/log/log_view.h"
#include "cluster/stored_job.h"
#include "tests/cluster/mock_cluster.h"

namespace sda::cluster {
namespace {

using std::chrono::milliseconds;
using Sent = MockCluster::Sent;

class AttackedLogTest : public testing::Test {
 protected:
  AttackedLogTest() {
    for (const Job* job : {&clean_, &attacked_}) {
      brokers_.SendTexts(job->documents, 0, std::vector<std::string>(20, "apple"));
      brokers_.Send(job->settings_topic(), 0,
                    {{ToStored(*job), "settings", ToHeader(ChunkNote{.id = job->id})}});
    }
  }

  static KeyedRows Row(uint64_t word, std::vector<double> row) {
    KeyedRows change(std::vector<double>(row.size()));
    change.Add(word, row);
    return change;
  }
  // What the issuer of each hopes for is in the comment. `from`: the first document that is not
  // folded yet.
  std::vector<Sent> Attacks(int64_t from) const {
    const DeltaNote good = GoodNote(attacked_, from, 2);
    DeltaNote future = good;  // that all waiting documents are skipped
    future.documents = future.tokens = 0;
    future.bad = 1;
    future.offsets = {{0, {from, 1'000'000'000}}};
    DeltaNote many = good;  // that the job has learnt from many documents
    many.documents = 1'000'000'000'000'000;
    DeltaNote replayed = GoodNote(attacked_, 0, 2);
    DeltaNote chunks = good;
    const KeyedRows nothing(std::vector<double>(3));
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    std::vector<Sent> sent = {
        SentDelta(attacked_, future, nothing),
        SentDelta(attacked_, many, OneRow(1, 2)),
        SentDelta(attacked_, good, Row(1, {2, 2, kNan})),
        SentDelta(attacked_, good, Row(1, {2, 2, -1e6})),
        SentDelta(attacked_, good, Row(1, {2, 2, 1e305})),
        SentDelta(attacked_, good, Row(6, {2, 2, 2})),     // beyond the vocabulary
        SentDelta(attacked_, good, Row(1, {2, 2, 1, 1})),  // of another width
        {"", good.id, ToHeader(good, 0, 1)},               // a tombstone
        {"{}", "x", "{}"},
        {"no note", "x", ""},
        {"of the future", "x", R"({"version":99,"id":"x","chunk":0,"chunks":1})"},
    };
    if (from > 0) sent.push_back(SentDelta(attacked_, replayed, OneRow(1, 2)));
    for (int i = 0; i < 150; ++i) {
      chunks.id = RandomId();
      sent.push_back({"x", chunks.id, ToHeader(chunks, 0, 1'000'000)});
    }
    return sent;
  }

  static LogView::Copy Read(const Job& job) {
    LogView view(job, SmallSettings().Prior());
    view.CatchUp();
    return view.CopyAll();
  }
  // What `status` adds up.
  static LogTotals ReadNotes(const Job& job) {
    DeltaNotes notes(LogRules::Of(job),
                     {.end_of = [](int32_t partition, int64_t) { return partition == 0 ? 20 : -1; },
                      .end_of_log = [](int64_t) { return 1'000'000; },
                      .expect_same_version = [] {}});
    notes.Begin();
    Consumer consumer(job.LookProperties());
    consumer.Assign(job.deltas_topic(), 0, kFromBeginning);
    while (true) {
      const auto message = consumer.Poll(milliseconds(100));
      if (!message) continue;
      if (message->at_end()) return notes.totals();
      notes.Add({message->header(kNoteHeader), message->value(), message->offset(),
                 message->milliseconds()});
    }
  }
  // But for times and what was set aside.
  static std::string Numbers(LogTotals totals) {
    totals.set_aside = {};
    totals.first_milliseconds = totals.last_milliseconds = 0;
    return totals.ToJson();
  }

  MockCluster brokers_;
  const Job clean_ = brokers_.NewTopics("clean", 1, SmallSettings());
  const Job attacked_ = brokers_.NewTopics("attacked", 1, SmallSettings());
};

TEST_F(AttackedLogTest, ThePosteriorIsThatOfTheGoodMessages) {
  uint64_t attacks = 0;
  for (const int64_t from : {0, 2, 4}) {
    const std::vector<Sent> bad = Attacks(from);
    attacks += bad.size();
    brokers_.Send(attacked_.deltas_topic(), 0, bad);
    for (const Job* job : {&clean_, &attacked_}) {
      brokers_.Send(job->deltas_topic(), 0, {GoodDelta(*job, from, 2, from % 3)});
    }
  }
  const LogView::Copy clean = Read(clean_);
  // A snapshot whose documents lie in the future, and one that is none.
  LogView::Copy forged = clean;
  forged.totals.offsets[0] = forged.totals.documents = 1'000'000'000;
  forged.note.totals = forged.totals.ToJson();
  brokers_.Send(
      attacked_.snapshots_topic(), 0,
      {{PackSnapshot(forged.posterior, {}), "x", ToHeader(forged.note, 0, 1)}, {"{}", "x", "{}"}});

  LogView view(attacked_, SmallSettings().Prior());
  EXPECT_EQ(view.set_aside(), 2);
  view.CatchUp();
  const LogView::Copy attacked = view.CopyAll();
  EXPECT_EQ(attacked.totals.documents, 6);
  EXPECT_EQ(Numbers(attacked.totals), Numbers(clean.totals));
  EXPECT_EQ(attacked.posterior.Serialize(), clean.posterior.Serialize());
  EXPECT_EQ(attacked.totals.set_aside.count, attacks);
  EXPECT_EQ(view.set_aside(), attacks + 2);
  EXPECT_EQ(attacked.note.position, attacked.note.read_to);  // nothing keeps the log from a trim
  EXPECT_EQ(ReadNotes(attacked_).ToJson(), attacked.totals.ToJson());
}

}  // namespace
}  // namespace sda::cluster
