// xz and bzip2, and files that are named as what they are.
#include <bzlib.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <lzma.h>

#include "data/io/input.h"
#include "data/io/line_reader.h"
#include "tests/base/temporary_file.h"

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

std::string Xz(const std::string& content) {
  std::string out(lzma_stream_buffer_bound(content.size()), '\0');
  size_t size = 0;
  const lzma_ret status = lzma_easy_buffer_encode(
      6, LZMA_CHECK_CRC64, nullptr, reinterpret_cast<const uint8_t*>(content.data()),
      content.size(), reinterpret_cast<uint8_t*>(out.data()), &size, out.size());
  EXPECT_EQ(status, LZMA_OK);
  out.resize(size);
  return out;
}

std::string Bzip2(std::string content) {
  std::string out(content.size() + content.size() / 50 + 1000, '\0');
  unsigned size = static_cast<unsigned>(out.size());
  EXPECT_EQ(BZ2_bzBuffToBuffCompress(out.data(), &size, content.data(),
                                     static_cast<unsigned>(content.size()), 9, 0, 0),
            BZ_OK);
  out.resize(size);
  return out;
}

std::string Text() {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += std::to_string(i * 7919) + "\n";
  return text;
}

TEST(Compressed, XzAndBzip2AreTheSameBytes) {
  const std::string text = Text();
  EXPECT_EQ(ReadAll(Xz(text)), text);
  EXPECT_EQ(ReadAll(Bzip2(text)), text);
  EXPECT_EQ(ReadAll(Xz("")), "");
  EXPECT_EQ(ReadAll(Bzip2("")), "");
}

TEST(Compressed, PartsCompressedOneByOneAreReadToTheEnd) {
  EXPECT_EQ(ReadAll(Xz("one,") + Xz("") + Xz("two")), "one,two");
  EXPECT_EQ(ReadAll(Bzip2("one,") + Bzip2("") + Bzip2("two")), "one,two");
}

TEST(Compressed, WhatIsCutOffAnywhereIsRefused) {
  const std::string text = "some text that is long enough to be worth compressing, or is it?";
  for (const std::string& whole : {Xz(text), Bzip2(text)}) {
    for (size_t n = 4; n < whole.size(); ++n) {
      EXPECT_THAT(MessageOf<InputError>([&] { ReadAll(whole.substr(0, n)); }),
                  HasSubstr("truncated"))
          << n << " of " << whole.size();
    }
  }
}

TEST(Compressed, WhatIsDamagedIsRefused) {
  for (const bool xz : {true, false}) {
    std::string damaged = xz ? Xz(Text()) : Bzip2(Text());
    damaged[damaged.size() / 2] ^= 0x55;
    EXPECT_THAT(MessageOf<InputError>([&] { ReadAll(damaged); }),
                HasSubstr(xz ? "xz data is corrupt" : "bzip2 data is corrupt"));
    EXPECT_THAT(
        MessageOf<InputError>([&] { ReadAll((xz ? Xz("x") : Bzip2("x")) + "trailing garbage"); }),
        HasSubstr("data is corrupt"));
  }
}

TEST(Compressed, OtherFilesAreNamedAsWhatTheyAre) {
  EXPECT_THAT(MessageOf<InputError>([] { ReadAll("PK\x03\x04 and so on"); }),
              HasSubstr("is a zip archive"));
  EXPECT_THAT(MessageOf<InputError>([] { ReadAll("PAR1 and so on"); }),
              HasSubstr("is a Parquet file"));
  EXPECT_THAT(MessageOf<InputError>([] { ReadAll("%PDF-1.7"); }), HasSubstr("is a PDF"));
  EXPECT_EQ(ReadAll("PARTY"), "PARTY");
  EXPECT_EQ(ReadAll("BZh is how it begins"), "BZh is how it begins");
}

TEST(LineReader, TakesNoLineThatIsLongerThanIsPromised) {
  constexpr size_t kMost = 1 << 16;
  for (const size_t bytes : {kMost - 1, kMost, kMost + 1, kMost + 40'000}) {
    const TemporaryFile file(std::string(bytes, 'x') + "\nand more\n");
    LineReader lines(Input::Open(file.path()), kMost);
    std::string_view line;
    if (bytes <= kMost) {
      EXPECT_TRUE(lines.Next(&line));
      EXPECT_EQ(line.size(), bytes);
    } else {
      EXPECT_THAT(MessageOf<InputError>([&] { lines.Next(&line); }),
                  HasSubstr("a line of more than 65536 bytes"))
          << bytes;
    }
  }
}

}  // namespace
}  // namespace sda
