#include "lamarck/cli/evolve/net_flags.h"

#include <gtest/gtest.h>

#include "lamarck/base/file.h"

namespace lamarck::cli {
namespace {

NetFlags default_flags() {
  return {.data = "iris.csv", .target = "species", .islands = 3, .seed = 7};
}

TEST(NetFlags, ParsesBudgetsOfTimeGenerationsAndCandidates) {
  EXPECT_EQ(parse_budget("90s")->seconds, 90);
  EXPECT_EQ(parse_budget("1.5m")->seconds, 90);
  EXPECT_EQ(parse_budget("1h")->seconds, 3600);
  const auto both = parse_budget("500gen,10000eval");
  ASSERT_TRUE(both);
  EXPECT_EQ(both->generations, 500);
  EXPECT_EQ(both->evaluations, 10000);
}

TEST(NetFlags, RejectsInvalidBudgets) {
  for (const char* text : {"", "5", "s", "0s", "-1s", "1.5gen", "1d", "nans",
                           "infs", "1s,", "1 s", "1e99s"}) {
    EXPECT_FALSE(parse_budget(text)) << text;
  }
}

TEST(NetFlags, RunWithoutGoalStopsWithoutImprovement) {
  NetFlags flags = default_flags();
  EXPECT_GT(make_net_run(flags)->options.evolution.budget.flat_generations, 0);

  flags.goal = 0.9;
  EXPECT_EQ(make_net_run(flags)->options.evolution.budget.flat_generations, 0);
}

TEST(NetFlags, ResumeReadsFlagsFromFolder) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / "net_flags";
  std::filesystem::create_directories(folder);
  ASSERT_TRUE(write_file(folder / kRunFile, run_file_text(default_flags())));

  const auto run = make_net_run({.budget = "7gen", .resume = folder.string()});

  ASSERT_TRUE(run) << run.error().message();
  EXPECT_TRUE(run->resume);
  EXPECT_EQ(run->data, std::filesystem::absolute("iris.csv"));
  EXPECT_EQ(run->out, folder);
  EXPECT_EQ(run->options.target, "species");
  EXPECT_EQ(run->options.evolution.seed, 7u);
  EXPECT_EQ(run->options.evolution.islands, 3u);
  EXPECT_EQ(run->options.evolution.budget.generations, 7);
}

TEST(NetFlags, ResumeAcceptsOnlyBudgetAndGoal) {
  for (const NetFlags& flags : {NetFlags{.data = "a.csv", .resume = "a"},
                                NetFlags{.ignore = "x", .resume = "a"},
                                NetFlags{.is_series = true, .resume = "a"},
                                NetFlags{.horizon = 2, .resume = "a"},
                                NetFlags{.seeds = 2, .resume = "a"},
                                NetFlags{.out = "b", .resume = "a"}}) {
    EXPECT_NE(make_net_run(flags).error().message().find("only --budget"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace lamarck::cli
