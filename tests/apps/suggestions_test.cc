#include "help/suggestions.h"

#include <gtest/gtest.h>

namespace sda {
namespace {

TEST(Suggestions, AreTheNameWithFewestLettersChanged) {
  const std::vector<std::string> names = {"--topics", "--tau0", "--text-field", "--eta", "--seed"};
  EXPECT_EQ(MostLike("--topic", names), "--topics");
  EXPECT_EQ(MostLike("--tpoics", names), "--topics");
  EXPECT_EQ(MostLike("--text_field", names), "--text-field");
  EXPECT_EQ(MostLike("--text", names), "--text-field");
  EXPECT_EQ(MostLike("--Seed=3", names), "--seed");
  EXPECT_EQ(MostLike("--seed-of-the-run", names), "--seed");
  EXPECT_EQ(MostLike("--etaoin", names), "");  // no more than the letters of --eta
  EXPECT_EQ(MostLike("--completely-else", names), "");
  EXPECT_EQ(MostLike("--", names), "");
  EXPECT_EQ(MostLike("", names), "");
}

TEST(Suggestions, KnowTheNamesOfOtherTools) {
  CLI::App app;
  app.add_option("--topics");
  app.add_option_group("group")->add_option("--seed");
  EXPECT_EQ(SuggestedOption(app, "--num_topics"), "--topics");
  EXPECT_EQ(SuggestedOption(app, "-k"), "--topics");
  EXPECT_EQ(SuggestedOption(app, "--random-state=1"), "--seed");
  EXPECT_EQ(SuggestedOption(app, "--n-jobs"), "");  // this command has no --threads
}

TEST(Suggestions, CompareWithTheCommandsOfTheCommand) {
  CLI::App app;
  app.add_subcommand("cluster")->add_subcommand("create");
  EXPECT_EQ(SuggestedCommand(app, "clutser"), "cluster");
  EXPECT_EQ(SuggestedCommand(app, "creat"), "");
  EXPECT_EQ(DidYouMean("fit"), "; did you mean fit?");
  EXPECT_EQ(DidYouMean(""), "");
}

}  // namespace
}  // namespace sda
