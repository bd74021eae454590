#include "base/terminal_line.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>

namespace sda {
namespace {

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

std::string ContentOf(std::FILE* file) {
  std::array<char, 1000> bytes{};
  std::rewind(file);
  return {bytes.data(), std::fread(bytes.data(), 1, bytes.size(), file)};
}

TEST(TerminalLineTest, AFileGetsALineEveryFiveSecondsAndNothingIsRewritten) {
  const std::unique_ptr<std::FILE, Close> file(std::tmpfile());
  TerminalLine line(file.get());
  EXPECT_FALSE(line.IsDue(0.9));
  EXPECT_TRUE(line.IsDue(1));
  EXPECT_FALSE(line.shown());
  line.Show(1, "one");
  EXPECT_TRUE(line.shown());
  EXPECT_FALSE(line.IsDue(5.9));
  EXPECT_TRUE(line.IsDue(6));
  line.Show(6, "two");
  line.End();
  EXPECT_EQ(ContentOf(file.get()), "one\ntwo\n");
}

}  // namespace
}  // namespace sda
