#include "lamarck/runs/run_command.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "lamarck/runs/run_folder_fixture.h"

namespace lamarck::runs {
namespace {

using Words = std::vector<std::string>;

TEST(RunCommand, TurnsOptionsIntoFlags) {
  const auto words = make_run_words({.kind = "net",
                                     .options = {{"data", "up-1"},
                                                 {"target", "-y"},
                                                 {"test_split", 0.5},
                                                 {"series", true},
                                                 {"seed", 3}},
                                     .data = "/t.csv"});
  EXPECT_EQ(words.value(),
            (Words{"evolve", "net", "--seed=3", "--series", "--target=-y",
                   "--test-split=0.5", "/t.csv"}));
  EXPECT_EQ(make_run_words(
                {.kind = "neat", .options = {{"task", "xor"}}, .data = "xor"})
                .value(),
            (Words{"neat", "xor"}));
}

TEST(RunCommand, RejectsUnknownOptionsAndWrongTypes) {
  for (const Json& options :
       {Json{{"out", "/etc"}}, Json{{"resume", "/x"}}, Json{{"db", "x"}},
        Json{{"seed", "3"}}, Json{{"series", 1}}, Json{{"goal", "x"}},
        Json{{"target", 3}}, Json{{"functions", "sin"}}}) {
    const auto words =
        make_run_words({.kind = "net", .options = options, .data = ""});
    ASSERT_FALSE(words) << options;
    EXPECT_EQ(words.error().code(), ErrorCode::InvalidArgument);
  }
}

TEST(RunCommand, ResumesARunThatHasAFolder) {
  RunFolder folder;
  RunSummary summary;
  summary.kind = "fn";
  summary.folder = folder.path().string();
  EXPECT_EQ(make_resume_words(summary), Words{});
  std::ofstream(folder.path() / "run.json") << "{}";
  EXPECT_EQ(make_resume_words(summary),
            (Words{"evolve", "fn", "--resume=" + summary.folder}));
  summary.kind = "neat";
  EXPECT_EQ(make_resume_words(summary), Words{});
}

}  // namespace
}  // namespace lamarck::runs
