#include "lamarck/cli/command_outline.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

#include "lamarck/cli/completion.h"
#include "lamarck/cli/manual_page.h"

namespace lamarck::cli {
namespace {

class OutlineTest : public testing::Test {
 protected:
  void SetUp() override {
    program_.add_option("--data-dir", text_, "Where")->type_name("TEXT");
    CLI::App* grow = program_.add_subcommand(
        "grow", "Grows a network. It's [quick]: try \\fB.");
    grow->footer("Example:\n  lamarck grow fast");
    grow->add_flag("-q,--quiet", quiet_, "Say less");
    grow->add_option("SPEED", text_, "How")->type_name("slow|fast");
    grow->add_option("--from", text_, "Source")->type_name("FILE");
    outline_ = make_outline(program_);
  }

  CLI::App program_{"Does things.", "lamarck"};
  std::string text_;
  bool quiet_ = false;
  Outline outline_;
};

TEST_F(OutlineTest, ContainsFlagsArgumentsAndChoices) {
  ASSERT_EQ(outline_.commands.size(), 1u);
  const OutlineCommand& grow = outline_.commands[0];
  EXPECT_EQ(grow.summary, "Grows a network");
  ASSERT_EQ(grow.arguments.size(), 1u);
  EXPECT_EQ(grow.arguments[0].name, "SPEED");
  EXPECT_EQ(grow.arguments[0].choices,
            (std::vector<std::string>{"slow", "fast"}));
  ASSERT_EQ(grow.flags.size(), 3u);  // With --help.
  EXPECT_EQ(grow.flags[1].names, (std::vector<std::string>{"-q", "--quiet"}));
  EXPECT_EQ(grow.flags[1].value, "");
  EXPECT_EQ(grow.flags[2].value, "FILE");
}

TEST_F(OutlineTest, EveryScriptContainsAllCommandsFlagsAndChoices) {
  for (const std::string& script :
       {bash_completion(outline_), zsh_completion(outline_),
        fish_completion(outline_), manual_page(outline_)}) {
    for (const char* word : {"grow", "quiet", "from", "slow", "fast"}) {
      EXPECT_NE(script.find(word), std::string::npos) << word << "\n" << script;
    }
  }
}

TEST_F(OutlineTest, ManualEscapesRoffSyntax) {
  const std::string page = manual_page(outline_);
  EXPECT_NE(page.find("\\efB."), std::string::npos) << page;
  EXPECT_NE(page.find("\\fB\\-q\\fR, \\fB\\-\\-quiet\\fR"), std::string::npos);
}

}  // namespace
}  // namespace lamarck::cli
