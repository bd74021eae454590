#include "cluster/log/checked_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "cluster/log/chunks.h"
#include "sda/errors.h"
#include "tests/cluster/log_maker.h"

namespace sda::cluster {
namespace {

using testing::HasSubstr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

// A log that is read as a view reads it.
class CheckedLogTest : public testing::Test {
 protected:
  CheckedLogTest() { log.Begin(); }

  // Whether it counts.
  bool Add(const LogMessage& message) {
    const auto delta = log.Add(message);
    if (delta) posterior += delta->change;
    return delta.has_value();
  }
  bool Add(const DeltaNote& note) { return Add(maker.Message(note, offset++)); }
  bool Add(const DeltaNote& note, const KeyedRows& change) {
    return Add(maker.Message(note, change, offset++));
  }
  bool Add(const std::string& header, const std::string& value, int64_t milliseconds = 1000) {
    return Add(maker.Message(header, value, offset++, milliseconds));
  }
  // The reason of the last one that was set aside.
  std::string Last() const {
    const auto& last = log.totals().set_aside.last;
    return last.empty() ? "" : last.back().reason;
  }
  double Mass() const {
    double sum = 0;
    for (const double total : posterior.totals()) sum += total;
    return sum;
  }

  LogMaker maker;
  CheckedLog log{maker.rules(), maker.questions()};
  KeyedRows posterior = maker.rules().prior;
  int64_t offset = 0;
};

TEST_F(CheckedLogTest, WhatWorkersWriteCounts) {
  EXPECT_TRUE(Add(maker.Note(4)));
  EXPECT_TRUE(Add(maker.Note(1)));
  // Another partition, and a gap in this one.
  DeltaNote note = maker.Note(2);
  note.offsets = {{0, {100, 101}}, {3, {7, 8}}};
  EXPECT_TRUE(Add(note));
  // Nothing to learn from.
  DeltaNote nothing{.job = "0123", .id = "n", .skipped = 1, .bad = 2, .offsets = {{1, {0, 3}}}};
  EXPECT_TRUE(Add(nothing, KeyedRows({0, 0, 0})));
  EXPECT_EQ(log.totals().documents, 7);
  EXPECT_EQ(log.totals().tokens, 21);
  EXPECT_EQ(log.totals().bad, 2);
  EXPECT_EQ(log.totals().offsets, (std::map<int32_t, int64_t>{{0, 101}, {1, 3}, {3, 8}}));
  EXPECT_EQ(log.totals().set_aside.count, 0) << Last();
  EXPECT_DOUBLE_EQ(Mass(), 21);
}

TEST_F(CheckedLogTest, NotesThatNoWorkerWritesAreSetAside) {
  ASSERT_TRUE(Add(maker.Note(4)));
  const DeltaNote good = maker.Note(2);
  using Change = std::function<void(DeltaNote&)>;
  const std::vector<std::pair<std::string, Change>> attacks = {
      {"folded before",
       [](auto& n) {
         n.offsets = {{0, {7, 10}}};
       }},
      {"folded before",
       [](auto& n) {
         n.offsets[0] = {0, 8};
       }},
      {"empty range",
       [](auto& n) {
         n.offsets[0] = {12, 12};
       }},
      {"empty range",
       [](auto& n) {
         n.offsets[0] = {12, 11};
       }},
      {"names no offsets", [](auto& n) { n.offsets.clear(); }},
      {"do not exist", [](auto& n) { n.offsets[0].to = LogMaker::kEnd + 1; }},
      {"do not exist", [](auto& n) { n.offsets[0].to = std::numeric_limits<int64_t>::max(); }},
      {"do not exist",
       [](auto& n) {
         n.offsets[4] = {0, 1};
       }},
      {"more messages than its offsets",
       [](auto& n) {
         n.offsets[0] = {8, 9};
       }},
      {"more than a minibatch", [](auto& n) { n.bad = 3; }},
      {"more than a minibatch", [](auto& n) { n.documents = 1'000'000'000'000'000; }},
      {"more than any job", [](auto& n) { n.documents = ~uint64_t{0}; }},
      {"more than any job", [](auto& n) { n.skipped = ~uint64_t{0} - 1; }},
      {"more than any job", [](auto& n) { n.tokens = ~uint64_t{0}; }},
      {"of no message", [](auto& n) { n.documents = n.tokens = 0; }},
      {"tokens without documents", [](auto& n) { n.documents = 0, n.bad = 1; }},
      {"though it has 5 tokens", [](auto& n) { n.tokens = 5; }},
      {"forgets another share", [](auto& n) { n.discount = 0.5; }},
      {"forgets another share", [](auto& n) { n.discount = 0; }},
      {"discount that is not between", [](auto& n) { n.discount = -1; }},
      {"discount that is not a finite", [](auto& n) { n.discount = kNan; }},
      {"score that no documents", [](auto& n) { n.score_tokens = 7; }},
      {"score that no documents", [](auto& n) { n.score_sum = -1; }},
      {"score that no documents", [](auto& n) { n.score_sum = 1, n.score_tokens = 1; }},
      {"score that no documents", [](auto& n) { n.score_sum = -1e300, n.score_tokens = 1; }},
      {"score_sum that is not a finite", [](auto& n) { n.score_sum = kNan; }},
      {"took a time", [](auto& n) { n.seconds = -1; }},
      {"took a time", [](auto& n) { n.seconds = 1e300; }},
      {"seconds that is not a finite", [](auto& n) { n.seconds = kInf; }},
      {"an id that none has", [](auto& n) { n.id = ""; }},
      {"an id that none has", [](auto& n) { n.id = std::string(65, 'x'); }},
      {"an id that none has", [](auto& n) { n.id = "\n"; }},
      {"too long a name", [](auto& n) { n.worker = std::string(2000, 'x'); }},
  };
  uint64_t count = 0;
  for (const auto& [reason, change] : attacks) {
    DeltaNote bad = good;
    change(bad);
    EXPECT_FALSE(Add(bad, OneRow(1, 2))) << reason;
    EXPECT_EQ(log.totals().set_aside.count, ++count) << reason;
    EXPECT_THAT(Last(), HasSubstr(reason));
    EXPECT_LE(Last().size(), kMostReasonBytes);
  }
  EXPECT_EQ(log.totals().set_aside.last.size(), SetAsides::kNamed);
  EXPECT_TRUE(Add(good)) << Last();
  EXPECT_EQ(log.totals().documents, 6);
  EXPECT_DOUBLE_EQ(Mass(), 18);
}

TEST_F(CheckedLogTest, RowsThatNoWorkerWritesAreSetAside) {
  const DeltaNote good = maker.Note(2);
  auto rows = [](std::vector<double> row, uint64_t key = 1) {
    KeyedRows change(std::vector<double>(row.size()));
    change.Add(key, row);
    return change;
  };
  auto attack = [&](const KeyedRows& change, const char* reason) {
    EXPECT_FALSE(Add(good, change)) << reason;
    EXPECT_THAT(Last(), HasSubstr(reason));
  };
  attack(rows({2, 2, kNan}), "negative or no number");
  attack(rows({2, 2, -1e6}), "negative or no number");
  attack(rows({2, 5, -1}), "negative or no number");
  attack(rows({2, 2, kInf}), "adds inf");
  attack(rows({2, 2, 1e305}), "adds 1e+305");
  attack(rows({2, 2, 2.001}), "adds 6.001 to the posterior, though it has 6 tokens");
  attack(rows({2, 2, 2}, 6), "not in the vocabulary");
  attack(rows({2, 2, 2}, ~uint64_t{0}), "not in the vocabulary");
  attack(rows({2, 2}), "number of topics");
  attack(rows({2, 2, 1, 1}), "number of topics");
  attack(KeyedRows({0, 0, 0}), "adds 0");
  EXPECT_TRUE(Add(good, rows({2, 2, 2}))) << Last();
  EXPECT_EQ(log.totals().set_aside.count, 11);
  EXPECT_DOUBLE_EQ(Mass(), 6);
}

TEST_F(CheckedLogTest, BytesThatAreNoMessageAreSetAside) {
  const DeltaNote good = maker.Note(2);
  const std::string header = ToHeader(good, 0, 1);
  const std::string value = PackDelta(OneRow(1, 2), {}, Transport::kDouble);
  EXPECT_FALSE(Add("", value));
  EXPECT_FALSE(Add("{}", value));
  EXPECT_FALSE(Add("[]", value));
  EXPECT_FALSE(Add(std::string(900'000, '['), value));
  EXPECT_FALSE(Add(header, ""));  // a tombstone
  EXPECT_FALSE(Add(header, "no delta"));
  EXPECT_FALSE(Add(header, value.substr(0, value.size() - 1)));
  std::string other = header;
  other.replace(other.find("\"version\":4"), 11, "\"version\":3");
  EXPECT_FALSE(Add(other, value));
  EXPECT_THAT(Last(), HasSubstr("has version 3"));
  other.replace(other.find("\"version\":3"), 11, "\"version\":9");
  EXPECT_FALSE(Add(other, value));
  other = header;
  other.replace(other.find("\"documents\":2"), 13, "\"documents\":null");
  EXPECT_FALSE(Add(other, value));
  EXPECT_EQ(log.totals().set_aside.count, 10);
  EXPECT_TRUE(Add(header, value)) << Last();
  DeltaNote of_another = maker.Note(1);
  of_another.job = "another";  // that was deleted: nothing of this one's
  EXPECT_FALSE(Add(of_another));
  EXPECT_EQ(log.totals().set_aside.count, 10);
}

TEST_F(CheckedLogTest, ReplayedDeltasCountOnceUnderAnyId) {
  const DeltaNote a = maker.Note(2);
  const DeltaNote b = maker.Note(3);
  EXPECT_TRUE(Add(a));
  EXPECT_TRUE(Add(b));
  EXPECT_FALSE(Add(a));
  EXPECT_FALSE(Add(b));
  DeltaNote again = b;
  again.id = "another";
  EXPECT_FALSE(Add(again));
  again.offsets[1] = {0, 1};  // though one of its partitions is new
  EXPECT_FALSE(Add(again));
  EXPECT_THAT(Last(),
              HasSubstr("folded before: of partition 0 from offset 4 on, the log is at 10"));
  EXPECT_EQ(log.totals().documents, 5);
  EXPECT_EQ(log.totals().set_aside.count, 4);
}

TEST_F(CheckedLogTest, ANewerVersionOfTheJobStopsIt) {
  LogQuestions questions = maker.questions();
  questions.expect_same_version = [] { throw InputError("the job has version 9"); };
  CheckedLog stopped(maker.rules(), questions);
  stopped.Begin();
  EXPECT_THROW(stopped.Add(maker.Message(R"({"version":9})", "", 0)), InputError);
  EXPECT_FALSE(stopped.Add(maker.Message(R"({"version":3})", "", 1)));
}

TEST_F(CheckedLogTest, ABrokerThatDoesNotAnswerIsNoReasonToSetAside) {
  LogQuestions questions = maker.questions();
  questions.end_of = [](int32_t, int64_t) -> int64_t { throw std::runtime_error("no broker"); };
  CheckedLog waiting(maker.rules(), questions);
  waiting.Begin();
  EXPECT_THROW(waiting.Add(maker.Message(maker.Note(1), 0)), std::runtime_error);
  EXPECT_EQ(waiting.totals().set_aside.count, 0);
}

TEST_F(CheckedLogTest, PartitionsAreAskedForOnlyBeyondWhatIsKnown) {
  int asked = 0;
  LogQuestions questions = maker.questions();
  questions.end_of = [&](int32_t, int64_t at_least) {
    ++asked;
    return at_least < 100 ? 100 : 200;
  };
  CheckedLog asking(maker.rules(), questions);
  asking.Begin();
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(asking.Add(maker.Message(maker.Note(4), i)));
  EXPECT_EQ(asked, 2);
}

TEST(CheckedLogOfForgettingJobTest, TheDiscountIsThatOfTheSettings) {
  JobSettings settings = SmallSettings();
  settings.options.half_life = 8;
  LogMaker maker(4, settings.Settled());
  CheckedLog log(maker.rules(), maker.questions());
  log.Begin();
  DeltaNote note = maker.Note(2);
  EXPECT_FALSE(log.Add(maker.Message(note, 0)));
  note.discount = std::exp2(-0.25);
  EXPECT_TRUE(log.Add(maker.Message(note, 1)));
  note = maker.Note(2);
  note.bad = 2;  // of which the worker learnt when it had discounted
  note.discount = std::exp2(-0.5);
  EXPECT_TRUE(log.Add(maker.Message(note, 2)));
  note = maker.Note(2);
  note.discount = std::exp2(-0.5);
  EXPECT_FALSE(log.Add(maker.Message(note, 3)));
  EXPECT_EQ(log.totals().deltas, 2);
}

class ChoosingJobTest : public testing::Test {
 protected:
  static JobSettings Settings() {
    JobSettings settings = SmallSettings();
    settings.vocabulary.clear();
    settings.options.max_vocab = 3;
    return settings.Settled();
  }
  bool Add(const std::vector<std::string>& words) {
    maker.words = words;
    return log.Add(maker.Message(note, offset++)).has_value();
  }

  ChoosingJobTest() { log.Begin(); }
  LogMaker maker{4, Settings()};
  CheckedLog log{maker.rules(), maker.questions()};
  DeltaNote note = maker.Note(1);
  int64_t offset = 0;
};

TEST_F(ChoosingJobTest, TheFirstDeltaBringsTheWordsAndNoOther) {
  EXPECT_FALSE(Add({}));
  EXPECT_FALSE(Add({"a", "a"}));
  EXPECT_FALSE(Add({"a", ""}));
  EXPECT_FALSE(Add({"a", "\xff\xfe"}));
  EXPECT_FALSE(Add({"a", "b", "c", "d"}));
  EXPECT_FALSE(Add({"a"}));  // its row is that of the second word
  EXPECT_FALSE(Add({"a", std::string(100'000, 'x')}));
  EXPECT_EQ(log.totals().set_aside.count, 7);
  EXPECT_TRUE(Add({"a", "b"}));
  note = maker.Note(1);
  EXPECT_FALSE(Add({"a", "b"}));
  EXPECT_TRUE(Add({}));
  note = maker.Note(1);
  maker.words.clear();
  EXPECT_FALSE(log.Add(maker.Message(note, OneRow(2, 1), offset++)));
  EXPECT_EQ(log.totals().documents, 2);
}

TEST_F(ChoosingJobTest, MessagesWithoutADocumentBringNone) {
  DeltaNote nothing{.job = "0123", .id = "n", .bad = 2, .offsets = {{1, {0, 3}}}};
  maker.words = {"a"};
  EXPECT_FALSE(log.Add(maker.Message(nothing, KeyedRows({0, 0, 0}), 0)));
  maker.words.clear();
  EXPECT_TRUE(log.Add(maker.Message(nothing, KeyedRows({0, 0, 0}), 1)));
  EXPECT_TRUE(Add({"a", "b"}));
}

// Deltas of several chunks.
class ChunkedLogTest : public CheckedLogTest {
 protected:
  static JobSettings Wide() {
    JobSettings settings = SmallSettings();
    settings.vocabulary.clear();
    for (int i = 0; i < 100'000; ++i) settings.vocabulary.push_back("w" + std::to_string(i));
    return settings;
  }
  ChunkedLogTest() {
    wide.Begin();
    std::mt19937_64 random(3);
    KeyedRows change(std::vector<double>(3));
    std::uniform_real_distribution<double> number(0, 1);
    std::vector<double> row(3);
    double sum = 0;
    for (uint64_t key = 0; key < 60'000; ++key) {
      for (double& x : row) sum += x = number(random);
      change.Add(key, row);
    }
    tokens = static_cast<uint64_t>(sum + 0.5);
    row.assign(3, 0);
    row[0] = static_cast<double>(tokens) - sum;
    if (row[0] < 0) row[0] += 1, ++tokens;
    change.Add(70'000, row);
    body = PackDelta(change, {}, Transport::kDouble);
  }
  DeltaNote Note() {
    DeltaNote note = maker_.Note(1);
    note.tokens = tokens;
    return note;
  }
  bool AddChunk(const DeltaNote& note, uint64_t chunk, int64_t milliseconds = 1000) {
    return wide
        .Add(maker_.Message(ToHeader(note, chunk, ChunksOf(body)), std::string(Chunk(body, chunk)),
                            offset++, milliseconds))
        .has_value();
  }
  SnapshotNote Place() const {
    SnapshotNote note;
    wide.Describe(&note);
    return note;
  }

  LogMaker maker_{4, Wide()};
  CheckedLog wide{maker_.rules(), maker_.questions()};
  uint64_t tokens = 0;
  std::string body;
};

TEST_F(ChunkedLogTest, ChunksOfTwoWorkersMayComeMixed) {
  ASSERT_EQ(ChunksOf(body), 2);
  const DeltaNote a = Note();
  const DeltaNote b = Note();
  EXPECT_FALSE(AddChunk(a, 0));
  EXPECT_FALSE(AddChunk(b, 0));
  EXPECT_EQ(Place().position, 0);
  EXPECT_EQ(Place().read_to, 2);
  EXPECT_THAT(Place().pending, testing::ElementsAre(a.id, b.id));
  EXPECT_TRUE(AddChunk(a, 1));
  EXPECT_EQ(Place().position, 1);
  EXPECT_TRUE(AddChunk(b, 1));
  EXPECT_EQ(Place().position, 4);
  EXPECT_EQ(wide.totals().deltas, 2);
  EXPECT_EQ(wide.totals().set_aside.count, 0);
}

TEST_F(ChunkedLogTest, ASnapshotBetweenChunksIsReadOnAsIfThereWereNone) {
  const DeltaNote a = Note();
  const DeltaNote b = Note();
  AddChunk(b, 0);
  wide.Add(maker_.Message("{}", "", offset++));
  DeltaNote foreign = b;  // ignored by both, with the id of one that is not complete
  foreign.job = "another";
  AddChunk(foreign, 1);
  AddChunk(a, 0);
  DeltaNote early = maker_.Note(1);
  early.offsets = {{1, {0, 2}}};
  const LogMessage between = maker_.Message(early, offset++);
  ASSERT_TRUE(wide.Add(between));
  const SnapshotNote place = Place();
  CheckedLog later(maker_.rules(), maker_.questions());
  later.Begin(place, LogTotals::FromJson(wide.totals().ToJson()), 0);
  offset = 0;
  auto add = [&](const DeltaNote& note, uint64_t chunk) {
    return later
        .Add(maker_.Message(ToHeader(note, chunk, 2), std::string(Chunk(body, chunk)), offset++))
        .has_value();
  };
  EXPECT_FALSE(add(b, 0));
  later.Add(maker_.Message("{}", "", offset++));
  EXPECT_FALSE(add(foreign, 1));
  EXPECT_FALSE(add(a, 0));
  SnapshotNote at_begin;
  later.Describe(&at_begin);  // not yet where the snapshot was
  EXPECT_EQ(at_begin.read_to, 5);
  EXPECT_EQ(at_begin.pending, place.pending);
  EXPECT_FALSE(later.Add(between));
  ++offset;
  EXPECT_EQ(later.totals().ToJson(), wide.totals().ToJson());
  EXPECT_TRUE(add(a, 1));
  EXPECT_TRUE(add(b, 1));
  offset = 5;
  EXPECT_TRUE(AddChunk(a, 1));
  EXPECT_TRUE(AddChunk(b, 1));
  EXPECT_EQ(later.totals().ToJson(), wide.totals().ToJson());
}

TEST_F(ChunkedLogTest, ChunksThatBelongToNothingAreSetAsideAndHoldNothingUp) {
  const DeltaNote a = Note();
  EXPECT_FALSE(AddChunk(a, 1));  // without the first
  EXPECT_EQ(Place().position, 1);
  EXPECT_FALSE(AddChunk(a, 0));
  EXPECT_FALSE(AddChunk(a, 0));  // twice
  EXPECT_TRUE(AddChunk(a, 1));
  EXPECT_EQ(wide.totals().set_aside.count, 2);
  for (int i = 0; i < 150; ++i) {
    DeltaNote note = Note();
    EXPECT_FALSE(wide.Add(maker_.Message(ToHeader(note, 0, 1'000'000), "x", offset++)));
  }
  EXPECT_EQ(wide.totals().set_aside.count, 152);
  EXPECT_EQ(Place().position, offset);
}

TEST_F(ChunkedLogTest, WhatIsNotCompleteExpiresWithItsTransaction) {
  const DeltaNote stray = Note();
  const DeltaNote a = Note();
  EXPECT_FALSE(AddChunk(stray, 0, 1000));
  EXPECT_FALSE(AddChunk(a, 0, 1'700'000));
  EXPECT_EQ(Place().position, 0);
  EXPECT_TRUE(AddChunk(a, 1, 1'900'000));  // half an hour after the first
  EXPECT_EQ(Place().position, 3);
  EXPECT_FALSE(AddChunk(stray, 1, 1'900'001));
  EXPECT_EQ(wide.totals().set_aside.count, 2);
  EXPECT_EQ(wide.totals().set_aside.last[0].offset, 0);
  EXPECT_THAT(wide.totals().set_aside.last[0].reason, HasSubstr("its transaction is over"));
}

TEST_F(ChunkedLogTest, TheOldestOfTooManyIsGivenUp) {
  std::vector<DeltaNote> notes;
  for (int i = 0; i < 400; ++i) {  // 360 MB
    notes.push_back(Note());
    EXPECT_FALSE(AddChunk(notes.back(), 0));
  }
  const uint64_t given_up = wide.totals().set_aside.count;
  EXPECT_GT(given_up, 50);
  EXPECT_LT(given_up, 200);
  EXPECT_FALSE(AddChunk(notes[given_up - 1], 1));
  EXPECT_TRUE(AddChunk(notes[given_up], 1));
}

}  // namespace
}  // namespace sda::cluster
