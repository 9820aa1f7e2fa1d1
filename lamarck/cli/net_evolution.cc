#include "lamarck/cli/net_evolution.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "lamarck/base/file.h"
#include "lamarck/base/json.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/string_split.h"
#include "lamarck/cli/net_report.h"
#include "lamarck/data/csv.h"
#include "lamarck/evolution/network_file.h"
#include "lamarck/evolution/strategy.h"
#include "lamarck/evolution/table_evolution.h"

namespace lamarck::cli {
namespace {

using data::Table;
using evolution::TableEvolutionOptions;
using evolution::TableEvolutionOutcome;
namespace fs = std::filesystem;

constexpr std::int64_t kMostIslands = 1024;
constexpr std::int64_t kMostSeeds = 100'000;
// A run without a goal ends when nothing better came for so long.
constexpr std::int64_t kFlatGenerations = 60;
constexpr const char* kRunFile = "run.json";
constexpr const char* kCheckpointFile = "checkpoint.lmk";

Error invalid(std::string message) {
  return Error(ErrorCode::InvalidArgument, std::move(message));
}

// ---- What was asked for, complete and checked.

struct NetRun {
  fs::path data;
  std::optional<fs::path> test;
  fs::path out;
  bool resume = false;
  TableEvolutionOptions options;
};

Result<void> check_range(const char* flag, std::int64_t value,
                         std::int64_t least, std::int64_t most) {
  if (value >= least && value <= most) return {};
  return invalid(
      fmt::format("{} is from {} to {}, not {}.", flag, least, most, value));
}

Result<TableEvolutionOptions> options_of(const NetFlags& flags) {
  TableEvolutionOptions options;
  if (!flags.target) {
    return invalid("--target COLUMN says which column to predict.");
  }
  options.target = *flags.target;
  if (flags.ignore) {
    for (const auto& name : split_text(*flags.ignore, ',')) {
      options.ignore.emplace_back(name);
    }
  }
  ASSIGN_OR_RETURN(options.task,
                   evolution::table_task_named(flags.task.value_or("auto")));
  options.is_series = flags.is_series;
  if (flags.horizon && !flags.is_series) {
    return invalid("--horizon goes with --series.");
  }
  RETURN_IF_ERROR(
      check_range("--horizon", flags.horizon.value_or(1), 1, 1'000'000'000));
  options.horizon = static_cast<std::size_t>(flags.horizon.value_or(1));
  options.metric = flags.metric.value_or("");
  if (!options.metric.empty()) {
    RETURN_IF_ERROR(data::metric_named(options.metric));
  }
  if (flags.goal && !std::isfinite(*flags.goal)) {
    return invalid("--goal is a number.");
  }
  options.goal = flags.goal;
  if (flags.test && flags.test_split) {
    return invalid(
        "--test names a file and --test-split takes rows away; leave out one "
        "of them.");
  }
  options.test_split = flags.test_split.value_or(options.test_split);
  if (!(options.test_split > 0 && options.test_split < 1)) {
    return invalid(
        fmt::format("--test-split is a share above 0 and below 1, not {}.",
                    options.test_split));
  }
  evolution::EvolutionOptions& run = options.evolution;
  ASSIGN_OR_RETURN(run.grain,
                   evolution::grain_named(flags.grain.value_or("both")));
  run.strategy = flags.strategy.value_or("cascade");
  RETURN_IF_ERROR(evolution::strategy_named(run.strategy));
  RETURN_IF_ERROR(
      check_range("--islands", flags.islands.value_or(1), 1, kMostIslands));
  run.islands = static_cast<std::size_t>(flags.islands.value_or(1));
  run.seed = flags.seed.value_or(1);
  ASSIGN_OR_RETURN(run.budget, parse_budget(flags.budget.value_or("30s")));
  if (!flags.goal && !flags.budget) {
    run.budget.flat_generations = kFlatGenerations;
  }
  return options;
}

Json optional_json(const auto& value) { return value ? Json(*value) : Json(); }

template <class T>
void take(const Json& json, const char* name, std::optional<T>& value) {
  if (json.contains(name) && !json.at(name).is_null()) {
    value = json.at(name).get<T>();
  }
}

// What --resume needs to ask for the same again.
Json flags_to_json(const NetFlags& flags) {
  return {
      {"data", fs::absolute(flags.data).string()},
      {"target", optional_json(flags.target)},
      {"ignore", optional_json(flags.ignore)},
      {"task", optional_json(flags.task)},
      {"series", flags.is_series},
      {"horizon", optional_json(flags.horizon)},
      {"grain", optional_json(flags.grain)},
      {"strategy", optional_json(flags.strategy)},
      {"metric", optional_json(flags.metric)},
      {"goal", optional_json(flags.goal)},
      {"budget", optional_json(flags.budget)},
      {"test", flags.test ? Json(fs::absolute(*flags.test).string()) : Json()},
      {"test_split", optional_json(flags.test_split)},
      {"islands", optional_json(flags.islands)},
      {"seed", optional_json(flags.seed)}};
}

Result<NetFlags> flags_of_run(const fs::path& folder) {
  const fs::path path = folder / kRunFile;
  const auto text = read_file(path);
  if (!text) {
    return invalid(fmt::format("{} holds no run to resume: {}", folder.string(),
                               text.error().message()));
  }
  ASSIGN_OR_RETURN(const Json json, parse_json(*text));
  NetFlags flags;
  try {
    flags.data = json.at("data");
    flags.is_series = json.at("series");
    take(json, "target", flags.target);
    take(json, "ignore", flags.ignore);
    take(json, "task", flags.task);
    take(json, "horizon", flags.horizon);
    take(json, "grain", flags.grain);
    take(json, "strategy", flags.strategy);
    take(json, "metric", flags.metric);
    take(json, "goal", flags.goal);
    take(json, "budget", flags.budget);
    take(json, "test", flags.test);
    take(json, "test_split", flags.test_split);
    take(json, "islands", flags.islands);
    take(json, "seed", flags.seed);
  } catch (const Json::exception&) {
    return Error(ErrorCode::DataDamaged,
                 path.string() + " is not the description of a run.");
  }
  return flags;
}

// The run of before, with what may change: its budget and its goal.
Result<NetFlags> resumed(const NetFlags& given) {
  if (!given.data.empty() || given.target || given.seeds || given.out ||
      given.seed || given.grain || given.strategy || given.islands ||
      given.metric || given.task || given.test || given.test_split) {
    return invalid(
        "--resume goes on with the same data and flags; only --budget and "
        "--goal may be given with it.");
  }
  ASSIGN_OR_RETURN(NetFlags flags, flags_of_run(*given.resume));
  if (given.budget) flags.budget = given.budget;
  if (given.goal) flags.goal = given.goal;
  flags.out = *given.resume;
  flags.resume = given.resume;
  return flags;
}

Result<NetRun> run_of(const NetFlags& flags) {
  if (flags.data.empty()) {
    return invalid(
        "DATA is required: a CSV file, as in `lamarck evolve net iris.csv "
        "--target species`.");
  }
  NetRun run{.data = flags.data, .test = {}, .out = {}, .options = {}};
  if (flags.test) run.test = *flags.test;
  ASSIGN_OR_RETURN(run.options, options_of(flags));
  run.out = flags.out.value_or(run.data.stem().string() + "-net");
  run.resume = flags.resume.has_value();
  return run;
}

// ---- One run.

std::string remark(const evolution::GenerationDone::Payload& told,
                   const evolution::EvolutionBudget& budget) {
  const double rate = told.seconds > 0
                          ? static_cast<double>(told.evaluations) / told.seconds
                          : 0;
  std::string text =
      fmt::format("best {:.4g}, {} hidden, {} edges, {:.3g}/s", told.best_score,
                  told.hidden_nodes, told.edges + told.recurrent_edges, rate);
  if (budget.seconds > 0) {
    text += fmt::format(", {:.0f} s left",
                        std::max(0.0, budget.seconds - told.seconds));
  }
  return text;
}

Result<Table> read_table(const fs::path& path) {
  ASSIGN_OR_RETURN(Table table, data::read_csv(path));
  if (table.row_count() == 0) {
    return invalid(path.string() + " has a header but no rows.");
  }
  return table;
}

struct Tables {
  Table known;
  std::optional<Table> test;
};

Result<Tables> read_tables(const NetRun& run) {
  ASSIGN_OR_RETURN(Table known, read_table(run.data));
  if (!run.test) return Tables{std::move(known), std::nullopt};
  ASSIGN_OR_RETURN(Table test, read_table(*run.test));
  return Tables{std::move(known), std::move(test)};
}

Result<TableEvolutionOutcome> evolve_once(const NetRun& run,
                                          const Tables& tables,
                                          const TableEvolutionOptions& options,
                                          CommandContext& context) {
  ProgressOptions shown = context.progress("Evolving");
  shown.unit = "generations";
  if (options.evolution.budget.generations > 0) {
    shown.total = options.evolution.budget.generations;
  }
  Progress progress(context.err, context.clock, shown);
  const Profiler<evolution::EvolutionEvent> profiler = [&] {
    Profiler<evolution::EvolutionEvent> made;
    made.use_profiler([&](const evolution::EvolutionEvent& event) {
      const auto* done = std::get_if<evolution::GenerationDone>(&event);
      if (done == nullptr) return;
      progress.update(done->payload.generation,
                      remark(done->payload, options.evolution.budget));
    });
    return made;
  }();
  auto outcome = evolution::evolve_table(
      tables.known, tables.test ? &*tables.test : nullptr, options, profiler);
  progress.finish();
  if (!outcome) return outcome.error().within(run.data.string());
  return outcome;
}

Result<void> write_results(const NetRun& run,
                           const TableEvolutionOutcome& outcome,
                           const NetPaths& paths) {
  std::map<std::string, std::string> notes = outcome.notes();
  notes["facts"] =
      dump_json(net_json(outcome, run.options.evolution.seed, paths));
  RETURN_IF_ERROR(evolution::save_network(
      paths.model, {.network = outcome.result.network, .notes = notes}));
  const std::string picture = net_picture(outcome);
  RETURN_IF_ERROR(write_file(paths.picture, picture));
  return write_file(paths.report, net_report_page(outcome, run.options,
                                                  run.data.string(), picture));
}

Result<void> make_folder(const fs::path& folder) {
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (!failure) return {};
  return Error(ErrorCode::IoFailed,
               fmt::format("The folder {} cannot be made: {}.", folder.string(),
                           failure.message()));
}

Result<void> run_seed(const NetFlags& flags, NetRun run,
                      CommandContext& context) {
  ASSIGN_OR_RETURN(const Tables tables, read_tables(run));
  RETURN_IF_ERROR(make_folder(run.out));
  const NetPaths paths{.model = run.out / "model.lmk",
                       .picture = run.out / "network.svg",
                       .report = run.out / "report.html"};
  const fs::path checkpoint = run.out / kCheckpointFile;
  evolution::EvolutionOptions& options = run.options.evolution;
  options.checkpoint = checkpoint;
  options.resume = run.resume;
  options.cancel = context.cancel;
  options.threads = context.settings.count("threads");
  if (!run.resume) {
    std::error_code ignored;
    fs::remove(checkpoint, ignored);
    RETURN_IF_ERROR(write_file(run.out / kRunFile,
                               dump_json(flags_to_json(flags), 2) + "\n"));
  }
  ASSIGN_OR_RETURN(const TableEvolutionOutcome outcome,
                   evolve_once(run, tables, run.options, context));
  RETURN_IF_ERROR(write_results(run, outcome, paths));
  if (context.json) {
    context.out << dump_json(net_json(outcome, options.seed, paths)) << "\n";
  } else {
    context.out << net_text(outcome, paths);
  }
  return context.cancel.check();
}

// The seeds 1 to K, one after the other; nothing is written.
Result<void> run_seeds(NetRun run, std::int64_t seeds,
                       CommandContext& context) {
  ASSIGN_OR_RETURN(const Tables tables, read_tables(run));
  run.options.evolution.cancel = context.cancel;
  run.options.evolution.threads = context.settings.count("threads");
  Json runs = Json::array();
  for (std::int64_t seed = 1; seed <= seeds; ++seed) {
    if (context.cancel.is_cancelled()) break;
    run.options.evolution.seed = static_cast<std::uint64_t>(seed);
    ASSIGN_OR_RETURN(const TableEvolutionOutcome outcome,
                     evolve_once(run, tables, run.options, context));
    if (context.cancel.is_cancelled()) break;
    runs.push_back(
        net_json(outcome, static_cast<std::uint64_t>(seed), NetPaths{}));
  }
  const Json summary = net_summary(std::move(runs));
  context.out << (context.json ? dump_json(summary) + "\n"
                               : net_summary_text(summary));
  return context.cancel.check();
}

}  // namespace

Result<evolution::EvolutionBudget> parse_budget(std::string_view text) {
  evolution::EvolutionBudget budget;
  for (const auto& part : split_text(text, ',')) {
    double value = 0;
    const auto [end, failure] =
        std::from_chars(part.data(), part.data() + part.size(), value);
    const std::string_view unit(end, part.data() + part.size() - end);
    const bool is_whole = value == std::floor(value);
    if (failure != std::errc() || !(value > 0) || value > 1e15) {
      return invalid("--budget " + in_quotes(text) +
                     " is not a limit such as 60s, 2m, 500gen or 10000eval.");
    }
    if (unit == "s") {
      budget.seconds = value;
    } else if (unit == "m") {
      budget.seconds = 60 * value;
    } else if (unit == "h") {
      budget.seconds = 3600 * value;
    } else if (unit == "gen" && is_whole) {
      budget.generations = static_cast<std::int64_t>(value);
    } else if (unit == "eval" && is_whole) {
      budget.evaluations = static_cast<std::int64_t>(value);
    } else {
      return invalid("--budget " + in_quotes(text) +
                     " is not a limit such as 60s, 2m, 500gen or 10000eval.");
    }
  }
  return budget;
}

Result<void> evolve_net(const NetFlags& flags, CommandContext& context) {
  if (flags.resume) {
    ASSIGN_OR_RETURN(const NetFlags before, resumed(flags));
    ASSIGN_OR_RETURN(const NetRun run, run_of(before));
    return run_seed(before, run, context);
  }
  ASSIGN_OR_RETURN(const NetRun run, run_of(flags));
  if (!flags.seeds) return run_seed(flags, run, context);
  RETURN_IF_ERROR(check_range("--seeds", *flags.seeds, 1, kMostSeeds));
  if (flags.seed) {
    return invalid(
        "--seed runs one seed and --seeds the seeds 1 to K; leave out one of "
        "them.");
  }
  return run_seeds(run, *flags.seeds, context);
}

}  // namespace lamarck::cli
