// Genetic searches by a crew give the same run as those of threads.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "lamarck/archipelago/evolver.h"
#include "lamarck/crew/random_members_fixture.h"
#include "lamarck/formula/formula.h"
#include "lamarck/gp/gp_engine.h"
#include "lamarck/gp/regression_evaluator.h"
#include "lamarck/gp/toy_problem_fixture.h"

namespace lamarck::gp {
namespace {

constexpr std::size_t kCrewIslands = 5;

// A product, so that views of it exist.
const RegressionProblem& product_problem() {
  static const RegressionProblem problem =
      toy_problem({.rows = 40, .inputs = 2}, [](const std::vector<double>& r) {
        return 2 * r[0] * std::exp(-0.7 * r[1]) * (1 + std::sin(r[0]));
      });
  return problem;
}

std::shared_ptr<GpEngine> make_crew_engine() {
  GpOptions options;
  options.library = 100;
  options.screened = 40;
  options.population = 15;
  options.burst = 15;
  options.patience = 60;
  options.max_nodes = 50;
  options.trials_before_views = 400;
  return std::make_shared<GpEngine>(
      product_problem(), options, kCrewIslands, 7,
      std::make_shared<RegressionEvaluator>(product_problem()));
}

// Every function that a run stores, in order. `at_cycle` is called after each
// cycle.
std::vector<std::string> functions_of_run(
    crew::Crew* crew, const std::function<void()>& at_cycle = [] {}) {
  archipelago::EvolverParts parts;
  parts.engine = make_crew_engine();
  parts.evaluator = std::make_shared<RegressionEvaluator>(product_problem());
  parts.first = {std::make_shared<archipelago::FormulaSkeleton>(
      formula::parse_infix("a", product_problem().input_names).value())};
  parts.crew = crew;
  parts.is_crew_of_engine = true;
  archipelago::Evolver evolver({.num_islands = kCrewIslands,
                                .num_parallel = 2,
                                .reset_period = {.evaluations = 700},
                                .seed = 5,
                                .max_cycles = 20},
                               std::move(parts));
  std::vector<std::string> functions;
  evolver.use_cluster_profiler([&](const archipelago::ClusterEvent& event) {
    if (const auto* added = std::get_if<archipelago::FnAdded>(&event)) {
      const archipelago::Function& fn = *added->payload;
      functions.push_back(fn.skeleton()->source() + fn.origin().move + " " +
                          fn.signature());
    }
  });
  evolver.use_profiler([&](const archipelago::EvolverEvent& event) {
    if (std::holds_alternative<archipelago::CycleEnded>(event)) at_cycle();
  });
  const auto outcome = evolver.run();
  EXPECT_TRUE(outcome) << outcome.error().message();
  if (outcome) functions.push_back(std::to_string(outcome->counts.evaluations));
  return functions;
}

TEST(GpEngineCrew, ThreadsGiveTheSameResultAsNoCrew) {
  const std::vector<std::string> expected = functions_of_run(nullptr);
  for (const std::size_t threads : {1u, 3u}) {
    crew::CrewLeader leader({.version = "1", .simd = "", .threads = threads});
    EXPECT_EQ(functions_of_run(&leader), expected) << threads << " threads";
  }
}

TEST(GpEngineCrew, LostAndLateMembersDoNotChangeTheResult) {
  const std::vector<std::string> expected = functions_of_run(nullptr);
  ASSERT_GT(expected.size(), 20U);
  std::int64_t shared_pieces = 0;
  for (std::uint64_t schedule = 0; schedule < 8; ++schedule) {
    crew::RandomMembers members(schedule, [](crew::Crew& crew) {
      (void)make_crew_engine()->serve(crew);
    });
    {
      const auto leader = members.leader();
      EXPECT_EQ(functions_of_run(leader.get(), [&] { members.disturb(); }),
                expected)
          << "schedule " << schedule;
    }
    shared_pieces += members.pieces();
  }
  EXPECT_GT(shared_pieces, 0) << "No member computed anything.";
}

}  // namespace
}  // namespace lamarck::gp
