#include "lamarck/archipelago/island.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "lamarck/archipelago/toy_engine_fixture.h"

namespace lamarck::archipelago {
namespace {

MutationContext make_context(std::uint64_t seed) {
  return {.island = 0, .cycle = 1, .rng = Rng(seed), .cancel = {}};
}

Island island_with(MutationEngine& engine, const IslandOptions& options,
                   std::initializer_list<std::int64_t> numbers) {
  Island island(options, engine, toy_function(0));
  for (const std::int64_t number : numbers) island.store(toy_function(number));
  return island;
}

TEST(Island, RequestMutationEvaluatesButDoesNotStore) {
  ToyEngine engine;
  Island island({}, engine, toy_function(0));

  const auto made = island.request_mutation(make_context(1));

  ASSERT_TRUE(made);
  EXPECT_TRUE((*made)->is_evaluated());
  EXPECT_EQ((*made)->origin().parents.size(), 1U);
  EXPECT_EQ(island.size(), 1U);
}

TEST(Island, ScreenCanReplaceEvaluation) {
  ToyEngine engine;
  Island island({}, engine, toy_function(0));

  const auto made = island.request_mutation(make_context(1), [](Function& fn) {
    fn.accept(Evaluation::failed("seen before"));
  });

  ASSERT_TRUE(made);
  EXPECT_EQ((*made)->evaluation().failure, "seen before");
}

TEST(Island, GroupsFunctionsBySignature) {
  ToyEngine engine;
  const Island island = island_with(engine, {}, {990, 1010, 980});

  EXPECT_EQ(island.size(), 4U);
  EXPECT_EQ(island.clusters().size(), 3U);
}

TEST(Island, ReportsEachImprovementOnce) {
  ToyEngine engine;
  Island island({}, engine, toy_function(0));
  std::vector<std::int64_t> reported;
  island.use_profiler([&](const IslandEvent& event) {
    reported.push_back(toy_number(*std::get<OnBestFnImproved>(event).payload));
  });

  EXPECT_TRUE(island.store(toy_function(900)));
  EXPECT_FALSE(island.store(toy_function(800)));
  EXPECT_FALSE(island.store(toy_function(1100)));
  EXPECT_TRUE(island.store(toy_function(999)));

  EXPECT_EQ(reported, (std::vector<std::int64_t>{900, 999}));
  EXPECT_EQ(toy_number(*island.best_fn()), 999);
}

TEST(Island, DoesNotStoreFailedFunction) {
  ToyEngine engine;
  Island island({}, engine, toy_function(0));

  EXPECT_FALSE(island.store(toy_function(997)));
  EXPECT_EQ(island.size(), 1U);
}

TEST(Island, SelectsParentsFromDistinctClustersWorstFirst) {
  ToyEngine engine;
  const Island island =
      island_with(engine, {.num_selected_clusters = 3, .temperature = 1},
                  {100, 200, 300, 400, 500});

  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Rng rng(seed);
    const auto parents = island.select_parents(rng);
    ASSERT_EQ(parents.size(), 3U) << "seed " << seed;
    EXPECT_LT(parents[0]->score(), parents[1]->score()) << "seed " << seed;
    EXPECT_LT(parents[1]->score(), parents[2]->score()) << "seed " << seed;
  }
}

TEST(Island, SelectsAllClustersIfThereAreFew) {
  ToyEngine engine;
  const Island island =
      island_with(engine, {.num_selected_clusters = 9}, {100, 200});
  Rng rng(1);

  EXPECT_EQ(island.select_parents(rng).size(), 3U);
}

TEST(Island, DrawsRanksBySoftmax) {
  ToyEngine engine;
  const Island island =
      island_with(engine, {.num_selected_clusters = 1, .temperature = 0.5},
                  {100, 200, 300, 400});
  std::vector<double> share(5);
  constexpr int kDraws = 20'000;
  Rng rng(3);

  for (int i = 0; i < kDraws; ++i) {
    const auto parents = island.select_parents(rng);
    share[static_cast<std::size_t>(toy_number(*parents[0]) / 100)] +=
        1.0 / kDraws;
  }

  // Five functions of a period of 30 000 leave the temperature at 0.5.
  double sum = 0;
  for (int i = 0; i < 5; ++i) sum += std::exp(i / 4.0 / 0.5);
  for (int i = 0; i < 5; ++i) {
    EXPECT_NEAR(share[static_cast<std::size_t>(i)],
                std::exp(i / 4.0 / 0.5) / sum, 0.015)
        << "rank " << i;
  }
}

TEST(Island, PrefersBetterClusterAtAnyScoreScale) {
  ToyEngine engine;
  const auto with_error = [](double error) {
    auto fn = std::make_shared<Function>(0, std::make_shared<ToySkeleton>(1),
                                         nullptr, Origin{});
    fn->accept({.scores = {-error}, .failure = {}, .constants = {}});
    return fn;
  };
  Island island({.num_selected_clusters = 1}, engine, with_error(1e-3));
  for (const double error : {1e-10, 1e-20, 1e-30}) {
    island.store(with_error(error));
  }
  int best = 0;
  Rng rng(5);

  for (int i = 0; i < 1000; ++i) {
    best += island.select_parents(rng)[0]->score() == -1e-30 ? 1 : 0;
  }

  EXPECT_GT(best, 900);
}

TEST(Island, DrawsByRawScoresIfConfigured) {
  ToyEngine engine;
  const Island island = island_with(engine,
                                    {.num_selected_clusters = 1,
                                     .score_scale = ScoreScale::Raw,
                                     .temperature = 1},
                                    {900, 999});
  Rng rng(1);

  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(toy_number(*island.select_parents(rng)[0]), 999);
  }
}

