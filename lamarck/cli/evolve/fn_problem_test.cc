#include "lamarck/cli/evolve/fn_problem.h"

#include <gtest/gtest.h>

#include "lamarck/base/file.h"

namespace lamarck::cli {
namespace {

using formula::Op;
using law::LawEngine;

SearchRun run_with_functions(const char* names) {
  SearchRun run{.kind = "fn", .engine = LawEngine::Gp};
  run.flags.functions = names;
  return run;
}

TEST(FnProblem, FunctionsFlagSelectsFunctions) {
  const auto options =
      make_gp_options(run_with_functions("sin,add,pow")).value();
  EXPECT_EQ(options.functions, std::vector<Op>{Op::Sin});
  EXPECT_TRUE(options.has_powers);
  const auto plain = make_gp_options(run_with_functions("mul")).value();
  EXPECT_TRUE(plain.functions.empty());
  EXPECT_FALSE(plain.has_powers);
}

TEST(FnProblem, EveryFunctionIsAcceptedOrRejectedWithSentence) {
  for (const auto& operation : formula::operations()) {
    const std::string name(operation.name);
    const auto options = make_gp_options(run_with_functions(name.c_str()));
    if (!options) {
      EXPECT_TRUE(options.error().message().ends_with('.')) << name;
    }
  }
  EXPECT_EQ(make_gp_options(run_with_functions("sinn")).error().message(),
            "--functions: unknown function 'sinn'; did you mean 'sign'?");
}

TEST(FnProblem, SeedEquationAcceptsInputsInAnyOrder) {
  SearchRun run{.kind = "fn"};
  run.seed_equation = "def f(b, a):\n    return b - a\n";
  const auto seeds =
      seed_formulas(run, {.input_names = {"a", "b", "c"}}).value();
  ASSERT_EQ(seeds.size(), 1U);
  EXPECT_EQ(seeds[0].inputs.size(), 3U);
  const double row[] = {1, 5, 9};
  EXPECT_EQ(formula::evaluate_row(seeds[0].body, row, {}), 4);
}

TEST(FnProblem, ColumnNamesBecomeIdentifiers) {
  const std::string path = testing::TempDir() + "/fn_problem.csv";
  ASSERT_TRUE(write_file(path, "v (m/s),name,y\n1,a,2\n2,b,3\n3,c,5\n"));
  SearchRun run{.kind = "fn", .data = path};
  run.flags.target = "y";
  const FnProblem problem = read_fn_problem(run).value();
  EXPECT_EQ(problem.known.input_names, std::vector<std::string>{"v_m_s"});
  EXPECT_EQ(problem.renamed(), std::vector<std::string>{"v_m_s is 'v (m/s)'"});
  EXPECT_EQ(problem.remarks.size(), 1U);
}

}  // namespace
}  // namespace lamarck::cli
