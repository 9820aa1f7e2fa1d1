#include <algorithm>
#include <ctime>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/base/file.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/cli/command_option.h"
#include "lamarck/cli/command_table.h"
#include "lamarck/cli/evolve/crew_flag.h"
#include "lamarck/cli/evolve/run_folder.h"
#include "lamarck/cli/neat/neat_flags.h"
#include "lamarck/cli/neat/neat_sharing.h"
#include "lamarck/cli/runs/recorded_run.h"
#include "lamarck/crew/cpu_time.h"
#include "lamarck/crew/crew_member.h"
#include "lamarck/graph/graph_file.h"
#include "lamarck/neat/neat_conversion.h"
#include "lamarck/neat/neat_crew.h"
#include "lamarck/neat/neat_graph.h"
#include "lamarck/report/neat_report.h"
#include "lamarck/report/network_picture.h"
#include "lamarck/runs/neat_source.h"

namespace lamarck::cli {
namespace {

using neat::NeatBenchmark;
using neat::Population;
using report::NeatRun;

constexpr std::int64_t kMaxPopulation = 1'000'000;
constexpr std::int64_t kMaxNeatSeeds = 1'000'000;

Result<void> check_range(std::string_view flag, std::int64_t value,
                         std::int64_t min, std::int64_t max) {
  if (value >= min && value <= max) return {};
  return Error(ErrorCode::InvalidArgument,
               std::string(flag) + " must be between " + std::to_string(min) +
                   " and " + std::to_string(max) + ", got " +
                   std::to_string(value) + ".");
}

Result<void> check(const NeatFlags& flags) {
  RETURN_IF_ERROR(check_range("--population", flags.population.value_or(2), 2,
                              kMaxPopulation));
  RETURN_IF_ERROR(
      check_range("--seeds", flags.seeds.value_or(1), 1, kMaxNeatSeeds));
  RETURN_IF_ERROR(
      check_range("--evaluations", flags.evaluations, 1, 1'000'000'000'000));
  if (flags.seeds && !flags.out.empty()) {
    return Error(ErrorCode::InvalidArgument,
                 "--out and --seeds cannot be combined, because --out saves "
                 "one network; use --seed for one run.");
  }
  if (!flags.seed || !flags.seeds) return {};
  return Error(ErrorCode::InvalidArgument,
               "--seed and --seeds cannot be combined; use --seed for one run, "
               "or --seeds K for the seeds 1 to K.");
}

std::string remark(const neat::GenerationEvaluated::Payload& generation) {
  // Cut off after two decimals.
  std::string best = std::to_string(generation.best);
  best.resize(std::min(best.size(), best.find('.') + 3));
  return "best " + best + ", " + std::to_string(generation.species) +
         " species";
}

double cpu_seconds_since(std::clock_t begin) {
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

// Runs one seed, with its evaluations distributed over the threads or the crew,
// if there is one.
Result<NeatSeeds> run_seed(const NeatBenchmark& benchmark,
                           const NeatFlags& flags, crew::Crew* crew,
                           runs::NeatSource& source, CommandContext& context) {
  ProgressOptions options = context.progress("Evolving");
  options.unit = "evaluations";
  Progress progress(context.err, context.clock, options);
  const std::uint64_t seed = flags.seed.value_or(1);
  Population population = first_generation(benchmark, seed);
  population.use_profiler([&](const neat::NeatEvent& event) {
    const auto* done = std::get_if<neat::GenerationEvaluated>(&event);
    if (done == nullptr) return;
    source.note(done->payload, population.best());
    progress.update(done->payload.evaluations, remark(done->payload));
  });
  const neat::NeatLimits limits{.evaluations = flags.evaluations,
                                .cancel = context.cancel};
  if (crew == nullptr) {
    ThreadPool pool(context.settings.count("threads"));
    // std::clock() counts the CPU time of all threads.
    const std::clock_t begin = std::clock();
    const NeatRun run{
        .seed = seed,
        .outcome = search(population, benchmark.task, limits, &pool)};
    return NeatSeeds{{run}, cpu_seconds_since(begin)};
  }
  const double begin = crew::thread_cpu_seconds();
  neat::NeatCrew shared(*crew, benchmark.task);
  ASSIGN_OR_RETURN(const neat::NeatOutcome outcome,
                   search(population, shared, limits));
  return NeatSeeds{{{.seed = seed, .outcome = outcome}},
                   crew::thread_cpu_seconds() - begin + shared.cpu_seconds()};
}

// Runs the seeds 1 to K in parallel, one thread each.
NeatSeeds run_seeds(const NeatBenchmark& benchmark, const NeatFlags& flags,
                    CommandContext& context) {
  ThreadPool pool(context.settings.count("threads"));
  const std::clock_t begin = std::clock();
  ProgressOptions options = context.progress("Evolving");
  options.total = *flags.seeds;
  options.unit = "seeds";
  Progress progress(context.err, context.clock, options);
  std::vector<NeatRun> runs(static_cast<std::size_t>(*flags.seeds));
  // A seed that never started counts as cancelled.
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
  // After Ctrl-C, report only the seeds that finished.
  if (!all || context.cancel.is_cancelled()) {
    std::erase_if(runs,
                  [](const NeatRun& run) { return run.outcome.cancelled; });
  }
  return {std::move(runs), cpu_seconds_since(begin)};
}

Result<NeatSeeds> search_all(const NeatBenchmark& benchmark,
                             const NeatFlags& flags, crew::Crew* crew,
                             runs::NeatSource& source,
                             CommandContext& context) {
  if (!flags.seeds) return run_seed(benchmark, flags, crew, source, context);
  if (crew == nullptr) return run_seeds(benchmark, flags, context);
  return share_neat_seeds(benchmark, flags, *crew, context);
}

// Measures the best network of each run if the task defines a measure besides
// fitness, such as accuracy.
void measure_best(const neat::NeatMeasure& measure,
                  report::NeatSeries& series) {
  if (!measure.of) return;
  series.measure = measure.name;
  for (NeatRun& run : series.runs) {
    neat::FlatNetwork network(run.outcome.best);
    run.measured = measure.of(network);
  }
}

// Creates and locks the folder of --out, if it is given.
Result<std::optional<FileLock>> open_folder(const NeatFlags& flags,
                                            CommandContext& context) {
  if (flags.out.empty()) return std::optional<FileLock>();
  ASSIGN_OR_RETURN(
      FileLock lock,
      open_run_folder(
          {.folder = flags.out, .kind = "neat", .is_forced = flags.is_forced},
          context.err));
  const Json run = {{"kind", "neat"},
                    {"task", flags.choice.task},
                    {"seed", flags.seed.value_or(1)}};
  RETURN_IF_ERROR(write_file(std::filesystem::path(flags.out) / kRunFile,
                             dump_json(run, 2) + "\n"));
  return std::optional<FileLock>(std::move(lock));
}

// Saves the best network of the only run, and its picture.
Result<void> save_best(const NeatFlags& flags, const report::NeatSeries& series,
                       Json& report) {
  if (flags.out.empty()) return {};
  const std::filesystem::path path =
      std::filesystem::path(flags.out) / kModelFile;
  const neat::Genome& best = series.runs.front().outcome.best;
  RETURN_IF_ERROR(save_model(path, neat::compile(best)));
  report["model"] = path.string();
  const std::filesystem::path picture =
      std::filesystem::path(flags.out) / "network.svg";
  RETURN_IF_ERROR(
      write_file(picture, report::to_svg(neat::to_network(best),
                                         {.input_names = {},
                                          .output_names = {},
                                          .title = "NEAT: " + series.task})));
  report["picture"] = picture.string();
  return {};
}

// ---- The record in the journal.

runs::RunStart make_run_start(const NeatFlags& flags) {
  const std::string task =
      std::filesystem::path(flags.choice.task).filename().string();
  runs::RunStart start;
  start.kind = "neat";
  start.goal = flags.choice.target
                   ? "Predict " + *flags.choice.target + " from " + task
                   : "Solve " + task + " with NEAT";
  start.options = given_options(flags);
  if (!flags.seeds) start.seed = flags.seed.value_or(1);
  start.limits =
      Json::array({{{"limit", flags.evaluations}, {"unit", "evaluations"}}});
  if (!flags.out.empty()) {
    start.folder = std::filesystem::absolute(flags.out).string();
  }
  return start;
}

// Returns the report.
Result<Json> search_and_write(const NeatBenchmark& benchmark,
                              const NeatFlags& flags, crew::Crew* crew,
                              runs::NeatSource& source,
                              CommandContext& context) {
  ASSIGN_OR_RETURN(NeatSeeds seeds,
                   search_all(benchmark, flags, crew, source, context));
  report::NeatSeries series{.task = flags.choice.task,
                            .population = benchmark.options.population,
                            .measure = "",
                            .runs = std::move(seeds.runs),
                            .cpu_seconds = seeds.cpu_seconds};
  measure_best(benchmark.task.measure, series);
  Json report = report::neat_report(series);
  RETURN_IF_ERROR(save_best(flags, series, report));
  context.out << (context.json ? dump_json(report) + "\n"
                               : report::neat_text(report));
  if (!context.json && report.contains("model")) {
    for (const auto& [label, key] :
         {std::pair{"Model   ", "model"}, std::pair{"Picture ", "picture"}}) {
      context.out << label << one_line(report[key].get<std::string>(), 300)
                  << "\n";
    }
  }
  return report;
}

Result<void> run_neat(const NeatFlags& flags, CommandContext& context) {
  RETURN_IF_ERROR(check(flags));
  std::unique_ptr<crew::Crew> crew;
  if (!flags.record.only_checks) {
    ASSIGN_OR_RETURN(crew, open_neat_crew(flags, context));
  }
  if (crew != nullptr && !crew->is_leader()) {
    return help_neat(flags, static_cast<crew::CrewMembership&>(*crew), context);
  }
  ASSIGN_OR_RETURN(const NeatBenchmark benchmark,
                   make_neat_benchmark(flags, context.cancel));
  if (flags.record.only_checks) {
    print_check(context);
    return {};
  }
  ASSIGN_OR_RETURN(const auto lock, open_folder(flags, context));
  runs::NeatSource source({}, context.clock);
  RecordedRun recorded(flags.record, make_run_start(flags),
                       {{"score_name", "fitness"}, {"higher_is_better", true}},
                       source, false, context);
  const Result<Json> report =
      search_and_write(benchmark, flags, crew.get(), source, context);
  recorded.finish(report);
  if (!report) return report.error();
  return context.cancel.check();
}

}  // namespace

Command neat_command() {
  return {
      .name = "neat",
      .summary = "Evolve networks with NEAT for a task",
      .description =
          "Runs NEAT until a task is solved: xor, cartpole, double-pole, "
          "double-pole-no-velocity, or predicting the column --target of a "
          "CSV file from its other columns. The same seed gives the same run. "
          "--seeds K runs the seeds 1 to K and summarizes them. Ctrl-C stops "
          "the run and prints the results so far.",
      .example = "lamarck neat xor --seeds 100 --json",
      .has_crew = true,
      .configure = [](CLI::App& app) -> CommandAction {
        const auto flags = std::make_shared<NeatFlags>();
        add_option(app, "TASK", &flags->choice.task,
                   "Task name, or CSV file; - for standard input",
                   {.is_required = true});
        add_option(app, "--target", &flags->choice.target,
                   "Column of the CSV file to predict", {.type = "COL"});
        add_option(app, "--ignore", &flags->choice.ignore,
                   "Column of the CSV file to ignore; may be repeated",
                   {.type = "COL", .is_repeatable = true});
        add_option(app, "--goal", &flags->choice.goal,
                   "Accuracy or r2 that solves the task (default: 0.95)",
                   {.type = "SHARE"});
        add_option(app, "--population", &flags->population,
                   "Genomes per generation (default: depends on the task)",
                   {.type = "COUNT"});
        add_option(app, "--seed", &flags->seed, "Random seed (default: 1)",
                   {.type = "N"});
        add_option(app, "--seeds", &flags->seeds, "Run the seeds 1 to K",
                   {.type = "K"});
        add_option(app, "--evaluations", &flags->evaluations,
                   "Maximum evaluations per seed (default: 200000)",
                   {.type = "COUNT"});
        add_option(app, "--crew", &flags->crew, kCrewSummary, {.type = "URL"});
        add_option(app, "--out", &flags->out,
                   "Folder for the best network: model.lmk, network.svg",
                   {.type = "DIR"});
        add_option(app, "--encoding", &flags->choice.encoding,
                   "Encoding of the CSV file, such as latin1 (default: utf-8)",
                   {.type = "NAME"});
        add_switch(app, "--force", flags->is_forced,
                   "Write into the folder even if it has other files");
        add_record_flags(app, flags->record);
        return [flags](CommandContext& context) {
          return run_neat(*flags, context);
        };
      }};
}

}  // namespace lamarck::cli
