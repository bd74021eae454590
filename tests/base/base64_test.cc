#include "base/base64.h"

#include <gtest/gtest.h>

namespace sda {
namespace {

TEST(Base64, IsThatOfTheStandardWithoutPadding) {
  EXPECT_EQ(ToBase64(""), "");
  EXPECT_EQ(ToBase64("f"), "Zg");
  EXPECT_EQ(ToBase64("fo"), "Zm8");
  EXPECT_EQ(ToBase64("foobar"), "Zm9vYmFy");
}

TEST(Base64, EveryByteComesBack) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) {
    EXPECT_EQ(FromBase64(ToBase64(bytes)), bytes);
    bytes += static_cast<char>(i);
  }
}

TEST(Base64, OtherTextIsNone) {
  for (const char* text : {"Z", "Zg==", "Zm9v\n", "Zh", "Zm9vZ", "Zm 8", "\xff\xff"}) {
    EXPECT_EQ(FromBase64(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace sda
