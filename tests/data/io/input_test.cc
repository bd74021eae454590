#include "data/io/input.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/io/line_reader.h"
#include "tests/base/temporary_file.h"
#include "tests/data/corpus_files.h"

namespace sda {
namespace {

using ::testing::HasSubstr;

std::string ReadAll(const std::string& bytes) {
  const TemporaryFile file(bytes);
  const auto input = Input::Open(file.path());
  std::string all;
  char buffer[1000];
  while (const size_t n = input->Read(buffer)) all.append(buffer, n);
  return all;
}

std::string Text() {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += std::to_string(i * 7919) + "\n";
  return text;
}

TEST(Input, PlainGzipAndZstdAreTheSameBytes) {
  const std::string text = Text();
  EXPECT_EQ(ReadAll(text), text);
  EXPECT_EQ(ReadAll(Gzipped(text)), text);
  EXPECT_EQ(ReadAll(Zstandard(text)), text);
}

TEST(Input, SmallAndEmptyFiles) {
  for (const std::string text : {"", "a", "ab", "abc", "abcd", "abcde"}) {
    EXPECT_EQ(ReadAll(text), text);
    EXPECT_EQ(ReadAll(Gzipped(text)), text);
    EXPECT_EQ(ReadAll(Zstandard(text)), text);
  }
}

TEST(Input, PartsCompressedOneByOneAreReadToTheEnd) {
  EXPECT_EQ(ReadAll(Gzipped("one,") + Gzipped("") + Gzipped("two")), "one,two");
  EXPECT_EQ(ReadAll(Zstandard("one,") + Zstandard("") + Zstandard("two")), "one,two");
}

// A frame of another program's data: kind from 0 to 15, little-endian length, any bytes.
std::string Skippable(int kind, const std::string& content) {
  std::string frame = {static_cast<char>(0x50 + kind), 0x2a, 0x4d, 0x18};
  for (int shift = 0; shift < 32; shift += 8) frame += static_cast<char>(content.size() >> shift);
  return frame + content;
}

TEST(Input, ZstdMayBeginWithFramesToSkip) {
  const std::string text = Text();
  for (const int kind : {0, 7, 15}) {
    EXPECT_EQ(ReadAll(Skippable(kind, "other data") + Zstandard(text)), text);
  }
  const std::string large = Skippable(3, std::string(1 << 20, 'x'));
  EXPECT_EQ(ReadAll(Skippable(1, "") + large + Zstandard("one,") + large + Zstandard("two")),
            "one,two");
  EXPECT_EQ(ReadAll(Skippable(1, "") + large), "");
  EXPECT_THAT(MessageOf<InputError>([&] { ReadAll(large.substr(0, 1000)); }),
              HasSubstr("zstd data is truncated"));
  EXPECT_THAT(MessageOf<InputError>([&] { ReadAll(large + "text"); }),
              HasSubstr("zstd data is corrupt"));
  // Text that is nearly one.
  EXPECT_EQ(ReadAll("P*M, a line"), "P*M, a line");
  EXPECT_EQ(ReadAll("`*M\x18"), "`*M\x18");
}

TEST(Input, CompressedDataCutOffAnywhereIsRefused) {
  const std::string text = "some text that is long enough to be worth compressing, or is it?";
  for (const std::string& whole : {Gzipped(text), Zstandard(text)}) {
    for (size_t n = 4; n < whole.size(); ++n) {
      EXPECT_THAT(MessageOf<InputError>([&] { ReadAll(whole.substr(0, n)); }),
                  HasSubstr("truncated"))
          << n << " of " << whole.size();
    }
  }
}

TEST(Input, DamagedGzipIsRefused) {
  std::string damaged = Gzipped(Text());
  damaged[damaged.size() / 2] ^= 0x55;
  EXPECT_THAT(MessageOf<InputError>([&] { ReadAll(damaged); }), HasSubstr("gzip data is corrupt"));
  EXPECT_THAT(MessageOf<InputError>([&] { ReadAll(Gzipped("x") + "trailing garbage"); }),
              HasSubstr("gzip data is corrupt"));
}

TEST(LineReader, DoesNotCollectALineWithoutEndWhileItWaits) {
  const TemporaryFile file(std::string(4 << 20, 'x'));
  LineReader lines(Input::Open(file.path()), /*max_line_bytes=*/1 << 16);
  EXPECT_TRUE(lines.WaitForLine(std::chrono::steady_clock::time_point::max()));
  EXPECT_LT(lines.input().bytes_read(), 1 << 20);
  std::string_view line;
  EXPECT_THAT(MessageOf<InputError>([&] { lines.Next(&line); }),
              HasSubstr("a line of more than 65536 bytes"));
}

TEST(Input, FilesThatCannotBeReadAreNamed) {
  EXPECT_EQ(MessageOf<InputError>([] { Input::Open("/no/such/file"); }),
            "/no/such/file: cannot open: No such file or directory");
  EXPECT_THAT(MessageOf<InputError>([] { Input::Open(::testing::TempDir()); }),
              HasSubstr("is a directory"));
}

TEST(Input, ProgressIsInBytesOfTheFile) {
  const std::string bytes = Gzipped(Text());
  const TemporaryFile file(bytes);
  const auto input = Input::Open(file.path());
  EXPECT_EQ(input->bytes_total(), bytes.size());
  char buffer[1000];
  while (input->Read(buffer) > 0) EXPECT_LE(input->bytes_read(), bytes.size());
  EXPECT_EQ(input->bytes_read(), bytes.size());
}

}  // namespace
}  // namespace sda
