#include "data/text/tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "base/utf8.h"
#include "data/text/unicode_words.h"

namespace sda {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> Words(const std::string& text, int minimum_length = 1) {
  Tokenizer tokenizer(minimum_length);
  const auto& words = tokenizer.Split(text);
  return {words.begin(), words.end()};
}

// The words that ICU finds in the whole text, without any shortcut.
std::vector<std::string> IcuWords(const std::string& text, int minimum_length) {
  UnicodeWords icu;
  std::vector<std::string> words;
  icu.Split(text, minimum_length, [&](std::string_view word) { words.emplace_back(word); });
  return words;
}

TEST(Tokenizer, WordsAreLowerCaseAndHaveALetter) {
  EXPECT_THAT(Words("The QUICK (brown) fox, 42 3.14 1,000 -- jumped!"),
              ElementsAre("the", "quick", "brown", "fox", "jumped"));
  EXPECT_THAT(Words("mp3 4th G_2 _red_ __ x86-64"), ElementsAre("mp3", "4th", "g_2", "red", "x86"));
  EXPECT_THAT(Words("@home _at_ me@ @ @_"), ElementsAre("home", "at", "me"));
  EXPECT_THAT(Words(""), IsEmpty());
  EXPECT_THAT(Words("  \t 12 ... \x7F"), IsEmpty());
}

TEST(Tokenizer, ApostrophesAndPointsInsideAWordBelongToIt) {
  EXPECT_THAT(Words("Don't 'quote' rock'n'roll dogs' e.g. end."),
              ElementsAre("don't", "quote", "rock'n'roll", "dogs", "e.g", "end"));
  EXPECT_THAT(Words("don\u2019t \u2018quote\u2019"), ElementsAre("don't", "quote"));
}

TEST(Tokenizer, MinimumLengthIsInCodePoints) {
  EXPECT_THAT(Words("a of the \u00e9t \u00e9t\u00e9 _ab_", 3), ElementsAre("the", "\u00e9t\u00e9"));
}

TEST(Tokenizer, FoldingMakesVariantsOneWord) {
  EXPECT_THAT(Words("Stra\u00dfe STRASSE"), ElementsAre("strasse", "strasse"));
  // e with an acute accent, in one code point and in two.
  EXPECT_THAT(Words("\u00c9t\u00e9 E\u0301te\u0301"),
              ElementsAre("\u00e9t\u00e9", "\u00e9t\u00e9"));
  EXPECT_THAT(Words("\ufb01nd"), ElementsAre("find"));                     // a ligature
  EXPECT_THAT(Words("\uff21\uff22\uff23"), ElementsAre("abc"));            // full width
  EXPECT_THAT(Words("co\u00adop"), ElementsAre("coop"));                   // a soft hyphen
  EXPECT_THAT(Words("\u039f\u0394\u039f\u03a3 \u03bf\u03b4\u03cc\u03c2"),  // final sigma
              ElementsAre("\u03bf\u03b4\u03bf\u03c3", "\u03bf\u03b4\u03cc\u03c3"));
}

TEST(Tokenizer, DictionariesCutTextsWithoutBlanks) {
  // Chinese "we love Beijing", Japanese "I am a student", kept though shorter than three.
  EXPECT_THAT(Words("\u6211\u4eec\u7231\u5317\u4eac", 3),
              ElementsAre("\u6211\u4eec", "\u7231", "\u5317\u4eac"));
  EXPECT_THAT(Words("\u79c1\u306f\u5b66\u751f\u3067\u3059", 3),
              ElementsAre("\u79c1", "\u306f", "\u5b66\u751f", "\u3067\u3059"));
  EXPECT_THAT(Words("\ud55c\uad6d \uc5b4", 3), ElementsAre("\ud55c\uad6d", "\uc5b4"));
}

TEST(Tokenizer, SymbolsAreNoWords) {
  EXPECT_THAT(
      Words("I \u2764\ufe0f \U0001F1E9\U0001F1EA \U0001F468\u200D\U0001F469 caf\u00e9 \u00bd"),
      ElementsAre("i", "caf\u00e9"));
  EXPECT_THAT(Words("\ufffd\ufffd a\ufffdb"), ElementsAre("a", "b"));
}

TEST(Tokenizer, AsciiNeedsNoIcuToBeAsIcuHasIt) {
  std::mt19937 random(7);
  // Mostly what the rules are about, now and then anything.
  const std::string telling = "aZb09_'.,:;\"@-/ \t";
  std::uniform_int_distribution<int> any(1, 127);
  std::uniform_int_distribution<size_t> some(0, telling.size() - 1);
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (int length = any(random) % 40; length > 0; --length) {
      text += any(random) < 16 ? static_cast<char>(any(random)) : telling[some(random)];
    }
    const int minimum_length = 1 + i % 3;
    ASSERT_EQ(Words(text, minimum_length), IcuWords(text, minimum_length)) << text;
  }
}

TEST(Tokenizer, OnlyStretchesBetweenBlanksNeedIcu) {
  std::mt19937 random(8);
  const std::vector<std::string> pieces = {
      "a",      "Z",      "9",      "_",      "@",          "'",      ".",      ",",      ":",
      " ",      " ",      "\t",     "\n",     "\u00e9",     "\u0301", "\u2019", "\u05d0", "\u30ab",
      "\u6211", "\u4eec", "\u0e01", "\u0e32", "\U0001F600", "\u00ad", "\ufffd", "\"",     "\u00b7",
      "\u0660", "\ud55c", "\u3042", "\u2028", "\u00a0",     "\u200b"};
  std::uniform_int_distribution<size_t> some(0, pieces.size() - 1);
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (size_t length = some(random); length > 0; --length) text += pieces[some(random)];
    ASSERT_EQ(Words(text, 1 + i % 3), IcuWords(text, 1 + i % 3)) << text;
  }
}

TEST(Tokenizer, RemembersNothingWrong) {
  Tokenizer tokenizer(1);
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 40'000; ++i) {  // more than it keeps
      const std::string word = "caf\u00e9x" + std::to_string(i);
      const auto& words = tokenizer.Split(word + " Na\u00efve");
      ASSERT_EQ(words.size(), 2u);
      ASSERT_EQ(words[0], word);
      ASSERT_EQ(words[1], "na\u00efve");
    }
  }
  const std::string longer = "\u00e9" + std::string(1000, 'A');
  EXPECT_THAT(tokenizer.Split(longer), ElementsAre("\u00e9" + std::string(1000, 'a')));
}

TEST(Utf8, InvalidSequencesAreReplacedAndCounted) {
  const auto repaired = [](const std::string& bytes, uint64_t expected) {
    std::string out;
    EXPECT_EQ(ReplaceInvalidUtf8(bytes, &out), expected) << bytes;
    EXPECT_EQ(IsValidUtf8(bytes), expected == 0) << bytes;
    EXPECT_TRUE(IsValidUtf8(out));
    return out;
  };
  EXPECT_EQ(repaired("plain \u00e9 \U0001F600", 0), "plain \u00e9 \U0001F600");
  EXPECT_EQ(repaired("a\xFF"
                     "b\xC3",
                     2),
            "a\ufffdb\ufffd");
  EXPECT_EQ(repaired("\xE2\x82", 1), "\ufffd");  // truncated
  repaired("\xED\xA0\x80", 3);                   // a surrogate
  repaired("\xC0\xAF", 2);                       // overlong
  repaired("\xF5\x80\x80\x80", 4);               // beyond Unicode
}

}  // namespace
}  // namespace sda
