#include "base/parse_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/base/temporary_file.h"

namespace sda {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

std::string Nested(int depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST(ParseJson, IsAsDeepAsAnyoneNeeds) {
  EXPECT_EQ(ParseJson(R"({"a": [1, {"b": null}]})"), json::parse(R"({"a": [1, {"b": null}]})"));
  EXPECT_EQ(ParseJson(Nested(kMostJsonDepth)).dump(), Nested(kMostJsonDepth));
  EXPECT_THROW(ParseJson("[1"), json::exception);
  EXPECT_TRUE(ParseJson("[1", false).is_discarded());
}

// What copies or writes such a value overflows the stack.
TEST(ParseJson, IsNoDeeper) {
  for (const int depth : {kMostJsonDepth + 1, 2'000'000}) {
    EXPECT_THAT(MessageOf<json::exception>([&] { ParseJson(Nested(depth)); }),
                HasSubstr("JSON that is nested more than 100 deep"));
    EXPECT_TRUE(ParseJson(Nested(depth), false).is_discarded());
  }
  std::string objects;
  for (int i = 0; i <= kMostJsonDepth; ++i) objects += "{\"a\":";
  EXPECT_TRUE(ParseJson(objects, false).is_discarded());
}

TEST(ParseJson, BracketsInTextAndBesideEachOtherDoNotCount) {
  const std::string text = json(std::string(1000, '[') + "\"\\").dump();
  EXPECT_EQ(ParseJson(text).dump(), text);
  std::string many = "[";
  for (int i = 0; i < 1000; ++i) many += "[{}],";
  EXPECT_EQ(ParseJson(many + "1]").size(), 1001u);
}

}  // namespace
}  // namespace sda
