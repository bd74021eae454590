#include "data/tables/csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/base/temporary_file.h"

namespace sda {
namespace {

using ::testing::HasSubstr;
using Rows = std::vector<std::vector<std::string>>;

Rows ReadAll(const std::string& text) {
  const TemporaryFile file(text);
  CsvReader reader(Input::Open(file.path()));
  Rows rows;
  std::vector<std::string_view> fields;
  while (reader.Next(&fields)) rows.emplace_back(fields.begin(), fields.end());
  return rows;
}

std::string Refusal(const std::string& text) {
  return MessageOf<InputError>([&] { ReadAll(text); });
}

TEST(Csv, SplitsRowsAndFields) {
  EXPECT_EQ(ReadAll("a,b\n1,2\n,\n"), (Rows{{"a", "b"}, {"1", "2"}, {"", ""}}));
}

TEST(Csv, LineEndsMayBeMissingOrWindows) {
  EXPECT_EQ(ReadAll("a,b\r\n1,2\r\n3,4"), (Rows{{"a", "b"}, {"1", "2"}, {"3", "4"}}));
}

TEST(Csv, QuotedFieldsHoldCommasQuotesAndLineBreaks) {
  EXPECT_EQ(ReadAll("\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\"\nx,\"\",z\n"),
            (Rows{{"a,b", "say \"hi\"", "two\nlines"}, {"x", "", "z"}}));
}

TEST(Csv, AByteOrderMarkIsNotPartOfTheFirstField) {
  EXPECT_EQ(ReadAll("\xef\xbb\xbf"
                    "a\n1\n"),
            (Rows{{"a"}, {"1"}}));
}

TEST(Csv, BlankLinesMayOnlyEndTheFile) {
  EXPECT_EQ(ReadAll("a\n1\n\n\r\n"), (Rows{{"a"}, {"1"}}));
  EXPECT_THAT(Refusal("a\n\n1\n"), HasSubstr(":2: empty line, expected a row"));
  EXPECT_TRUE(ReadAll("").empty());
}

TEST(Csv, ARowThatIsStoppedInItsSecondLineIsToBeReadAgainFromItsFirst) {
  const TemporaryFile file("a,b\n1,2\n\"two\nlines");
  const Context context;
  CsvReader reader(Input::Open(file.path(), context, ""));
  std::vector<std::string_view> fields;
  ASSERT_TRUE(reader.Next(&fields));
  ASSERT_TRUE(reader.Next(&fields));  // the rest is read ahead
  context.RequestStop();
  EXPECT_FALSE(reader.Next(&fields));
  EXPECT_EQ(reader.offset_after(), 8u);
  EXPECT_EQ(reader.line_after(), 3u);
}

TEST(Csv, BrokenQuotesAreRefusedWithTheLine) {
  EXPECT_THAT(Refusal("a\n1\n\"x\n"), HasSubstr(":3: quoted field has no closing quote"));
  EXPECT_THAT(Refusal("a\n\"x\"y\"\"\n"), HasSubstr(":2: text after the closing quote of field 1"));
}

TEST(Csv, QuotesInsideUnquotedFieldsAreRefused) {
  EXPECT_THAT(Refusal("x\n5\" pipe\n6\" pipe\nfoo\n"),
              HasSubstr(":2: quote inside field 1, which does not begin with one"));
}

TEST(Csv, RowsLongerThanTheLimitAreRefused) {
  EXPECT_THAT(Refusal("a\n" + std::string(CsvReader::kMaxRowBytes + 10, 'x') + "\n"),
              HasSubstr(":2: row of more than 16 MiB"));
  EXPECT_THAT(Refusal("a\n\"" + std::string(CsvReader::kMaxRowBytes + 10, '\n')),
              HasSubstr(":2: row of more than 16 MiB"));
}

TEST(Csv, RowsAcrossBufferEndsAreWhole) {
  std::string text;
  Rows expected;
  for (int i = 0; i < 50000; ++i) {
    text += std::to_string(i) + ",\"x\ny\"\n";
    expected.push_back({std::to_string(i), "x\ny"});
  }
  EXPECT_EQ(ReadAll(text), expected);
}

// The rows with every field in quotes: a valid table for any content.
std::string Quoted(const Rows& rows) {
  std::string text;
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      text += i > 0 ? ",\"" : "\"";
      for (const char c : row[i]) text += c == '"' ? "\"\"" : std::string(1, c);
      text += '"';
    }
    text += '\n';
  }
  return text;
}

TEST(Csv, AnyBytesAreReadOrRefused) {
  std::mt19937_64 random(3);
  const std::string alphabet = "a,\"\n\r1\xef\xbb\xbf";
  int read = 0;
  int refused = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string text;
    const size_t length = random() % 30;
    for (size_t j = 0; j < length; ++j) text += alphabet[random() % alphabet.size()];
    const std::string refusal = Refusal(text);
    if (refusal.empty()) {
      const Rows rows = ReadAll(text);
      EXPECT_EQ(ReadAll(Quoted(rows)), rows) << text;
      ++read;
    } else {
      EXPECT_THAT(refusal, ::testing::ContainsRegex(":[0-9]+: ")) << text;
      ++refused;
    }
  }
  EXPECT_GT(read, 100);
  EXPECT_GT(refused, 100);
}

TEST(Csv, SkipsToAPlace) {
  const TemporaryFile file("a\n\"1\n1\"\n2\n3\n");
  CsvReader reader(Input::Open(file.path()));
  std::vector<std::string_view> fields;
  reader.Next(&fields);
  reader.Next(&fields);
  CsvReader other(Input::Open(file.path()));
  other.SkipTo(reader.offset_after(), reader.line_after());
  ASSERT_TRUE(other.Next(&fields));
  EXPECT_EQ(fields[0], "2");
  EXPECT_EQ(other.line(), 4u);
  EXPECT_THROW(other.SkipTo(1000, 1), InputError);
}

TEST(CsvReader, DoesNotCollectARowWithoutEndWhileItWaits) {
  const TemporaryFile file(std::string(3 * CsvReader::kMaxRowBytes / 2, '1'));
  CsvReader reader(Input::Open(file.path()));
  EXPECT_TRUE(reader.WaitForRow(std::chrono::steady_clock::time_point::max()));
  EXPECT_LT(reader.input().bytes_read(), CsvReader::kMaxRowBytes + (1 << 20));
  std::vector<std::string_view> fields;
  EXPECT_THAT(MessageOf<InputError>([&] { reader.Next(&fields); }),
              HasSubstr("row of more than 16 MiB"));
}

}  // namespace
}  // namespace sda
