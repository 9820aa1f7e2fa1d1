#include <algorithm>
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/cli/command_option.h"
#include "lamarck/cli/command_table.h"
#include "lamarck/cli/neat_choice.h"
#include "lamarck/report/neat_report.h"

namespace lamarck::cli {
namespace {

using neat::NeatBenchmark;
using neat::Population;
using report::NeatRun;

constexpr std::int64_t kLargestPopulation = 1'000'000;
constexpr std::int64_t kMostNeatSeeds = 1'000'000;

struct NeatFlags {
  NeatChoice choice;
  std::optional<std::int64_t> population;
  std::optional<std::uint64_t> seed;
  std::optional<std::int64_t> seeds;
  std::int64_t evaluations = 200'000;
};

Result<void> check_range(std::string_view flag, std::int64_t value,
                         std::int64_t least, std::int64_t most) {
  if (value >= least && value <= most) return {};
  return Error(ErrorCode::InvalidArgument,
               std::string(flag) + " must be from " + std::to_string(least) +
                   " to " + std::to_string(most) + ", not " +
                   std::to_string(value) + ".");
}

Result<void> check(const NeatFlags& flags) {
  RETURN_IF_ERROR(check_range("--population", flags.population.value_or(2), 2,
                              kLargestPopulation));
  RETURN_IF_ERROR(
      check_range("--seeds", flags.seeds.value_or(1), 1, kMostNeatSeeds));
  RETURN_IF_ERROR(
      check_range("--evaluations", flags.evaluations, 1, 1'000'000'000'000));
  if (!flags.seed || !flags.seeds) return {};
  return Error(ErrorCode::InvalidArgument,
               "--seed runs one seed and --seeds the seeds 1 to K; leave out "
               "one of them.");
}

Population first_generation(const NeatBenchmark& benchmark,
                            std::uint64_t seed) {
  return {benchmark.task.inputs, benchmark.task.outputs, benchmark.options,
          seed};
}

std::string remark(const neat::GenerationEvaluated::Payload& told) {
  std::string best = std::to_string(told.best);
  best.resize(std::min(best.size(), best.find('.') + 3));
  return "best " + best + ", " + std::to_string(told.species) + " species";
}

// One seed, whose evaluations are shared out over the threads.
std::vector<NeatRun> run_seed(const NeatBenchmark& benchmark,
                              const NeatFlags& flags, ThreadPool& pool,
                              CommandContext& context) {
  ProgressOptions options = context.progress("Evolving");
  options.unit = "evaluations";
  Progress progress(context.err, context.clock, options);
  const std::uint64_t seed = flags.seed.value_or(1);
  Population population = first_generation(benchmark, seed);
  population.use_profiler([&](const neat::NeatEvent& event) {
    const auto* told = std::get_if<neat::GenerationEvaluated>(&event);
    if (told == nullptr) return;
    progress.update(told->payload.evaluations, remark(told->payload));
  });
  return {{.seed = seed,
           .outcome = search(
               population, benchmark.task,
               {.evaluations = flags.evaluations, .cancel = context.cancel},
               &pool)}};
}

// The seeds 1 to K, side by side.
std::vector<NeatRun> run_seeds(const NeatBenchmark& benchmark,
                               const NeatFlags& flags, ThreadPool& pool,
                               CommandContext& context) {
  ProgressOptions options = context.progress("Evolving");
  options.total = *flags.seeds;
  options.unit = "seeds";
  Progress progress(context.err, context.clock, options);
  std::vector<NeatRun> runs(static_cast<std::size_t>(*flags.seeds));
  // A seed that did not begin counts as cancelled.
  for (NeatRun& run : runs) run.outcome.cancelled = true;
  const bool all = pool.parallel_for(
      runs.size(),
      [&](std::size_t i) {
        runs[i].seed = i + 1;
        Population population = first_generation(benchmark, i + 1);
        runs[i].outcome = search(
            population, benchmark.task,
            {.evaluations = flags.evaluations, .cancel = context.cancel});
        progress.advance();
      },
      context.cancel);
  if (!all || context.cancel.is_cancelled()) {
    std::erase_if(runs,
                  [](const NeatRun& run) { return run.outcome.cancelled; });
  }
  return runs;
}

void measure_best(const neat::NeatMeasure& measure,
                  report::NeatSeries& series) {
  if (!measure.of) return;
  series.measure = measure.name;
  for (NeatRun& run : series.runs) {
    neat::FlatNetwork network(run.outcome.best);
    run.measured = measure.of(network);
  }
}

Result<void> run_neat(const NeatFlags& flags, CommandContext& context) {
  RETURN_IF_ERROR(check(flags));
  ASSIGN_OR_RETURN(NeatBenchmark benchmark, neat_benchmark_of(flags.choice));
  if (flags.population) {
    benchmark.options.population = static_cast<std::size_t>(*flags.population);
  }
  ThreadPool pool(context.settings.count("threads"));
  report::NeatSeries series{.task = flags.choice.task,
                            .population = benchmark.options.population};
  const std::clock_t begin = std::clock();
  series.runs = flags.seeds ? run_seeds(benchmark, flags, pool, context)
                            : run_seed(benchmark, flags, pool, context);
  series.cpu_seconds =
      static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  measure_best(benchmark.task.measure, series);
  const Json report = report::neat_report(series);
  context.out << (context.json ? dump_json(report) + "\n"
                               : report::neat_text(report));
  return context.cancel.check();
}

}  // namespace

Command neat_command() {
  return {
      .name = "neat",
      .summary = "Evolve networks and their topology for a task",
      .description =
          "Runs NEAT until a task is solved: xor, cartpole, double-pole, "
          "double-pole-no-velocity, or to predict the column --target of a "
          "file of comma-separated values from its other columns. The same "
          "seed gives the same run. With --seeds K it runs the seeds 1 to K "
          "and sums them up. Ctrl-C ends it and shows what there is.",
      .example = "lamarck neat xor --seeds 100 --json",
      .configure = [](CLI::App& app) -> CommandAction {
        const auto flags = std::make_shared<NeatFlags>();
        add_option(app, "TASK", &flags->choice.task,
                   "What to learn: a task's name or DATA.csv",
                   {.is_required = true});
        add_option(app, "--target", &flags->choice.target,
                   "The column of DATA.csv to predict", {.type = "COL"});
        add_option(app, "--ignore", &flags->choice.ignore,
                   "A column of DATA.csv to leave out; may be repeated",
                   {.type = "COL"});
        add_option(app, "--goal", &flags->choice.goal,
                   "Accuracy or r2 that counts as solved (default: 0.95)",
                   {.type = "SHARE"});
        add_option(app, "--population", &flags->population,
                   "Genomes in a generation (default: what suits the task)",
                   {.type = "COUNT"});
        add_option(app, "--seed", &flags->seed, "The seed to run (default: 1)",
                   {.type = "N"});
        add_option(app, "--seeds", &flags->seeds, "Run the seeds 1 to K",
                   {.type = "K"});
        add_option(app, "--evaluations", &flags->evaluations,
                   "Give a seed up after so many (default: 200000)",
                   {.type = "COUNT"});
        return [flags](CommandContext& context) {
          return run_neat(*flags, context);
        };
      }};
}

}  // namespace lamarck::cli
