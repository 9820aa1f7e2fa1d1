#include "lamarck/report/neat_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace lamarck::report {
namespace {

NeatRun make_run(std::uint64_t seed, bool solved, std::int64_t evaluations) {
  neat::InnovationTracker tracker(neat::Genome::node_count(2, 1));
  NeatRun run{.seed = seed};
  run.outcome.solved = solved;
  run.outcome.evaluations = evaluations;
  run.outcome.generations = 3;
  run.outcome.best = neat::Genome::minimal(2, 1, tracker);
  run.outcome.best.fitness = 1.5;
  return run;
}

NeatSeries two_runs() {
  return {.task = "xor",
          .population = 150,
          .runs = {make_run(1, true, 100), make_run(2, false, 300)},
          .cpu_seconds = 2};
}

TEST(NeatReport, SummarizesRuns) {
  const Json report = neat_report(two_runs());
  EXPECT_EQ(report["task"], "xor");
  EXPECT_EQ(report["population"], 150);
  EXPECT_EQ(report["seeds"], 2);
  EXPECT_EQ(report["solved"], 1);
  EXPECT_EQ(report["evaluations_mean"], 200);
  EXPECT_EQ(report["evaluations_sd"], 100);
  EXPECT_EQ(report["hidden_mean"], 0);
  EXPECT_EQ(report["evaluations_per_cpu_s"], 200);
}

TEST(NeatReport, ContainsEachRun) {
  const Json run = neat_report(two_runs())["runs"][1];
  EXPECT_EQ(run, (Json{{"seed", 2},
                       {"solved", false},
                       {"evaluations", 300},
                       {"generations", 3},
                       {"hidden", 0},
                       {"connections", 3},
                       {"fitness", 1.5}}));
}

TEST(NeatReport, IncludesMeasureOfTask) {
  NeatSeries series = two_runs();
  series.measure = "generalization";
  series.runs[0].measured = 251;
  EXPECT_EQ(neat_report(series)["runs"][0]["generalization"], 251);
  series.runs.pop_back();
  EXPECT_EQ(neat_text(neat_report(series)),
            "Seed 1: solved after 100 evaluations in 3 generations; 0 hidden "
            "nodes, 3 connections, generalization 251.\n");
}

TEST(NeatReport, IsFiniteForZeroRunsAndZeroTime) {
  const Json report = neat_report({.task = "xor", .population = 150});
  EXPECT_EQ(report["evaluations_mean"], 0);
  EXPECT_EQ(report["evaluations_per_cpu_s"], 0);
  EXPECT_TRUE(report["runs"].empty());
}

TEST(NeatReport, FormatsAsOneLineOfText) {
  NeatSeries series = two_runs();
  EXPECT_EQ(neat_text(neat_report(series)),
            "Solved with 1 of 2 seeds; on average 200 evaluations (standard "
            "deviation 100) and 0.0 hidden nodes; 200 evaluations per CPU "
            "second.\n");
  series.runs = {make_run(7, false, 300)};
  EXPECT_EQ(neat_text(neat_report(series)),
            "Seed 7: not solved after 300 evaluations in 3 generations; 0 "
            "hidden nodes, 3 connections.\n");
}

}  // namespace
}  // namespace lamarck::report
