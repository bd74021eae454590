#include "data/tables/svmlight_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/tables/class_name.h"
#include "sda/errors.h"
#include "tests/base/temporary_file.h"

namespace sda {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

SvmlightOptions OptionsFor(const TemporaryFile& file, size_t minibatch = 1000) {
  SvmlightOptions options;
  options.inputs = {file.path()};
  options.minibatch = minibatch;
  return options;
}

TEST(SvmlightSource, ReadsLabelsFeaturesAndComments) {
  const TemporaryFile file("# head\n+1 1:0.5 3:-2e-1 # a comment\n\n-1 qid:7 2:1\r\n1\n");
  SvmlightSource source(OptionsFor(file));
  const auto minibatch = source.Next();
  ASSERT_TRUE(minibatch);
  EXPECT_EQ(minibatch->counts.items, 3u);
  EXPECT_THAT(minibatch->data.index, ElementsAre(0, 2, 1));
  EXPECT_THAT(minibatch->data.value, ElementsAre(0.5, -0.2, 1));
  EXPECT_THAT(minibatch->data.ends, ElementsAre(2, 3, 3));
  EXPECT_THAT(minibatch->data.target, ElementsAre(0, 1, 0));
  EXPECT_THAT(source.classes().names(), ElementsAre("1", "-1"));
  EXPECT_EQ(source.largest_feature(), 3u);
  EXPECT_FALSE(source.Next());
}

TEST(SvmlightSource, GoesOnWhereItStopped) {
  const TemporaryFile file("1 1:1\n0 1:2\n1 1:3\n0 1:4\n1 1:5\n");
  SvmlightSource source(OptionsFor(file, 2));
  const std::string position = source.Next()->position;
  SvmlightSource later(OptionsFor(file, 2));
  later.Resume(position, {});
  const auto minibatch = later.Next();
  EXPECT_EQ(minibatch->id, 1u);
  EXPECT_THAT(minibatch->data.value, ElementsAre(3, 4));
}

TEST(SvmlightSource, BadLinesAreNamed) {
  auto message = [](const std::string& text, uint64_t features = 0) {
    const TemporaryFile file(text);
    return MessageOf<InputError>([&] {
      SvmlightOptions options = OptionsFor(file);
      options.features = features;
      SvmlightSource source(options);
      source.Next();
    });
  };
  EXPECT_THAT(message("1 1:2\n0 0:1\n"), HasSubstr(":2: feature 0, but svmlight counts from 1"));
  EXPECT_THAT(message("1 1:2\nyes 1:1\n"), HasSubstr(":2: found \"yes\", expected a label"));
  EXPECT_THAT(message("1 1:x\n"), HasSubstr(":1: found \"1:x\", expected a pair feature:value"));
  EXPECT_THAT(message("1 1:nan\n"), HasSubstr("found \"1:nan\""));
  EXPECT_THAT(message("1 7\n"), HasSubstr("found \"7\", expected a pair"));
  EXPECT_THAT(message("1 3:1 2:1\n"), HasSubstr("feature 2 after feature 3"));
  EXPECT_THAT(message("1 3:1 3:1\n"), HasSubstr("feature 3 after feature 3"));
  EXPECT_THAT(message("1 5:1\n", 4), HasSubstr(":1: feature 5, expected 1 to 4"));
  EXPECT_THAT(message("1 1:1\n0 1:1\n2 1:1\n"),
              HasSubstr(":3: found label \"2\", expected one of two classes, \"1\" or \"0\""));
  EXPECT_THAT(message("# nothing\n"), HasSubstr("has no rows"));
}

TEST(SvmlightSource, FeaturesAreCountedFromFilesAndNotFromStandardInput) {
  const TemporaryFile file("1 1:1 90:2\n0 17:1\n");
  EXPECT_EQ(CountFeatures(OptionsFor(file)), 90u);
  SvmlightOptions options;
  options.inputs = {"-"};
  EXPECT_THROW(CountFeatures(options), UsageError);
}

TEST(ClassName, NumbersHaveOneForm) {
  EXPECT_EQ(ClassName("+1"), "1");
  EXPECT_EQ(ClassName("1.0"), "1");
  EXPECT_EQ(ClassName("-1"), "-1");
  EXPECT_EQ(ClassName("-0"), "0");
  EXPECT_EQ(ClassName("yes"), "yes");
}

TEST(ClassName, TheLargerNumberOrLaterWordIsPositive) {
  EXPECT_EQ(PositiveClass({"1", "0"}), "1");
  EXPECT_EQ(PositiveClass({"-1", "1"}), "1");
  EXPECT_EQ(PositiveClass({"10", "9"}), "10");
  EXPECT_EQ(PositiveClass({"yes", "no"}), "yes");
  EXPECT_EQ(PositiveClass({"0"}), "1");
  EXPECT_EQ(PositiveClass({"spam"}), "spam");
  EXPECT_THAT(PositiveClass({}), IsEmpty());
}

}  // namespace
}  // namespace sda
