#include "help/man_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "help/completion.h"
#include "ui/flags.h"

namespace sda {
namespace {

using testing::HasSubstr;
using testing::Not;

std::vector<CommandEntry> Example() {
  static std::string text;
  static std::vector<std::string> inputs;
  static bool flag;
  CLI::App app("What it does.", "sda");
  CLI::App* fit = app.add_subcommand("fit", "Learn it's model\n.so it goes");
  fit->add_option("INPUT", inputs, "Files")->required();
  AddNamed(fit, "--kind", &text, {"one", "two"}, "Which \\kind [of it]");
  fit->add_option("-o,--output", text, "A file: its name");
  fit->add_flag("--follow", flag, "Wait");
  return OptionTable(&app);
}

TEST(ManPage, HasEveryOptionAndNoRequestsFromItsText) {
  const auto table = Example();
  ASSERT_EQ(table.size(), 2u);
  const std::string page = ManPage(table[1], table);
  EXPECT_THAT(page, HasSubstr("\\fB\\-o\\fR, \\fB\\-\\-output\\fR \\fITEXT\\fR"));
  EXPECT_THAT(page, HasSubstr("Which \\(rskind [of it]. One of one, two."));
  EXPECT_THAT(page, HasSubstr("sda\\-fit \\- Learn it's model .so it goes"));
  EXPECT_THAT(page, Not(HasSubstr("\n.so")));
  EXPECT_THAT(page, HasSubstr("\\fBsda\\fR(1)"));
}

TEST(Completion, OffersChoicesAndFilesInEveryShell) {
  const auto table = Example();
  const std::string bash = BashCompletion(table);
  EXPECT_THAT(bash, HasSubstr("--kind) values='one two'"));
  EXPECT_THAT(bash, HasSubstr("--follow"));
  const std::string zsh = ZshCompletion(table);
  EXPECT_THAT(zsh, HasSubstr("'--kind=[Which \\\\kind \\[of it\\]]:NAME:(one two)'"));
  EXPECT_THAT(zsh, HasSubstr("'--output=[A file\\: its name]:TEXT:_files'"));
  const std::string fish = FishCompletion(table);
  EXPECT_THAT(fish, HasSubstr("-l kind -x -a 'one two'"));
  EXPECT_THAT(fish, HasSubstr("-s o -l output -r -F"));
}

}  // namespace
}  // namespace sda
