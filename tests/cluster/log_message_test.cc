
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "cluster/log/body.h"
#include "cluster/log/chunks.h"
#include "cluster/log/note.h"
#include "sda/errors.h"

namespace sda::cluster {
namespace {

using testing::ElementsAre;

// A difference as a minibatch makes it: ascending keys with gaps, numbers of all sizes.
KeyedRows SomeChange(size_t rows, size_t width) {
  std::mt19937 random(7);
  std::lognormal_distribution<double> size(-3, 4);
  std::vector<uint64_t> keys(rows);
  for (size_t r = 0; r < rows; ++r) keys[r] = 8 * r + r * r % 7;
  return KeyedRows(std::vector<double>(width))
      .Difference(
          keys,
          [&](size_t i, double* row) {
            for (size_t k = 0; k < width; ++k) {
              row[k] = (i + k) % 5 == 0 ? -size(random) : size(random);
            }
          },
          nullptr);
}

KeyedRows RoundTrip(const KeyedRows& change, Transport transport) {
  return UnpackDelta(PackDelta(change, {}, transport), change.width()).change;
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
  const DeltaBody delta =
      UnpackDelta(PackDelta(SomeChange(3, 2), {"straße", "", "two words"}, Transport::kFloat), 2);
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
                       .offsets = {{0, {2, 5}}, {15, {7, 1'000'000'000'000}}}};
  EXPECT_EQ(ParseDeltaHeader(ToHeader(note, 0, 3)), note);
  EXPECT_EQ(ParseChunk(ToHeader(note, 2, 3)).chunk, 2);
  EXPECT_EQ(ParseChunk(ToHeader(note, 2, 3)).id, "d");
}

TEST(LogMessageTest, ASnapshotComesBackToTheLastBit) {
  KeyedRows posterior({0.5, 0.5, 0.5});
  posterior += SomeChange(50, 3);
  const std::string packed = PackSnapshot(posterior, {"a", "b"});
  const SnapshotBody back = UnpackSnapshot(packed, 3);
  EXPECT_EQ(back.posterior.Serialize(), posterior.Serialize());
  EXPECT_THAT(back.vocabulary, ElementsAre("a", "b"));
  EXPECT_THROW(UnpackSnapshot(packed, 4), InputError);
}

TEST(LogMessageTest, DamagedBytesAreRefusedOrReadButNeverCrash) {
  const std::string good = PackDelta(SomeChange(20, 3), {"word"}, Transport::kFloat);
  int refused = 0;
  for (size_t i = 0; i < good.size(); ++i) {
    EXPECT_THROW(UnpackDelta(std::string_view(good).substr(0, i), 3), InputError);
    std::string flipped = good;
    flipped[i] = static_cast<char>(flipped[i] ^ 0x55);
    try {
      UnpackDelta(flipped, 3);
    } catch (const InputError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 0);
}

TEST(LogMessageTest, ADeltaOfAnotherWidthIsRefusedBeforeAnythingIsAllocated) {
  EXPECT_THROW(UnpackDelta(PackDelta(SomeChange(3, 2), {}, Transport::kFloat), 3), InputError);
  EXPECT_THROW(UnpackDelta(PackDelta(KeyedRows({0, 0}), {}, Transport::kFloat), 3), InputError);
}

std::string WhyRefused(const std::string& header) {
  try {
    ParseChunk(header);
    return "";
  } catch (const InputError& e) {
    return e.what();
  }
}

TEST(LogVersionTest, ANoteLargerThanAnyIsNotRead) {
  const std::string start = R"({"version":4,"id":"x","chunk":0,"chunks":1,"more":")";
  EXPECT_EQ(WhyRefused(start + std::string(1000, 'a') + "\"}"), "");
  EXPECT_THAT(WhyRefused(start + std::string(1 << 20, 'a') + "\"}"),
              testing::HasSubstr("larger than any"));
}

TEST(LogVersionTest, EveryNoteHasTheVersion) {
  for (const std::string& header :
       {ToHeader(DeltaNote{.id = "x"}, 0, 1), ToHeader(SnapshotNote{.id = "x"}, 0, 1),
        ToHeader(ChunkNote{.id = "x"})}) {
    EXPECT_THAT(header, testing::HasSubstr("\"version\":4"));
    EXPECT_EQ(WhyRefused(header), "");
  }
}

TEST(LogVersionTest, ANoteOfAnotherVersionIsRefusedWithWhatToDo) {
  EXPECT_THAT(WhyRefused(R"({"version":5,"id":"x","chunk":0,"chunks":1})"),
              testing::AllOf(testing::HasSubstr("has version 5, this sda reads version 4"),
                             testing::HasSubstr("install that one here")));
  EXPECT_THAT(WhyRefused(R"({"version":3,"id":"x","chunk":0,"chunks":1})"),
              testing::HasSubstr("delete the job and create it again"));
  EXPECT_THAT(WhyRefused(R"({"id":"x","chunk":0,"chunks":1})"),
              testing::HasSubstr("has no version"));
  EXPECT_NO_THROW(ParseChunk(R"({"id":"x","chunk":0,"chunks":1})", AnyVersion::kYes));
}

TEST(LogMessageTest, NumbersThatCannotBeAreRefused) {
  const std::string good = ToHeader(DeltaNote{.id = "x", .offsets = {{1, {2, 3}}}}, 0, 1);
  auto with = [&](const std::string& old, const std::string& now) {
    std::string header = good;
    header.replace(header.find(old), old.size(), now);
    return header;
  };
  EXPECT_NO_THROW(ParseDeltaHeader(good));
  for (const std::string& header :
       {with("\"documents\":0", "\"documents\":-1"), with("\"documents\":0", "\"documents\":1e30"),
        with("\"documents\":0", "\"documents\":\"0\""),
        with("\"discount\":1.0", "\"discount\":2.0"), with("[1,2,3]", "[-1,2,3]"),
        with("[1,2,3]", "[1,-2,3]"), with("[1,2,3]", "[4294967296,2,3]"), with("[1,2,3]", "[1,2]"),
        with("[1,2,3]", "7"), with("[1,2,3]", "[1,2,3],[1,5,6]")}) {
    EXPECT_THROW(ParseDeltaHeader(header), InputError) << header;
  }
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
  const std::string full(kChunkBytes, 'x');
  int64_t offset = 0;
  auto add = [&](uint64_t chunk, uint64_t chunks, const std::string& value) {
    return assembler.Add(ToHeader(DeltaNote{.id = "x"}, chunk, chunks), value, offset++);
  };
  EXPECT_THROW(add(1, 3, full), InputError);  // without the first
  add(0, 3, full);
  EXPECT_THROW(add(0, 3, full), InputError);  // twice
  EXPECT_THROW(add(1, 4, full), InputError);  // of another number of chunks
  EXPECT_THROW(add(3, 3, full), InputError);
  EXPECT_THROW(add(1, 3, "short"), InputError);
  EXPECT_THROW(add(0, uint64_t{1} << 40, full), InputError);
  EXPECT_THROW(assembler.Add("[]", "", 0), InputError);
  EXPECT_THROW(assembler.Add("{\"id\": 3}", "", 0), InputError);
  EXPECT_FALSE(add(1, 3, full));
  const auto whole = add(2, 3, "short");
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->body, full + full + "short");
}

TEST(AssemblerTest, GivesUpTheOldestOfTooMany) {
  const std::string full(kChunkBytes, 'x');
  Assembler assembler({.bytes = 3'000'000, .number = 5});
  auto add = [&](const std::string& id, int64_t offset) {
    assembler.Add(ToHeader(DeltaNote{.id = id}, 0, 2), full, offset);
  };
  for (int i = 0; i < 3; ++i) add(std::to_string(i), i);
  EXPECT_TRUE(assembler.TakeGivenUp().empty());
  add("3", 3);
  const auto given_up = assembler.TakeGivenUp();
  ASSERT_EQ(given_up.size(), 1);
  EXPECT_EQ(given_up[0].id, "0");
  EXPECT_EQ(given_up[0].first_offset, 0);
  EXPECT_EQ(assembler.FirstPending(9), 1);
  EXPECT_THAT(assembler.PendingIds(), ElementsAre("1", "2", "3"));
}

}  // namespace
}  // namespace sda::cluster
