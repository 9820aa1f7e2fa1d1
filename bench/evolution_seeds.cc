// Counts the seeds that solve the example tasks of evolution, and their cost.
//
//   evolution_seeds TASK|all [SEEDS] [STRATEGY] [FIRST_SEED] [EVALUATIONS]

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "lamarck/base/thread_pool.h"
#include "lamarck/evolution/example_tasks.h"

namespace {

using lamarck::evolution::Evolution;
using lamarck::evolution::EvolutionResult;
using lamarck::evolution::ExampleTask;

struct Row {
  bool solved = false;
  bool right = false;
  EvolutionResult result;
};

template <class F>
double quantile(const std::vector<Row>& rows, double share, F&& value) {
  std::vector<double> values;
  for (const Row& row : rows) {
    if (row.solved) values.push_back(static_cast<double>(value(row.result)));
  }
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(
      share * static_cast<double>(values.size() - 1))];
}

void run(const ExampleTask& task, std::size_t seeds,
         const std::string& strategy, std::uint64_t first,
         std::int64_t evaluations) {
  std::vector<Row> rows(seeds);
  lamarck::ThreadPool pool;
  const std::clock_t begin = std::clock();
  pool.parallel_for(seeds, [&](std::size_t i) {
    Evolution evolution = task.make(first + i);
    evolution.options.strategy = strategy;
    evolution.options.threads = 1;
    evolution.options.budget.evaluations = evaluations;
    rows[i].result = evolution.run().value();
    rows[i].solved = rows[i].result.target_reached;
    rows[i].right = rows[i].solved && task.is_right(rows[i].result.network);
  });
  const double cpu = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  const auto count = [&](bool Row::*what) {
    return std::count_if(rows.begin(), rows.end(),
                         [&](const Row& row) { return row.*what; });
  };
  const auto steps = [](const EvolutionResult& result) {
    return result.counts.gradient_steps;
  };
  std::printf(
      "%-8s %-10s solved %ld/%zu right %ld  steps median %.0f p90 %.0f  "
      "evaluations %.0f  hidden %.0f  edges %.0f  cpu s/seed %.4f\n",
      std::string(task.name).c_str(), strategy.c_str(),
      static_cast<long>(count(&Row::solved)), seeds,
      static_cast<long>(count(&Row::right)), quantile(rows, 0.5, steps),
      quantile(rows, 0.9, steps),
      quantile(rows, 0.5,
               [](const EvolutionResult& result) {
                 return result.counts.evaluations;
               }),
      quantile(rows, 0.5,
               [](const EvolutionResult& result) {
                 return result.network.hidden_count();
               }),
      quantile(rows, 0.5,
               [](const EvolutionResult& result) {
                 return result.network.edges().size();
               }),
      cpu / static_cast<double>(seeds));
}

}  // namespace

int main(int count, char** arguments) {
  const std::string name = count > 1 ? arguments[1] : "all";
  const std::size_t seeds =
      count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 100;
  const std::string strategy = count > 3 ? arguments[3] : "cascade";
  const std::uint64_t first =
      count > 4 ? std::strtoull(arguments[4], nullptr, 10) : 1;
  const std::int64_t evaluations =
      count > 5 ? std::strtoll(arguments[5], nullptr, 10) : 2000;
  for (const ExampleTask& task : lamarck::evolution::example_tasks()) {
    if (name == "all" || name == task.name) {
      run(task, seeds, strategy, first, evaluations);
    }
  }
}
