#include "lamarck/thought/thought_engine.h"

#include <benchmark/benchmark.h>
#include <nlohmann/json.hpp>

#include "lamarck/thought/internal/engine_scene_fixture.h"
#include "lamarck/thought/internal/open_sessions.h"

namespace lamarck::thought {
namespace {

using internal::EngineScene;

constexpr SessionBudgets kUnlimited{.tokens = 1'000'000'000,
                                    .wall_time = std::chrono::hours(200)};

void add_step(benchmark::State& state) {
  EngineScene scene;
  const std::string id = scene.start(kUnlimited);
  const PlanStep step{.session = id, .content = std::string(380, 'x')};
  for (auto _ : state) {
    benchmark::DoNotOptimize(scene.engine.add_step(step, {}).value());
  }
}
BENCHMARK(add_step);

// The share of the journal: the same events without the engine.
void journal_append(benchmark::State& state) {
  EngineScene scene;
  const std::string id = scene.start(kUnlimited);
  scene.step(id, std::string(380, 'x'));
  store::Event event = scene.events(id).back();
  std::uint64_t number = 0;
  for (auto _ : state) {
    event.parents[0].from = event.id;
    event.id = "evt_" + std::to_string(number++);
    store::Append append{.run = id};
    append.events = {event};
    benchmark::DoNotOptimize(scene.journal->append(append).value());
  }
}
BENCHMARK(journal_append);

void restore(benchmark::State& state) {
  EngineScene scene({.checkpoint_events = state.range(1)});
  const std::string id = scene.start(kUnlimited);
  for (std::int64_t i = 0; i < state.range(0); ++i) scene.step(id, "A thought");
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        internal::restore_session(*scene.journal, id).value());
  }
}
BENCHMARK(restore)
    ->Args({100'000, 100})
    ->Args({100'000, 1'000'000})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace lamarck::thought
