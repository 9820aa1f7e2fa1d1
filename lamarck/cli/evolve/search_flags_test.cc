#include "lamarck/cli/evolve/search_flags.h"

#include <gtest/gtest.h>

#include "lamarck/base/file.h"
#include "lamarck/cli/evolve/net_flags.h"

namespace lamarck::cli {
namespace {

namespace fs = std::filesystem;
using law::LawEngine;

SearchFlags fn_flags() {
  SearchFlags flags;
  flags.data = "points.csv";
  flags.target = "y";
  return flags;
}

fs::path fresh_folder(const char* name) {
  const fs::path folder = fs::path(testing::TempDir()) / name;
  fs::remove_all(folder);
  fs::create_directories(folder);
  return folder;
}

TEST(SearchFlags, HasDefaults) {
  const SearchRun run = make_search_run(kFnKind, fn_flags(), 3).value();
  EXPECT_EQ(run.engine, LawEngine::Gp);
  EXPECT_EQ(run.evolver.num_islands, 10U);
  EXPECT_EQ(run.evolver.num_parallel, 3U);
  EXPECT_EQ(run.evolver.seed, 1U);
  EXPECT_EQ(run.evolver.budget.wall_time, std::chrono::seconds(30));
  EXPECT_FALSE(run.evolver.reset_period.evaluations.has_value());
  EXPECT_EQ(run.out, "points-fn");
}

TEST(SearchFlags, OutputFolderIsNamedAfterProgramFolder) {
  SearchFlags flags;
  flags.data = "problems/packing.v2/";
  const SearchRun run = make_search_run(kProgramKind, flags, 1).value();
  EXPECT_EQ(run.out, "packing.v2-program");
  EXPECT_FALSE(run.engine.has_value());
}

TEST(SearchFlags, GeneticEngineRejectsMoneyBudget) {
  SearchFlags flags = fn_flags();
  flags.budget = {"5usd"};
  EXPECT_EQ(make_search_run(kFnKind, flags, 1).error().code(),
            ErrorCode::InvalidArgument);
  flags.engine = "mix";
  EXPECT_EQ(
      make_search_run(kFnKind, flags, 1).value().evolver.budget.money_micros,
      5'000'000);
}

TEST(SearchFlags, UnknownEngineGetsSuggestion) {
  SearchFlags flags = fn_flags();
  flags.engine = "lml";
  EXPECT_EQ(make_search_run(kFnKind, flags, 1).error().message(),
            "--engine must be gp, llm or mix, got 'lml'; did you mean 'llm'?");
}

TEST(SearchFlags, ProblemIsTextOrFile) {
  const fs::path folder = fresh_folder("problem");
  ASSERT_TRUE(write_file(folder / "problem.md", "A swing."));
  SearchFlags flags = fn_flags();
  flags.problem = (folder / "problem.md").string();
  EXPECT_EQ(make_search_run(kFnKind, flags, 1).value().problem, "A swing.");
  flags.problem = "A line.";
  EXPECT_EQ(make_search_run(kFnKind, flags, 1).value().problem, "A line.");
}

TEST(SearchFlags, ResumeReadsFlagsFromFolder) {
  const fs::path folder = fresh_folder("remembered");
  SearchFlags flags = fn_flags();
  flags.seed = 7;
  flags.tests = {"a.csv", "b.csv"};
  flags.budget = {"10s"};
  const SearchRun run = make_search_run(kFnKind, flags, 1).value();
  ASSERT_TRUE(write_file(folder / kRunFile, search_file_text(run)));

  const SearchRun again = read_search_run(folder).value();
  EXPECT_EQ(again.evolver.seed, 7U);
  EXPECT_EQ(again.flags.tests.size(), 2U);
  EXPECT_EQ(again.data, fs::absolute("points.csv"));

  SearchFlags resumed;
  resumed.resume = folder.string();
  resumed.budget = {"500eval"};
  const SearchRun next = make_search_run(kFnKind, resumed, 1).value();
  EXPECT_TRUE(next.is_resumed);
  EXPECT_EQ(next.out, folder);
  EXPECT_EQ(next.evolver.seed, 7U);
  EXPECT_EQ(next.evolver.budget.evaluations, 500);
  EXPECT_FALSE(make_search_run(kProgramKind, resumed, 1).has_value());
  resumed.seed = 3;
  EXPECT_FALSE(make_search_run(kFnKind, resumed, 1).has_value());
}

TEST(SearchFlags, InvalidRunFileIsReportedAsDamaged) {
  const fs::path folder = fresh_folder("damaged");
  for (const char* text :
       {"{", "[]", "{\"data\": 3}",
        "{\"kind\": \"fn\", \"data\": \"a\", \"seed\": []}"}) {
    ASSERT_TRUE(write_file(folder / kRunFile, text));
    const auto run = read_search_run(folder);
    ASSERT_FALSE(run.has_value()) << text;
    EXPECT_EQ(run.error().code(), ErrorCode::DataDamaged) << text;
  }
}

TEST(SearchFlags, SeedPresetSetsItsFourDefaults) {
  SearchFlags flags = fn_flags();
  flags.preset = "seed";
  const auto options = make_search_run(kFnKind, flags, 1).value().evolver;
  EXPECT_EQ(options.reset_period.time, std::chrono::minutes(30));
  EXPECT_EQ(options.founder, archipelago::Founder::BestOfAll);
  EXPECT_EQ(options.island.score_scale, archipelago::ScoreScale::Raw);
  EXPECT_EQ(options.island.length_unit, archipelago::LengthUnit::Characters);

  flags.reset = {"500eval"};
  const auto other = make_search_run(kFnKind, flags, 1).value().evolver;
  EXPECT_EQ(other.reset_period.evaluations, 500);
  flags.preset = "sead";
  EXPECT_EQ(make_search_run(kFnKind, flags, 1).error().code(),
            ErrorCode::InvalidArgument);
}

TEST(SearchFlags, ReadsLimitsOfOneEvaluation) {
  SearchFlags flags;
  flags.data = "problem";
  flags.time_limit = "5min";
  flags.memory_limit = "2GB";
  flags.goal = 3;
  const SearchRun run = make_search_run(kProgramKind, flags, 1).value();
  EXPECT_EQ(run.time_limit, std::chrono::minutes(5));
  EXPECT_EQ(run.memory_limit, 2ULL << 30U);
  EXPECT_EQ(run.evolver.goal, 3);

  flags.time_limit = "5";
  EXPECT_NE(make_search_run(kProgramKind, flags, 1)
                .error()
                .message()
                .find("--time-limit"),
            std::string::npos);
}

}  // namespace
}  // namespace lamarck::cli
