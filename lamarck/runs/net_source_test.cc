#include "lamarck/runs/net_source.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "lamarck/evolution/example_tasks.h"

namespace lamarck::runs {
namespace {

using evolution::BestImproved;
using evolution::Evolution;
using evolution::EvolutionEvent;
using evolution::EvolutionResult;
using evolution::MutationDetails;
using evolution::MutationKept;
using evolution::MutationRolledBack;
using evolution::MutationTried;

TEST(NetSource, KeepsCountsExactWhileItThinsTheList) {
  NetSource source({});
  for (int i = 0; i < 1'000; ++i) {
    const MutationDetails details{.island = 0,
                                  .generation = i,
                                  .mutation = i % 2 == 0 ? "add" : "remove",
                                  .loss = 1.0 / (i + 1),
                                  .score = 0,
                                  .parent_loss = 1};
    if (i % 10 == 0) {
      source.note(MutationKept{details});
    } else {
      source.note(MutationRolledBack{details});
    }
  }
  std::vector<RunEvent> events;
  source.collect(events);
  ASSERT_EQ(events.size(), 1u);
  const Json& payload = events[0].payload;
  EXPECT_LE(payload["list"].size(), 64u);
  EXPECT_EQ(payload["list"].size() + payload["skipped"].get<std::size_t>(),
            1'000u);
  EXPECT_EQ(payload["counts"]["add"]["tried"], 500);
  EXPECT_EQ(payload["counts"]["add"]["kept"], 100);
  EXPECT_EQ(payload["list"].back()["generation"], 999);

  events.clear();
  source.collect(events);
  EXPECT_TRUE(events.empty());
}

TEST(NetSource, RecordsTheBestNetworkWheneverItChanges) {
  Evolution evolution = evolution::example_task_named("xor").value().make(2);
  NetSource source({.labels = {.inputs = {"a", "b"}, .outputs = {"y"}}});
  std::vector<RunEvent> events;
  std::vector<BestImproved::Payload> expected;
  evolution.profiler.use_profiler([&](const EvolutionEvent& event) {
    source.note(event);
    if (const auto* best = std::get_if<BestImproved>(&event)) {
      expected.push_back(best->payload);
    }
    source.collect(events);
  });
  const EvolutionResult result = evolution.run().value();
  std::size_t seen = 0;
  Json last;
  for (const RunEvent& event : events) {
    if (event.type != "best") continue;
    ASSERT_LT(seen, expected.size());
    EXPECT_EQ(event.payload["loss"], expected[seen].loss);
    last = event.payload;
    ++seen;
  }
  ASSERT_EQ(seen, expected.size());
  EXPECT_EQ(last["network"], network_view(result.network, {.inputs = {"a", "b"},
                                                           .outputs = {"y"}}));
}

TEST(NetSource, MutationsHaveTheLossOfTheirParent) {
  Evolution evolution = evolution::example_task_named("xor").value().make(3);
  std::size_t decided = 0;
  double before = -1;
  evolution.profiler.use_profiler([&](const EvolutionEvent& event) {
    if (const auto* tried = std::get_if<MutationTried>(&event)) {
      before = tried->payload.loss;
    }
    const auto* kept = std::get_if<MutationKept>(&event);
    const auto* back = std::get_if<MutationRolledBack>(&event);
    if (kept == nullptr && back == nullptr) return;
    ++decided;
    EXPECT_EQ((kept != nullptr ? kept->payload : back->payload).parent_loss,
              before);
  });
  (void)evolution.run().value();
  EXPECT_GT(decided, 0u);
}

}  // namespace
}  // namespace lamarck::runs