TEST(Island, TemperatureFallsAndRestarts) {
  ToyEngine engine;
  Island island({.temperature = 0.4, .temperature_period = 4}, engine,
                toy_function(0));
  std::vector<double> temperatures = {island.temperature()};

  for (int i = 1; i < 5; ++i) {
    island.store(toy_function(i));
    temperatures.push_back(island.temperature());
  }

  EXPECT_DOUBLE_EQ(temperatures[0], 0.3);
  EXPECT_DOUBLE_EQ(temperatures[2], 0.1);
  EXPECT_DOUBLE_EQ(temperatures[3], 0.4);
}

TEST(Island, DropsWorstClustersAboveLimit) {
  ToyEngine engine;
  Island island({.most_functions = 5}, engine, toy_function(0));

  for (std::int64_t i = 1; i <= 100; ++i) island.store(toy_function(i * 10));

  EXPECT_EQ(island.size(), 5U);
  EXPECT_EQ(island.stored(), 101U);
  EXPECT_EQ(toy_number(*island.best_fn()), 1000);
  EXPECT_TRUE(island.has_skeleton(990));
  EXPECT_FALSE(island.has_skeleton(0));
}

TEST(Island, DropsLongestFunctionOfFullCluster) {
  ToyEngine engine;
  Island island({.max_functions_per_cluster = 1}, engine, toy_function(1005));

  island.store(toy_function(995));
  island.store(toy_function(1005));

  EXPECT_EQ(island.size(), 1U);
  EXPECT_TRUE(island.has_skeleton(995));
  EXPECT_FALSE(island.has_skeleton(1005));
}

TEST(Island, ReportsEventsOfLaterClusters) {
  ToyEngine engine;
  Island island({}, engine, toy_function(0));
  int added = 0;
  island.use_cluster_profiler([&](const ClusterEvent& event) {
    added += std::holds_alternative<OnFnAdded>(event) ? 1 : 0;
  });

  island.store(toy_function(0));
  island.store(toy_function(1));

  EXPECT_EQ(added, 2);
}

// A slow but simple model: all functions in one list.
TEST(Island, AgreesWithListModel) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    ToyEngine engine;
    Rng rng(seed);
    Island island({.most_functions = 0, .max_functions_per_cluster = 0}, engine,
                  toy_function(0));
    std::vector<FunctionPtr> all = {toy_function(0)};
    for (int i = 0; i < 200; ++i) {
      const auto fn = toy_function(rng.integer(900, 1100));
      const bool is_best =
          fn->score() > (*std::max_element(all.begin(), all.end(),
                                           [](const auto& a, const auto& b) {
                                             return a->score() < b->score();
                                           }))
                            ->score();
      EXPECT_EQ(island.store(fn), is_best) << "seed " << seed;
      if (!fn->evaluation().failure) all.push_back(fn);
    }
    std::size_t size = 0;
    for (const auto& [signature, cluster] : island.clusters()) {
      size += cluster.functions().size();
      for (const FunctionPtr& fn : cluster.functions()) {
        EXPECT_EQ(fn->signature(), signature) << "seed " << seed;
      }
    }
    EXPECT_EQ(size, all.size()) << "seed " << seed;
    EXPECT_EQ(island.size(), all.size()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace lamarck::archipelago
