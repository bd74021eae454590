#include "cluster/log/snapshot_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <limits>

#include "tests/cluster/log_maker.h"

namespace sda::cluster {
namespace {

using testing::HasSubstr;

class SnapshotCheckTest : public testing::Test {
 protected:
  struct Made {
    SnapshotNote note;
    LogTotals totals;
    SnapshotBody body;
  };

  // What a log of three deltas adds up to.
  Made Good(int64_t position = 6) {
    Made made;
    made.body.posterior = maker.rules().prior;
    for (int i = 0; i < 3; ++i) {
      const DeltaNote note = maker.Note(2);
      made.totals.Add(note, 100, 1000);
      made.body.posterior += OneRow(1 + i, 2);
    }
    made.note = {.job = "0123", .id = "s", .position = position, .read_to = position};
    return made;
  }
  void Add(const Made& made) {
    SnapshotNote note = made.note;
    note.totals = made.totals.ToJson();
    snapshots.Add(maker.Message(ToHeader(note, 0, 1),
                                PackSnapshot(made.body.posterior, made.body.vocabulary), offset++));
  }
  int64_t Newest() { return snapshots.newest() ? snapshots.newest()->note.position : -1; }

  LogMaker maker;
  CheckedSnapshots snapshots{maker.rules(), "sda.job.log.snapshots", 4, maker.questions()};
  int64_t offset = 0;
};

TEST_F(SnapshotCheckTest, TheNewestThatIsGoodAndCanBeContinuedCounts) {
  Add(Good(3));  // the log begins at 4
  EXPECT_EQ(Newest(), -1);
  Add(Good(6));
  EXPECT_EQ(Newest(), 6);
  Add(Good(4));
  EXPECT_EQ(Newest(), 6);
  Add(Good(20));
  EXPECT_EQ(Newest(), 20);
  EXPECT_EQ(snapshots.set_aside().count, 0);
}

TEST_F(SnapshotCheckTest, SnapshotsThatNoKeeperWritesAreSetAside) {
  Add(Good());
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const Made good = Good(8);
  auto row = [](double number) { return std::vector<double>{0, 0, number}; };
  using Change = std::function<void(Made&)>;
  const std::vector<std::pair<std::string, Change>> attacks = {
      {"do not exist", [](auto& m) { m.totals.offsets[0] = LogMaker::kEnd + 1; }},
      {"do not exist", [](auto& m) { m.totals.offsets[9] = 1; }},
      {"which it has not", [](auto& m) { m.note.read_to = m.note.position = LogMaker::kEnd + 1; }},
      {"place in the log", [](auto& m) { m.note.read_to += 1; }},
      {"place in the log", [](auto& m) { m.note.read_to -= 1; }},
      {"more messages than its offsets", [](auto& m) { m.totals.documents = 1'000'000'000'000; }},
      {"more than any job", [](auto& m) { m.totals.documents = ~uint64_t{0}; }},
      {"though its deltas have 17", [](auto& m) { m.totals.tokens = 17; }},
      {"more deltas than the log", [](auto& m) { m.totals.deltas = 9; }},
      {"not of any delta",
       [](auto& m) { m.totals.deltas = m.totals.staleness_max = m.totals.staleness_last = 0; }},
      {"a staleness", [](auto& m) { m.totals.staleness_max = 9; }},
      {"times of deltas", [](auto& m) { m.totals.first_milliseconds = -1; }},
      {"times of deltas", [](auto& m) { m.totals.last_milliseconds = 999; }},
      {"written after it", [](auto& m) { m.totals.last_milliseconds = 1'000'000'000'000; }},
      {"a score", [](auto& m) { m.totals.score_sum = 1e300; }},
      {"a vocabulary too many", [](auto& m) { m.body.vocabulary = {"a"}; }},
      {"below that of the prior", [&](auto& m) { m.body.posterior.Add(1, row(-1e6)); }},
      {"below that of the prior", [&](auto& m) { m.body.posterior.Add(1, row(kNan)); }},
      {"holds", [&](auto& m) { m.body.posterior.Add(1, row(1e305)); }},
      {"holds 19 tokens", [&](auto& m) { m.body.posterior.Add(5, row(1)); }},
      {"not in the vocabulary", [&](auto& m) { m.body.posterior.Add(6, row(0)); }},
      {"another prior",
       [](auto& m) {
         m.body.posterior = KeyedRows({7, 7, 7});
       }},
      {"number of topics",
       [](auto& m) {
         m.body.posterior = KeyedRows({1, 1});
       }},
  };
  uint64_t count = 0;
  for (const auto& [reason, change] : attacks) {
    Made bad = good;
    change(bad);
    Add(bad);
    EXPECT_EQ(snapshots.set_aside().count, ++count) << reason;
    if (snapshots.set_aside().count == 0) continue;
    EXPECT_THAT(snapshots.set_aside().last.back().reason, HasSubstr(reason));
    EXPECT_EQ(Newest(), 6);
  }
  snapshots.Add(maker.Message("{}", "{}", offset++));
  snapshots.Add(maker.Message("", "", offset++));
  snapshots.Add(maker.Message(R"({"version":99})", "", offset++));
  EXPECT_EQ(snapshots.set_aside().count, count + 3);
  EXPECT_EQ(snapshots.set_aside().last.back().offset, offset - 1);
  Add(good);
  EXPECT_EQ(Newest(), 8);
}

TEST_F(SnapshotCheckTest, TotalsThatAreNotThoseOfTheRowsAreNoticed) {
  std::string bytes = Good().body.posterior.Serialize();
  // After the width, the number of rows and the default row.
  const size_t totals = (2 + 3) * sizeof(double);
  const double forged = 1e9;
  std::memcpy(bytes.data() + totals, &forged, sizeof(forged));
  Made made = Good();
  made.body.posterior = KeyedRows::Deserialize(bytes);
  Add(made);
  ASSERT_EQ(snapshots.set_aside().count, 1);
  EXPECT_THAT(snapshots.set_aside().last[0].reason, HasSubstr("not those of its rows"));
}

TEST_F(SnapshotCheckTest, AForgettingJobHoldsFewerTokensThanItHasRead) {
  LogRules forgetting = maker.rules();
  forgetting.half_life = 100;
  Made made = Good();
  made.totals.tokens += 50;
  CheckSnapshot(made.note, made.totals, made.body, forgetting);
  EXPECT_ANY_THROW(CheckSnapshot(made.note, made.totals, made.body, maker.rules()));
  made.totals.tokens = 17;
  EXPECT_ANY_THROW(CheckSnapshot(made.note, made.totals, made.body, forgetting));
}

}  // namespace
}  // namespace sda::cluster
