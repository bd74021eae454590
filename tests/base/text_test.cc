#include "base/text.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <memory>

namespace sda {
namespace {

TEST(Shown, LeavesTextInAnyLanguageAsItIs) {
  for (const std::string text : {"", "topic", "it's a \"word\" of 100%", "Größe", "слово", "שלום",
                                 "نص", "話題", "नमस्ते", "👩‍👩‍👧", "\\x1b", "\xc2\xa0"}) {
    EXPECT_EQ(Shown(text), text);
  }
}

TEST(Shown, EscapesWhatATerminalWouldObey) {
  EXPECT_EQ(Shown("a\x1b[2Jb"), "a\\x1b[2Jb");
  EXPECT_EQ(Shown("a\r\nb\tc\x7f"), "a\\x0d\\x0ab\\x09c\\u007f");
  EXPECT_EQ(Shown(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(Shown("\xc2\x9b"
                  "31m"),
            "\\u009b31m");  // the CSI of one character
  EXPECT_EQ(Shown("\u061c\u200e\u200f\u2028\u2029"), "\\u061c\\u200e\\u200f\\u2028\\u2029");
  EXPECT_EQ(Shown("\U0001fffe"), "\\U0001fffe");  // not a character
  EXPECT_EQ(Shown("\u202a\u202e\u2066\u2069"), "\\u202a\\u202e\\u2066\\u2069");
}

TEST(Shown, EscapesBytesThatAreNotUtf8) {
  EXPECT_EQ(Shown("a\xff\xc3"), "a\\xff\\xc3");
  EXPECT_EQ(Shown("\x9b"
                  "31m"),
            "\\x9b31m");
  EXPECT_EQ(Shown("\xc0\x9b\xed\xa0\x80"), "\\xc0\\x9b\\xed\\xa0\\x80");  // overlong; a surrogate
}

TEST(Shown, KeepsTheCharactersThatItIsTold) {
  EXPECT_EQ(Shown("a\n\tb\x1b", "\n\t"), "a\n\tb\\x1b");
}

TEST(Columns, OneForEachCharacter) {
  EXPECT_EQ(Columns("Größe"), 5u);
  EXPECT_EQ(Columns(Shown("\x1b")), 4u);
}

TEST(CsvField, QuotesOnlyWhereNeeded) {
  EXPECT_EQ(CsvField("price in $"), "price in $");
  EXPECT_EQ(CsvField("a,b"), "\"a,b\"");
  EXPECT_EQ(CsvField("5\" x\n"), "\"5\"\" x\n\"");
}

TEST(ShellCommand, QuotesOnlyWhereNeeded) {
  EXPECT_EQ(ShellCommand({"a", "b c", "it's", ""}), "a 'b c' 'it'\\''s' ''");
  EXPECT_EQ(ShellCommand({"sda", "--topics=5", "x/y.gz"}), "sda --topics=5 x/y.gz");
  EXPECT_EQ(ShellCommand({"a\nb'\\"}), "$'a\\012b\\'\\\\'");
}

// The words that bash makes of a command, each ended by a 0.
std::string WordsInBash(const std::string& command) {
  const std::string line = "printf '%s\\0' " + command;
  std::string script = "bash -c '";
  for (const char c : line) script += c == '\'' ? std::string("'\\''") : std::string(1, c);
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen((script + "'").c_str(), "r"), pclose);
  std::string words;
  for (int c = 0; (c = std::fgetc(pipe.get())) != EOF;) words += static_cast<char>(c);
  return words;
}

TEST(ShellCommand, IsOneLineThatBashReadsAsTheSameWords) {
  const std::vector<std::string> words = {"plain",
                                          "two words",
                                          "a\nb",
                                          "\n",
                                          "trailing\n",
                                          "it's",
                                          "\"",
                                          "$(id)",
                                          "`id`",
                                          "$HOME",
                                          "\\",
                                          "\\n",
                                          "-rf",
                                          "--",
                                          "~",
                                          "*",
                                          "a;b",
                                          "a&b",
                                          "#",
                                          "!!",
                                          "=x",
                                          "A=b",
                                          "{a,b}",
                                          "",
                                          "\xff\xfe",
                                          "caf\xc3\xa9",
                                          "\u202e",
                                          "\x1b[31m",
                                          "7\0337",
                                          "\x01"
                                          "7",
                                          "\t",
                                          "'\n'",
                                          "\\'\n"};
  std::string expected;
  for (const std::string& word : words) expected += word + std::string(1, '\0');
  const std::string command = ShellCommand(words);
  EXPECT_EQ(Shown(command), command);  // also of one line
  EXPECT_EQ(WordsInBash(command), expected) << command;
}

TEST(ShellFile, IsNotTakenForAnOption) {
  EXPECT_EQ(ShellFile("-m"), "./-m");
  EXPECT_EQ(ShellFile("a b"), "'a b'");
}

}  // namespace
}  // namespace sda
