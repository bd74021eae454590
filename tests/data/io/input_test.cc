#include "data/io/input.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
