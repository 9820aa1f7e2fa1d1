#include "lamarck/archipelago/spawn_evolver.h"

#include <unistd.h>
#include <gtest/gtest.h>

#include <map>

#include "lamarck/archipelago/evaluator_of_inputs.h"
#include "lamarck/archipelago/formula_skeleton.h"
#include "lamarck/base/file.h"
#include "lamarck/base/macros.h"

namespace lamarck::archipelago {
namespace {

// Draws a random slope and shift, whatever the parents.
class LineEngine : public MutationEngine {
 public:
  explicit LineEngine(EngineSettings settings)
      : settings_(std::move(settings)) {}
  std::string_view name() const override { return "line"; }

 private:
  MutationResult make(const std::vector<FunctionPtr>& parents,
                      const MutationContext& context) override {
    Rng rng = context.rng;
    const double slope = rng.uniform(0, 4);
    const double shift = rng.uniform(0, 4);
    static_cast<void>(parents);
    ASSIGN_OR_RETURN(
        formula::Formula formula,
        formula::parse_python("def equation(x, params):\n    return x * " +
                              std::to_string(slope) + " + " +
                              std::to_string(shift) + " * params[0]\n"));
    return std::make_shared<Function>(
        0, std::make_shared<FormulaSkeleton>(std::move(formula)),
        settings_.evaluator, Origin{});
  }

  EngineSettings settings_;
};

// How close the line is to 2 x + 1.
double nearness(double x, const Skeleton& skeleton) {
  const auto value = skeleton.call(std::vector<std::vector<double>>{{x}});
  return -std::abs(value.value()[0] - (2 * x + 1));
}

EvolverConfig config() {
  return {.equation =
              "def equation(x, params):\n"
              "    \"\"\"A line.\"\"\"\n"
              "    return params[0] * x\n",
          .evaluator = make_evaluator(std::vector<double>{0, 1, 2}, nearness),
          .engine = [](EngineSettings settings)
              -> Result<std::shared_ptr<MutationEngine>> {
            return std::make_shared<LineEngine>(std::move(settings));
          },
          .prompt_comment = "Find the line.",
          .options = {.num_islands = 3, .max_cycles = 20}};
}

TEST(SpawnEvolver, EvolvesEquation) {
  auto evolver = spawn_evolver(config());
  ASSERT_TRUE(evolver) << evolver.error().message();

  const auto outcome = (*evolver)->run();

  ASSERT_TRUE(outcome) << outcome.error().message();
  EXPECT_GT(outcome->best->score(), -1);
}

TEST(SpawnEvolver, PassesSettingsToEngineMaker) {
  EvolverConfig asked = config();
  EngineSettings received;
  asked.engine =
      [&](EngineSettings settings) -> Result<std::shared_ptr<MutationEngine>> {
    received = settings;
    return std::make_shared<LineEngine>(std::move(settings));
  };

  ASSERT_TRUE(spawn_evolver(std::move(asked)));

  EXPECT_EQ(received.docstring, "A line.");
  EXPECT_EQ(received.prompt_comment, "Find the line.");
  EXPECT_NE(received.equation, nullptr);
}

TEST(SpawnEvolver, SendsAllEventsToOneProfiler) {
  EvolverConfig watched = config();
  std::map<std::string_view, int> counts;
  watched.options.num_parallel = 4;
  watched.options.reset_period.evaluations = 20;
  watched.profiler_fn = [&](const ArchipelagoEvent& event) {
    ++counts[event_type_of(event)];
  };
  auto evolver = spawn_evolver(std::move(watched));
  ASSERT_TRUE(evolver);

  ASSERT_TRUE((*evolver)->run());

  for (const char* type :
       {"on_islands_removed", "on_islands_revived", "on_best_island_improved",
        "on_cycle_ended", "on_best_fn_improved", "on_fn_added",
        "on_fn_selected", "on_evaluate", "on_evaluated", "on_mutate",
        "on_mutated"}) {
    EXPECT_GT(counts[type], 0) << type;
  }
}

TEST(SpawnEvolver, ErrorNamesLineOfUnreadableEquation) {
  EvolverConfig wrong = config();
  wrong.equation = "def equation(x):\n    return open('x')\n";

  const auto evolver = spawn_evolver(std::move(wrong));

  ASSERT_FALSE(evolver);
  EXPECT_NE(evolver.error().message().find("Line 2"), std::string::npos)
      << evolver.error().message();
}

TEST(SpawnEvolver, ResumesRunOfFormulas) {
  const auto folder = std::filesystem::path(::testing::TempDir()) /
                      (std::to_string(::getpid()) + "spawn_resume");
  std::filesystem::remove_all(folder);
  ManualClock clock;
  const auto run = [&](const char* name, bool is_resumed, std::uint64_t end) {
    EvolverConfig kept = config();
    kept.folder = folder / name;
    kept.is_resumed = is_resumed;
    kept.options.max_cycles = end;
    kept.clock = &clock;
    auto evolver = spawn_evolver(std::move(kept));
    ASSERT_TRUE(evolver);
    const auto outcome = (*evolver)->run();
    ASSERT_TRUE(outcome) << outcome.error().message();
  };

  run("whole", false, 20);
  run("halves", false, 10);
  run("halves", true, 20);

  EXPECT_EQ(*read_file(folder / "halves" / "journal.jsonl"),
            *read_file(folder / "whole" / "journal.jsonl"));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace lamarck::archipelago
