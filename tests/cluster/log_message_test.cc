#include "cluster/log/log_message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace sda::cluster {
namespace {

using testing::ElementsAre;

// A difference as a minibatch makes it: ascending keys with gaps, numbers of all sizes.
KeyedRows SomeChange(size_t rows, size_t width) {
  std::mt19937 random(7);
  std::lognormal_distribution<double> size(-3, 4);
  std::vector<uint64_t> keys(rows);
  for (size_t r = 0; r < rows; ++r) keys[r] = 8 * r + r * r % 7;
  return KeyedRows::Difference(
      width, keys,
      [&](size_t i, double* row) {
        for (size_t k = 0; k < width; ++k) row[k] = (i + k) % 5 == 0 ? -size(random) : size(random);
      },
      nullptr);
}

KeyedRows RoundTrip(const KeyedRows& change, Transport transport) {
  LogDelta delta;
  UnpackDelta(PackDelta(change, {}, transport), &delta);
  return delta.change;
}

TEST(LogMessageTest, DoublesComeBackToTheLastBit) {
  const KeyedRows change = SomeChange(200, 7);
  const KeyedRows back = RoundTrip(change, Transport::kDouble);
  ASSERT_EQ(back.rows(), change.rows());
  for (size_t r = 0; r < change.rows(); ++r) {
    EXPECT_EQ(back.key(r), change.key(r));
    EXPECT_THAT(back.row(r), testing::ElementsAreArray(change.row(r)));
  }
}

TEST(LogMessageTest, FloatsComeBackWithinTheirPrecisionAndHalfTheBytes) {
  const KeyedRows change = SomeChange(500, 20);
  const KeyedRows back = RoundTrip(change, Transport::kFloat);
  for (size_t r = 0; r < change.rows(); ++r) {
    for (size_t k = 0; k < change.width(); ++k) {
      const double number = change.row(r)[k];
      EXPECT_NEAR(back.row(r)[k], number, 1e-7 * std::abs(number));
    }
  }
  EXPECT_LT(PackDelta(change, {}, Transport::kFloat).size(),
            0.6 * PackDelta(change, {}, Transport::kDouble).size());
}

TEST(LogMessageTest, AnEmptyChangeComesBack) {
  const KeyedRows back = RoundTrip(KeyedRows({0, 0, 0}), Transport::kFloat);
  EXPECT_EQ(back.rows(), 0);
  EXPECT_EQ(back.width(), 3);
}

TEST(LogMessageTest, WordsComeWithTheDeltaThatChoseThem) {
  LogDelta delta;
  UnpackDelta(PackDelta(SomeChange(3, 2), {"straße", "", "two words"}, Transport::kFloat), &delta);
  EXPECT_THAT(delta.vocabulary, ElementsAre("straße", "", "two words"));
}

TEST(LogMessageTest, NotesComeBack) {
  const DeltaNote note{.job = "j",
                       .id = "d",
                       .worker = "host-1",
                       .documents = 4096,
                       .tokens = uint64_t{1} << 60,
                       .skipped = 3,
                       .bad = 2,
                       .deltas_in_prior = 7,
                       .discount = 0.25,
                       .seconds = 1.5,
                       .score_sum = -7.123456789012345,
                       .score_tokens = 99,
                       .offsets = {{0, 5}, {15, 1'000'000'000'000}}};
  EXPECT_EQ(ParseDeltaHeader(ToHeader(note, 0, 3)), note);
  EXPECT_EQ(ParseChunk(ToHeader(note, 2, 3)).chunk, 2);
  EXPECT_EQ(ParseChunk(ToHeader(note, 2, 3)).id, "d");
}

TEST(LogMessageTest, ASnapshotComesBackToTheLastBit) {
  KeyedRows posterior({0.5, 0.5, 0.5});
  posterior += SomeChange(50, 3);
  KeyedRows back;
  std::vector<std::string> words;
  UnpackSnapshot(PackSnapshot(posterior, {"a", "b"}), &back, &words);
  EXPECT_EQ(back.Serialize(), posterior.Serialize());
  EXPECT_THAT(words, ElementsAre("a", "b"));
}

TEST(LogMessageTest, DamagedBytesAreRefusedOrReadButNeverCrash) {
  const std::string good = PackDelta(SomeChange(20, 3), {"word"}, Transport::kFloat);
  int refused = 0;
  for (size_t i = 0; i < good.size(); ++i) {
    LogDelta delta;
    EXPECT_THROW(UnpackDelta(std::string_view(good).substr(0, i), &delta), std::invalid_argument);
    std::string flipped = good;
    flipped[i] = static_cast<char>(flipped[i] ^ 0x55);
    try {
      UnpackDelta(flipped, &delta);
    } catch (const std::invalid_argument&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 0);
}

TEST(AssemblerTest, PutsChunksOfSeveralDeltasTogether) {
  const std::string a(2 * kChunkBytes + 1, 'a');
  const std::string b(kChunkBytes + 1, 'b');
  ASSERT_EQ(ChunksOf(a), 3);
  ASSERT_EQ(ChunksOf(b), 2);
  auto header = [](const char* id, uint64_t chunk, uint64_t chunks) {
    return ToHeader(DeltaNote{.id = id}, chunk, chunks);
  };
  Assembler assembler;
  EXPECT_FALSE(assembler.Add(header("a", 0, 3), Chunk(a, 0), 10));
  EXPECT_FALSE(assembler.Add(header("b", 0, 2), Chunk(b, 0), 11));
  EXPECT_FALSE(assembler.Add(header("a", 1, 3), Chunk(a, 1), 12));
  EXPECT_EQ(assembler.FirstPending(13), 10);
  const auto whole_b = assembler.Add(header("b", 1, 2), Chunk(b, 1), 13);
  ASSERT_TRUE(whole_b);
  EXPECT_EQ(whole_b->body, b);
  EXPECT_EQ(assembler.FirstPending(14), 10);
  const auto whole_a = assembler.Add(header("a", 2, 3), Chunk(a, 2), 14);
  ASSERT_TRUE(whole_a);
  EXPECT_EQ(whole_a->body, a);
  EXPECT_EQ(ParseDeltaHeader(whole_a->header).id, "a");
  EXPECT_EQ(assembler.FirstPending(15), 15);
}

TEST(AssemblerTest, RefusesChunksThatDoNotGoTogether) {
  Assembler assembler;
  auto add = [&](uint64_t chunk, uint64_t chunks) {
    assembler.Add(ToHeader(DeltaNote{.id = "x"}, chunk, chunks), "value", 0);
  };
  add(0, 3);
  EXPECT_THROW(add(0, 3), std::invalid_argument);  // twice
  EXPECT_THROW(add(1, 4), std::invalid_argument);  // of another number of chunks
  EXPECT_THROW(add(3, 3), std::invalid_argument);
  EXPECT_THROW(add(0, uint64_t{1} << 40), std::invalid_argument);
  EXPECT_THROW(assembler.Add("[]", "", 0), std::invalid_argument);
  EXPECT_THROW(assembler.Add("{\"id\": 3}", "", 0), std::invalid_argument);
}

}  // namespace
}  // namespace sda::cluster
