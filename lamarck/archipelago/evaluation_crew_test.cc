// Functions evaluated by a crew give the same run as those of threads.

#include "lamarck/archipelago/evaluation_crew.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>

#include "lamarck/archipelago/evolver.h"
#include "lamarck/archipelago/toy_engine_fixture.h"
#include "lamarck/base/eventually_fixture.h"
#include "lamarck/crew/random_members_fixture.h"

namespace lamarck::archipelago {
namespace {

// The functions of every island with their constants, and what the run counted.
std::string functions_of(const Evolver& evolver,
                         const EvolverOutcome& outcome) {
  std::string text;
  for (const auto& island : evolver.islands()) {
    for (const auto& [signature, cluster] : island->clusters()) {
      for (const auto& fn : cluster.functions()) {
        text += std::to_string(fn->id()) + ":" + fn->skeleton()->source() +
                ":" + signature + ":" +
                std::to_string(fn->evaluation().constants.at(0)) + " ";
      }
    }
    text += "\n";
  }
  return text + std::to_string(outcome.counts.evaluations) + " " +
         std::to_string(outcome.counts.failed) + " " +
         std::to_string(outcome.counts.reused) + " " +
         std::to_string(outcome.counts.duplicates);
}

EvolverOptions small_run() {
  return {.num_islands = 7,
          .num_parallel = 2,
          .reset_period = {.evaluations = 60},
          .seed = 5,
          .max_cycles = 60};
}

std::string run_without_crew() {
  Evolver evolver(small_run(), toy_parts());
  const auto outcome = evolver.run();
  EXPECT_TRUE(outcome);
  return functions_of(evolver, *outcome);
}

TEST(EvaluationCrew, ThreadsGiveTheSameResultAsNoCrew) {
  crew::CrewLeader leader({.version = "1", .simd = "", .threads = 2});
  EvolverParts parts = toy_parts();
  parts.crew = &leader;
  Evolver evolver(small_run(), parts);

  const auto outcome = evolver.run();

  ASSERT_TRUE(outcome) << outcome.error().message();
  EXPECT_EQ(functions_of(evolver, *outcome), run_without_crew());
}

TEST(EvaluationCrew, LostAndLateMembersDoNotChangeTheResult) {
  const std::string expected = run_without_crew();
  std::int64_t shared_pieces = 0;
  for (std::uint64_t schedule = 0; schedule < 20; ++schedule) {
    crew::RandomMembers members(schedule, [](crew::Crew& crew) {
      (void)EvaluationCrew(crew, read_toy, std::make_shared<ToyEvaluator>())
          .serve();
    });
    {
      const auto leader = members.leader();
      EvolverParts parts = toy_parts();
      parts.crew = leader.get();
      Evolver evolver(small_run(), parts);
      evolver.use_profiler([&](const EvolverEvent& event) {
        if (std::holds_alternative<CycleEnded>(event)) members.disturb();
      });

      const auto outcome = evolver.run();

      ASSERT_TRUE(outcome) << outcome.error().message();
      EXPECT_EQ(functions_of(evolver, *outcome), expected)
          << "schedule " << schedule;
    }
    shared_pieces += members.pieces();
  }
  EXPECT_GT(shared_pieces, 0) << "No member computed anything.";
}

// Waits until it is cancelled.
class StuckEvaluator : public ToyEvaluator {
 public:
  Evaluation evaluate(const Skeleton& skeleton,
                      const CancelToken& cancel) const override {
    if (static_cast<const ToySkeleton&>(skeleton).number() == 0) {
      return ToyEvaluator::evaluate(skeleton, cancel);
    }
    ++waiting;
    EXPECT_TRUE(
        eventually("it is cancelled", [&] { return cancel.is_cancelled(); }));
    return Evaluation::failed("cancelled");
  }

  mutable std::atomic<int> waiting = 0;
};

TEST(EvaluationCrew, StoppingCancelsEvaluations) {
  const auto evaluator = std::make_shared<StuckEvaluator>();
  crew::CrewLeader leader({.version = "1", .simd = "", .threads = 1});
  EvolverParts parts = toy_parts();
  parts.evaluator = evaluator;
  parts.crew = &leader;
  Evolver evolver(small_run(), parts);

  evolver.start();
  EXPECT_TRUE(eventually("an evaluation has begun",
                         [&] { return evaluator->waiting > 0; }));
  evolver.stop();
  const auto outcome = evolver.wait();

  ASSERT_TRUE(outcome) << outcome.error().message();
  EXPECT_EQ(outcome->end, EvolverEnd::Cancelled);
  EXPECT_EQ(outcome->counts.evaluations, 1);
}

}  // namespace
}  // namespace lamarck::archipelago
