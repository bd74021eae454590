#include "data/tables/table_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

TEST(TableSource, BadInputIsRefusedWithFileLineAndColumn) {
  EXPECT_THAT(Refusal(""), EndsWith(": is empty, expected a header line"));
  EXPECT_THAT(Refusal("a,b\n"), EndsWith(": no rows after the header line"));
  EXPECT_THAT(Refusal("a,b\n1,2\n3\n"), EndsWith(":3: 1 fields, expected 2 as in the header line"));
  EXPECT_THAT(Refusal("a,b\n1,2\n3,x y\n"),
              EndsWith(":3: column \"b\": found \"x y\", expected a finite number"));
  for (const char* missing : {"", " ", "NA", "nan", "NULL", "n/a"}) {
    EXPECT_THAT(Refusal(std::string("a,b\n1,") + missing + "\n"),
                EndsWith(":2: column \"b\": missing value, expected a finite number"))
        << missing;
  }
  for (const char* number : {"inf", "-inf", "1e999", "0x10", "1,5", "1 2", "--1", "+-1", "+"}) {
    EXPECT_NE(Refusal("a\n\"" + std::string(number) + "\"\n"), "") << number;
  }
  EXPECT_THAT(Refusal("a,b\n1,2\n", {.target = "z"}),
              EndsWith(":1: no column \"z\"; the columns are \"a\", \"b\""));
  EXPECT_THAT(Refusal("a,a\n1,2\n"), EndsWith(":1: column \"a\" appears twice"));
  EXPECT_THAT(Refusal("a\n2\n", {.kind = ColumnKind::kBinary}),
              EndsWith("found \"2\", expected 0 or 1"));
  for (const char* count : {"-1", "1.5", "1e20"}) {
    EXPECT_THAT(Refusal("a\n" + std::string(count) + "\n", {.kind = ColumnKind::kCount}),
                EndsWith("expected a whole number of at least 0"));
  }
  EXPECT_THAT(Refusal("a,b\n,x\n", {.kind = ColumnKind::kCategory}),
              EndsWith("missing value, expected a category"));
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
  TableSource source({.inputs = {one.path(), two.path()}});
  EXPECT_THAT(MessageOf<InputError>([&] { ReadAll(source); }),
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
