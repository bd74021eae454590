#include "data/text/document_time.h"

#include <gtest/gtest.h>

namespace sda {
namespace {

constexpr int64_t kDay = 86'400'000;
constexpr int64_t kJanuary31 = 1'769'817'600'000;  // date -u -d 2026-01-31 +%s

TEST(ParseTime, DatesOfIso8601) {
  EXPECT_EQ(ParseTime("1970-01-01"), 0);
  EXPECT_EQ(ParseTime("2026-01-31"), kJanuary31);
  EXPECT_EQ(ParseTime(" 2026-01-31\n"), kJanuary31);
  EXPECT_EQ(ParseTime("20260131"), kJanuary31);
  EXPECT_EQ(ParseTime("2026/1/31"), kJanuary31);
  EXPECT_EQ(ParseTime("2026-01"), kJanuary31 - 30 * kDay);
  EXPECT_EQ(ParseTime("2026"), kJanuary31 - 30 * kDay);
  EXPECT_EQ(ParseTime("1969-12-31"), -kDay);
}

TEST(ParseTime, TimesOfIso8601WithAndWithoutZone) {
  const int64_t half_past_twelve = kJanuary31 + 45'000'000;
  EXPECT_EQ(ParseTime("2026-01-31T12:30:00Z"), half_past_twelve);
  EXPECT_EQ(ParseTime("2026-01-31 12:30"), half_past_twelve);
  EXPECT_EQ(ParseTime("2026-01-31T13:30:00+01:00"), half_past_twelve);
  EXPECT_EQ(ParseTime("2026-01-31T07:30:00.000-0500"), half_past_twelve);
  EXPECT_EQ(ParseTime("20260131T123000Z"), half_past_twelve);
  EXPECT_EQ(ParseTime("2026-01-31T12:30:05.25Z"), half_past_twelve + 5250);
  EXPECT_EQ(ParseTime("2026-01-31 12:30:05,123456 UTC"), half_past_twelve + 5123);
}

TEST(ParseTime, NumbersAreSince1970) {
  EXPECT_EQ(ParseTime("1769862605"), 1'769'862'605'000);
  EXPECT_EQ(ParseTime("1769862605.25"), 1'769'862'605'250);
  EXPECT_EQ(ParseTime("1769862605250"), 1'769'862'605'250);
  EXPECT_EQ(ParseTime("1769862605250000"), 1'769'862'605'250);
  EXPECT_EQ(ParseTime("1769862605250000000"), 1'769'862'605'250);
  EXPECT_EQ(ParseTime("0"), 0);
  EXPECT_EQ(ParseTime("-1"), -1000);
}

TEST(ParseTime, MailAndHttp) {
  EXPECT_EQ(ParseTime("Sat, 31 Jan 2026 13:30:00 +0100"), kJanuary31 + 45'000'000);
  EXPECT_EQ(ParseTime("31 Jan 2026 12:30:00 GMT"), kJanuary31 + 45'000'000);
  EXPECT_EQ(ParseTime("Sat, 31 Jan 26 07:30 EST"), kJanuary31 + 45'000'000);
  EXPECT_EQ(ParseTime("Sat, 31 Jan 2026 13:30:00 +0100 (CET)"), kJanuary31 + 45'000'000);
  EXPECT_EQ(ParseTime("1 January 2026"), kJanuary31 - 30 * kDay);
}

TEST(ParseTime, MonthBeforeDay) {
  EXPECT_EQ(ParseTime("January 31, 2026"), kJanuary31);
  EXPECT_EQ(ParseTime("Jan 31 2026"), kJanuary31);
  EXPECT_EQ(ParseTime("Jan. 31, 2026, 12:30"), kJanuary31 + 45'000'000);
  EXPECT_EQ(ParseTime("Sat Jan 31 12:30:00 2026"), kJanuary31 + 45'000'000);
  EXPECT_EQ(ParseTime("Sat Jan 31 12:30:00 UTC 2026"), kJanuary31 + 45'000'000);
  EXPECT_EQ(ParseTime("Sat Jan 31 13:30:00 +0100 2026"), kJanuary31 + 45'000'000);
  EXPECT_EQ(ParseTime("Thu Jan  1 00:00:00 2026"), kJanuary31 - 30 * kDay);
}

TEST(ParseTime, PointsMeanThatTheDayComesFirst) {
  EXPECT_EQ(ParseTime("31.01.2026"), kJanuary31);
  EXPECT_EQ(ParseTime("1.1.2026 00:00"), kJanuary31 - 30 * kDay);
  EXPECT_EQ(ParseTime("31.01.2026 13:30:00 +0100"), kJanuary31 + 45'000'000);
}

TEST(ParseTime, WhatIsNoTimeIsNone) {
  for (const char* text : {"",
                           "yesterday",
                           "2026-02-30",
                           "2026-13-01",
                           "2026-01-31T25:00",
                           "31 Foo 2026",
                           "12:30",
                           "01/31/2026",
                           "31/01/2026",
                           "31.13.2026",
                           "Jan 31",
                           "January 32, 2026",
                           "Sat Jan 31 12:30:00",
                           "Sat Jan 31 12:30:00 nowhere 2026",
                           "1.2.3",
                           "31.01.26",
                           "Jan 2026",
                           "2026-01-31T12:30:00 nowhere",
                           "2026-01-31x",
                           "nan",
                           "inf",
                           "1e300",
                           "Sat, 31 Jan",
                           "--",
                           "2026-01-31T"}) {
    EXPECT_EQ(ParseTime(text), std::nullopt) << text;
  }
}

TEST(FormatTime, IsReadAgain) {
  EXPECT_EQ(FormatTime(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(FormatTime(kJanuary31 + 45'005'250), "2026-01-31T12:30:05.250Z");
  for (const int64_t time : {int64_t{-1}, int64_t{-kDay * 365 * 100}, kJanuary31 + 1}) {
    EXPECT_EQ(ParseTime(FormatTime(time)), time) << FormatTime(time);
  }
}

}  // namespace
}  // namespace sda
