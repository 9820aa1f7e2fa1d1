// An evolution by a crew gives the same result as one by threads.

#include <gtest/gtest.h>

#include <filesystem>

#include "lamarck/base/rng.h"
#include "lamarck/crew/crew_leader.h"
#include "lamarck/crew/random_members_fixture.h"
#include "lamarck/data/dataset.h"
#include "lamarck/evolution/evolution.h"
#include "lamarck/evolution/internal/island_delta.h"
#include "lamarck/evolution/internal/network_bytes.h"
#include "lamarck/evolution/random_network_fixture.h"
#include "lamarck/evolution/supervised_task.h"

namespace lamarck::evolution {
namespace {

SupervisedTask xor_task() {
  const Tensor inputs =
      Tensor::from({4, 2}, std::vector<float>{0, 0, 0, 1, 1, 0, 1, 1});
  const Tensor targets = Tensor::from({4, 1}, std::vector<float>{0, 1, 1, 0});
  const Examples examples(inputs, targets);
  return SupervisedTask(examples, examples, data::find_metric("rmse").value());
}

Evolution small_evolution(std::uint64_t seed, crew::Crew* crew) {
  return {.network = minimal_network(2, 1, seed),
          .task = xor_task(),
          .options = {.seed = seed,
                      .target_metric = 10,
                      .restart_after = 4,
                      .islands = 5,
                      .migrate_every = 3,
                      .budget = {.generations = 16},
                      .threads = 1,
                      .crew = crew},
          .profiler = {}};
}

// All that a result says, but times.
std::string bytes_of(const EvolutionResult& result) {
  crew::ByteWriter out;
  add_network(out, result.network);
  out.add_number(result.loss);
  out.add_number(result.score);
  out.add_text(result.reason);
  out.add_integer(result.counts.evaluations);
  out.add_integer(result.counts.gradient_steps);
  out.add_integer(result.counts.restarts);
  for (const GrowthRecord& each : result.history) {
    out.add_integer(each.generation);
    out.add_text(each.mutation);
    out.add_number(each.loss);
  }
  return out.take();
}

crew::LeaderOptions one_thread() {
  // Random schedules may lose one piece many times.
  return {.version = "1", .simd = "scalar", .threads = 1, .max_losses = 1000};
}

TEST(EvolutionCrew, ThreadsGiveTheSameResultAsNoCrew) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const auto plain = small_evolution(seed, nullptr).run();
    ASSERT_TRUE(plain) << plain.error().message();
    for (const std::size_t threads : {1u, 3u}) {
      crew::LeaderOptions options = one_thread();
      options.threads = threads;
      crew::CrewLeader leader(options);
      Evolution evolution = small_evolution(seed, &leader);
      int generations = 0;
      int children = 0;
      evolution.profiler.use_profiler([&](const EvolutionEvent& event) {
        generations += std::holds_alternative<GenerationDone>(event) ? 1 : 0;
        children += std::holds_alternative<MutationTried>(event) ? 1 : 0;
      });

      const auto shared = evolution.run();

      ASSERT_TRUE(shared) << shared.error().message();
      EXPECT_EQ(bytes_of(*shared), bytes_of(*plain)) << "seed " << seed;
      EXPECT_EQ(generations, 16);
      EXPECT_GT(children, 16);
    }
  }
}

// Members are killed and join at random times; all give one result.
TEST(EvolutionCrew, LostAndLateMembersDoNotChangeTheResult) {
  const auto plain = small_evolution(1, nullptr).run();
  ASSERT_TRUE(plain) << plain.error().message();
  std::int64_t shared_pieces = 0;
  for (std::uint64_t schedule = 0; schedule < 20; ++schedule) {
    crew::RandomMembers members(schedule, [](crew::Crew& crew) {
      (void)small_evolution(1, &crew).run();
    });
    {
      const auto leader = members.leader();
      Evolution evolution = small_evolution(1, leader.get());
      evolution.profiler.use_profiler([&](const EvolutionEvent& event) {
        if (std::holds_alternative<GenerationDone>(event)) members.disturb();
      });

      const auto shared = evolution.run();

      ASSERT_TRUE(shared) << shared.error().message();
      EXPECT_EQ(bytes_of(*shared), bytes_of(*plain)) << "schedule " << schedule;
    }
    shared_pieces += members.pieces();
  }
  EXPECT_GT(shared_pieces, 0) << "No member computed anything.";
}

TEST(EvolutionCrew, ResumesFromTheCheckpointOfAnyCrew) {
  const auto path =
      std::filesystem::path(testing::TempDir()) / "evolution_crew_resume.lmk";
  const auto plain = small_evolution(2, nullptr).run();
  ASSERT_TRUE(plain) << plain.error().message();
  {
    crew::CrewLeader leader(one_thread());
    Evolution first = small_evolution(2, &leader);
    first.options.checkpoint = path;
    first.options.budget.generations = 7;
    ASSERT_TRUE(first.run());
  }
  crew::CrewLeader leader(one_thread());
  Evolution second = small_evolution(2, &leader);
  second.options.checkpoint = path;
  second.options.resume = true;

  const auto resumed = second.run();

  std::filesystem::remove(path);
  ASSERT_TRUE(resumed) << resumed.error().message();
  EXPECT_EQ(bytes_of(*resumed), bytes_of(*plain));
}

TEST(NetworkBytes, RestoresRandomNetworks) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Network network = random_network(seed);
    crew::ByteWriter out;
    add_network(out, network);
    crew::ByteReader in(out.bytes());

    const Network restored = read_network(in);

    ASSERT_TRUE(in.check("It")) << "seed " << seed;
    crew::ByteWriter again;
    add_network(again, restored);
    EXPECT_EQ(again.bytes(), out.bytes()) << "seed " << seed;
    EXPECT_EQ(restored.topology_hash(), network.topology_hash());
    EXPECT_EQ(restored.parameters(), network.parameters());
  }
}

TEST(NetworkBytes, DamagedBytesAreNoNetwork) {
  crew::ByteWriter out;
  add_network(out, random_network(3));
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Rng rng(seed);
    std::string bytes = out.bytes();
    bytes[rng.below(bytes.size())] = static_cast<char>(rng.below(256));
    bytes.resize(bytes.size() - rng.below(2));
    crew::ByteReader in(bytes);
    const Network network = read_network(in);  // Must not crash.
    if (in.is_good()) network.check();
  }
}

}  // namespace
}  // namespace lamarck::evolution
