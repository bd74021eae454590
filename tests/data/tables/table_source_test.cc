#include "data/tables/table_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>

#include "tests/base/temporary_file.h"

namespace sda {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

std::vector<Minibatch<Table>> ReadAll(TableSource& source) {
  std::vector<Minibatch<Table>> all;
  while (auto minibatch = source.Next()) all.push_back(*minibatch);
  return all;
}

// The message with which this content is refused.
std::string Refusal(const std::string& content, TableOptions options = {}) {
  const TemporaryFile file(content);
  options.inputs = {file.path()};
  return MessageOf<InputError>([&] {
    TableSource source(options);
    ReadAll(source);
  });
}

TEST(TableSource, ReadsTheColumnsAskedForTheTargetLast) {
  const TemporaryFile file("y,a, b \n1,2,3\n4,+5,6e0\n");
  TableSource source({.inputs = {file.path()}, .target = "y"});
  EXPECT_EQ(source.columns(), (std::vector<std::string>{"a", "b", "y"}));
  EXPECT_EQ(source.Next()->data.values, (std::vector<double>{2, 3, 1, 5, 6, 4}));
  TableSource chosen({.inputs = {file.path()}, .columns = {"b"}});
  EXPECT_EQ(chosen.Next()->data.values, (std::vector<double>{3, 6}));
}

// Seconds of the processor to read a header of so many columns.
double HeaderSeconds(int columns) {
  std::string header = "c0";
  for (int c = 1; c < columns; ++c) header += ",c" + std::to_string(c);
  const TemporaryFile file(header + "\n");
  const std::clock_t begin = std::clock();
  const TableSource source({.inputs = {file.path()}});
  EXPECT_EQ(source.columns().size(), columns);
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

TEST(TableSource, TimeIsProportionalToTheColumns) {
  // Four times as many took sixteen times as long.
  EXPECT_LT(HeaderSeconds(80000), 8 * HeaderSeconds(20000) + 0.1);
}

TEST(TableSource, CutsSeveralFilesIntoMinibatches) {
  const TemporaryFile one("a\n1\n2\n3\n");
  const TemporaryFile two("a\n4\n5\n");
  TableSource source({.inputs = {one.path(), two.path()}, .minibatch = 2});
  const auto all = ReadAll(source);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[1].data.values, (std::vector<double>{3, 4}));
  EXPECT_EQ(all[2].counts.items, 1u);
  EXPECT_EQ(all[2].id, 2u);
}

TEST(TableSource, GoesOnFromEveryPosition) {
  const TemporaryFile one("a\n1\n2\n3\n");
  const TemporaryFile two("a\n4\n5\n6\n7\n");
  const TableOptions options{.inputs = {one.path(), two.path()}, .minibatch = 2};
  TableSource whole(options);
  const auto all = ReadAll(whole);
  for (size_t i = 0; i < all.size(); ++i) {
    TableSource source(options);
    source.Resume(all[i].position, {});
    const auto rest = ReadAll(source);
    ASSERT_EQ(rest.size(), all.size() - 1 - i);
    for (size_t j = 0; j < rest.size(); ++j) {
      EXPECT_EQ(rest[j].id, all[i + 1 + j].id);
      EXPECT_EQ(rest[j].data.values, all[i + 1 + j].data.values);
    }
  }
  TableSource source(options);
  EXPECT_THROW(source.Resume("nonsense", {}), InputError);
}

TEST(TableSource, PeekShowsTheFirstMinibatchWithoutTakingIt) {
  const TemporaryFile file("a\n1\n2\n");
  TableSource source({.inputs = {file.path()}, .minibatch = 1});
  EXPECT_EQ(source.Peek().values, std::vector<double>{1});
  EXPECT_EQ(source.Peek().values, std::vector<double>{1});
  EXPECT_EQ(ReadAll(source).size(), 2u);
}

TEST(TableSource, NumbersCategoriesAsTheyComeAndKeepsThoseGiven) {
  const TemporaryFile file("c,d\nx,p\ny,q\nx,q\n");
  TableOptions options{.inputs = {file.path()}, .kind = ColumnKind::kCategory};
  options.categories.resize(2);
  options.categories[0].NumberOf("y");
  TableSource source(options);
  EXPECT_EQ(source.Next()->data.values, (std::vector<double>{1, 0, 0, 1, 1, 1}));
  EXPECT_EQ(source.categories()[0].names(), (std::vector<std::string>{"y", "x"}));
}

TEST(TableSource, BinaryColumnsTakeZeroOneFalseTrue) {
  const TemporaryFile file("a\n0\n1\nTRUE\nfalse\n");
  TableSource source({.inputs = {file.path()}, .kind = ColumnKind::kBinary});
  EXPECT_EQ(source.Next()->data.values, (std::vector<double>{0, 1, 1, 0}));
}

TEST(TableSource, ALineOfNumbersIsNotTakenForTheHeaderLine) {
  EXPECT_THAT(Refusal("1,2\n3,4\n"), HasSubstr(":1: the first line is all numbers"));
  EXPECT_THAT(Refusal("5.1,setosa\n4.9,setosa\n"), HasSubstr(":1: the first line holds \"5.1\""));
  EXPECT_EQ(Refusal("0,1,y\n1,2,3\n"), "");  // names of columns, some of which are numbers
  EXPECT_EQ(Refusal("1,2\n3,4\n", {.header = true}), "");
}

TEST(TableSource, WithoutAHeaderLineTheFirstRowIsOfEveryFile) {
  const TemporaryFile one("1,2\n3,4\n");
  const TemporaryFile two("5,6\n");
  TableSource source({.inputs = {one.path(), two.path()}, .target = "1", .header = false});
  EXPECT_EQ(source.columns(), (std::vector<std::string>{"2", "1"}));
  const auto minibatch = source.Next();
  EXPECT_EQ(minibatch->data.values, (std::vector<double>{2, 1, 4, 3, 6, 5}));
  TableSource resumed({.inputs = {one.path(), two.path()}, .minibatch = 1, .header = false});
  resumed.Resume("1 0 4 2", {});
  EXPECT_EQ(resumed.Next()->data.values, (std::vector<double>{3, 4}));
}

TEST(TableSource, FieldsHaveTheDelimiterThatIsAskedFor) {
  const TemporaryFile file("a;b\n1;\"2\"\n");
  TableSource source({.inputs = {file.path()}, .delimiter = ';'});
  EXPECT_EQ(source.Next()->data.values, (std::vector<double>{1, 2}));
  EXPECT_THAT(Refusal("a;b\n1;2\n"), HasSubstr("--delimiter ';'"));
}

TEST(TableSource, RowsWithAMissingValueCanBeLeftOut) {
  const TemporaryFile file("a,b,c\n1,NA,\n,2,3\n4,5,6\n7,8,null\n");
  TableSource source({.inputs = {file.path()}, .columns = {"a", "c"}, .skip_missing = true});
  const auto minibatch = source.Next();
  EXPECT_EQ(minibatch->data.values, (std::vector<double>{4, 6}));
  EXPECT_EQ(minibatch->counts.skipped, 3u);
  EXPECT_EQ(source.row_numbers(), (std::vector<uint64_t>{3}));
  EXPECT_EQ(source.skipped().rows, 3u);
  EXPECT_EQ(source.skipped().Examples(), file.path() + ":2 (column \"c\"), " + file.path() +
                                             ":3 (column \"a\"), " + file.path() +
                                             ":5 (column \"c\")");
}

TEST(TableSource, TextBecomesColumnsOfZeroAndOneOfTheLevelsInTheFirstMinibatch) {
  const TemporaryFile file("city,x,y\nrome,1,2\nbonn,3,4\nparis,5,6\nbonn,7,8\noslo,9,10\n");
  TableSource source(
      {.inputs = {file.path()}, .target = "y", .minibatch = 4, .one_hot = {{.column = "city"}}});
  EXPECT_EQ(source.Peek().columns, 4u);
  EXPECT_EQ(source.columns(), (std::vector<std::string>{"city=paris", "city=rome", "x", "y"}));
  EXPECT_EQ(source.one_hot()[0].levels, (std::vector<std::string>{"bonn", "paris", "rome"}));
  EXPECT_EQ(source.Next()->data.values,
            (std::vector<double>{0, 1, 1, 2, 0, 0, 3, 4, 1, 0, 5, 6, 0, 0, 7, 8}));
  EXPECT_EQ(source.unknown_levels().rows, 0u);
  EXPECT_EQ(source.Next()->data.values, (std::vector<double>{0, 0, 9, 10}));  // as bonn
  EXPECT_EQ(source.unknown_levels().Examples(), file.path() + ":6 (city \"oslo\")");
}

TEST(TableSource, WithoutAnInterceptTextHasAColumnForEveryLevel) {
  const TemporaryFile file("city,y\nrome,1\nbonn,2\n");
  TableSource source(
      {.inputs = {file.path()},
       .target = "y",
       .one_hot = {{.column = "city", .levels = {"rome", "bonn"}, .all_levels = true}}});
  EXPECT_EQ(source.columns(), (std::vector<std::string>{"city=rome", "city=bonn", "y"}));
  EXPECT_EQ(source.Next()->data.values, (std::vector<double>{1, 0, 1, 0, 1, 2}));
}

TEST(TableSource, BadInputIsRefusedWithFileLineAndColumn) {
  EXPECT_THAT(Refusal(""), EndsWith(": is empty, expected a header line"));
  EXPECT_THAT(Refusal("a,b\n"), EndsWith(": no rows after the header line"));
  EXPECT_THAT(Refusal("a,b\n1,2\n3\n"), EndsWith(":3: 1 field, expected 2 as in the header line"));
  EXPECT_THAT(Refusal("a,b\n1,2\n3,x y\n"),
              EndsWith(":3: column \"b\": found \"x y\", expected a finite number"));
  for (const char* missing : {"", " ", "NA", "nan", "NULL", "n/a"}) {
    EXPECT_THAT(Refusal(std::string("a,b\n1,") + missing + "\n"),
                HasSubstr(":2: column \"b\": missing value, expected a finite number; --missing"))
        << missing;
  }
  for (const char* number : {"inf", "-inf", "1e999", "0x10", "1,5", "1 2", "--1", "+-1", "+"}) {
    EXPECT_NE(Refusal("a\n\"" + std::string(number) + "\"\n"), "") << number;
  }
  EXPECT_THAT(Refusal("a,b\n1,2\n", {.target = "z"}),
              EndsWith(":1: no column \"z\"; the columns are \"a\", \"b\""));
  EXPECT_THAT(Refusal("a,a\n1,2\n"), EndsWith(":1: column \"a\" appears twice"));
  EXPECT_EQ(Refusal("a,a,b\n1,2,3\n", {.columns = {"b"}}), "");  // is not asked for
  EXPECT_THAT(Refusal("a\n2\n", {.kind = ColumnKind::kBinary}),
              EndsWith("found \"2\", expected 0 or 1"));
  for (const char* count : {"-1", "1.5", "1e20"}) {
    EXPECT_THAT(Refusal("a\n" + std::string(count) + "\n", {.kind = ColumnKind::kCount}),
                EndsWith("expected a whole number of at least 0"));
  }
  EXPECT_THAT(Refusal("a,b\n,x\n", {.kind = ColumnKind::kCategory}),
              HasSubstr("missing value, expected a category; --missing skip"));
  EXPECT_LT(Refusal("a\n" + std::string(1000, 'x') + "\n").size(), 250u);
  EXPECT_THAT(Refusal("gr\xf6\xdf"
                      "e\n1\n"),
              HasSubstr("is not UTF-8"));
  for (const char* number : {"1e200", "-1e200", "1e-200"}) {
    EXPECT_THAT(Refusal("a\n" + std::string(number) + "\n"),
                EndsWith("expected 0 or a number between 1e-150 and 1e150"));
  }
}

TEST(TableSource, FilesWithDifferentHeadersAreRefused) {
  const TemporaryFile one("a,b\n1,2\n");
  const TemporaryFile two("b,a\n1,2\n");
  EXPECT_THAT(MessageOf<InputError>([&] {
                TableSource({.inputs = {one.path(), two.path()}});
              }),
              HasSubstr(":1: header is \"b\", \"a\", expected \"a\", \"b\" as in " + one.path()));
}

TEST(TableSource, BadOptionsAreNamed) {
  EXPECT_EQ(MessageOf<UsageError>([] { TableSource({}); }), "no input was given");
  EXPECT_EQ(MessageOf<UsageError>([] { TableSource({.inputs = {"x"}, .minibatch = 0}); }),
            "minibatch is 0, must be at least 1 row");
  EXPECT_EQ(MessageOf<UsageError>([] {
              TableSource({.inputs = {"-", "-"}});
            }),
            "standard input (-) is given twice");
}

}  // namespace
}  // namespace sda
