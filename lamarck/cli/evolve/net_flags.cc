#include "lamarck/cli/evolve/net_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <nlohmann/json.hpp>

#include "lamarck/base/error.h"
#include "lamarck/base/file.h"
#include "lamarck/base/json.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/string_split.h"
#include "lamarck/cli/command_option.h"
#include "lamarck/cli/evolve/run_limit.h"
#include "lamarck/cli/evolve/search_limits.h"
#include "lamarck/cli/evolve/table_path.h"
#include "lamarck/evolution/strategy.h"

namespace lamarck::cli {
namespace {

using evolution::EvolutionBudget;
using evolution::EvolutionOptions;
using table::TableEvolutionOptions;
namespace fs = std::filesystem;

constexpr std::int64_t kMaxSeeds = 100'000;
constexpr std::int64_t kMaxHorizon = 1'000'000'000;
constexpr std::int64_t kMaxLags = 512;
// Without a goal or budget, a run stops after
// this many generations without improvement.
constexpr std::int64_t kFlatGenerations = 60;
constexpr double kCheckpointSeconds = 0.1;

constexpr std::array<std::string_view, 3> kTasks = {"auto", "classify",
                                                    "regress"};
constexpr std::array<std::string_view, 3> kGrains = {"neuron", "layer", "both"};
constexpr std::array<std::string_view, 2> kStrategies = {"cascade",
                                                         "hill_climb"};

Result<void> check_choice(const char* flag,
                          const std::optional<std::string>& value,
                          std::span<const std::string_view> choices) {
  if (!value || std::ranges::find(choices, *value) != choices.end()) return {};
  return invalid_choice(flag, choices, *value);
}

Result<void> require_range(const char* flag, std::int64_t value,
                           std::int64_t min, std::int64_t max) {
  if (value >= min && value <= max) return {};
  return invalid_argument(fmt::format("{} must be between {} and {}, got {}.",
                                      flag, min, max, value));
}

std::vector<std::string> ignored_columns(const NetFlags& flags) {
  std::vector<std::string> names;
  if (!flags.ignore) return names;
  for (const auto& name : split_text(*flags.ignore, ',')) {
    names.emplace_back(name);
  }
  return names;
}

Result<void> set_series(const NetFlags& flags, TableEvolutionOptions& options) {
  const std::int64_t horizon = flags.horizon.value_or(1);
  if (flags.horizon && !flags.is_series) {
    return invalid_argument(
        "--horizon requires --series; add it, or leave out --horizon.");
  }
  RETURN_IF_ERROR(require_range("--horizon", horizon, 1, kMaxHorizon));
  if (flags.lags) {
    if (!flags.is_series) {
      return invalid_argument(
          "--lags requires --series; add it, or leave out --lags.");
    }
    RETURN_IF_ERROR(require_range("--lags", *flags.lags, 1, kMaxLags));
    options.lags = static_cast<std::size_t>(*flags.lags);
  }
  options.is_series = flags.is_series;
  options.horizon = static_cast<std::size_t>(horizon);
  return {};
}

Result<void> set_metric(const NetFlags& flags, TableEvolutionOptions& options) {
  options.metric = flags.metric.value_or("");
  options.goal = flags.goal;
  if (flags.metric) RETURN_IF_ERROR(data::find_metric(options.metric));
  if (flags.goal && !std::isfinite(*flags.goal)) {
    return invalid_argument(
        fmt::format("--goal must be a finite number, got {}.", *flags.goal));
  }
  return {};
}

Result<void> set_split(const NetFlags& flags, TableEvolutionOptions& options) {
  if (flags.test && flags.test_split) {
    return invalid_argument(
        "--test and --test-split cannot be combined; use a test file, or a "
        "share of the rows.");
  }
  const double share = flags.test_split.value_or(options.test_split);
  options.test_split = share;
  if (share > 0 && share < 1) return {};
  return invalid_argument(
      fmt::format("--test-split must be above 0 and below 1, got {}.", share));
}

Result<void> set_evolution(const NetFlags& flags, EvolutionOptions& run) {
  RETURN_IF_ERROR(check_choice("--grain", flags.grain, kGrains));
  RETURN_IF_ERROR(check_choice("--strategy", flags.strategy, kStrategies));
  ASSIGN_OR_RETURN(run.grain,
                   evolution::parse_grain(flags.grain.value_or("both")));
  run.strategy = flags.strategy.value_or("cascade");
  RETURN_IF_ERROR(evolution::parse_strategy(run.strategy));
  RETURN_IF_ERROR(
      require_range("--islands", flags.islands.value_or(1), 1, kMaxIslands));
  run.islands = static_cast<std::size_t>(flags.islands.value_or(1));
  run.seed = flags.seed.value_or(1);
  run.checkpoint_seconds = kCheckpointSeconds;
  ASSIGN_OR_RETURN(run.budget, parse_budget(flags.budget.value_or("30s")));
  if (!flags.goal && !flags.budget) {
    run.budget.flat_generations = kFlatGenerations;
  }
  return {};
}

Result<TableEvolutionOptions> make_options(const NetFlags& flags) {
  TableEvolutionOptions options;
  if (!flags.target) {
    return invalid_argument("--target is required: the column to predict.");
  }
  options.target = *flags.target;
  RETURN_IF_ERROR(check_choice("--task", flags.task, kTasks));
  options.ignore = ignored_columns(flags);
  ASSIGN_OR_RETURN(options.task,
                   table::table_task_named(flags.task.value_or("auto")));
  RETURN_IF_ERROR(set_series(flags, options));
  options.is_single = flags.is_single;
  RETURN_IF_ERROR(set_metric(flags, options));
  RETURN_IF_ERROR(set_split(flags, options));
  RETURN_IF_ERROR(set_evolution(flags, options.evolution));
  return options;
}

// ---- The file of a run.

// Calls visitor(name, value) for each flag that the file stores.
void visit_net_flags(auto& flags, auto&& visitor) {
  visitor("target", flags.target);
  visitor("ignore", flags.ignore);
  visitor("encoding", flags.encoding);
  visitor("task", flags.task);
  visitor("horizon", flags.horizon);
  visitor("lags", flags.lags);
  visitor("grain", flags.grain);
  visitor("strategy", flags.strategy);
  visitor("metric", flags.metric);
  visitor("goal", flags.goal);
  visitor("budget", flags.budget);
  visitor("test", flags.test);
  visitor("test_split", flags.test_split);
  visitor("islands", flags.islands);
  visitor("seed", flags.seed);
}

Result<NetFlags> read_net_flags(const fs::path& folder) {
  const fs::path path = folder / kRunFile;
  const auto text = read_file(path);
  if (!text) {
    return Error(ErrorCode::NotFound,
                 fmt::format("There is no run in {}: {}", folder.string(),
                             text.error().message()));
  }
  if (const auto kind = run_kind(folder); kind && *kind != "net") {
    return other_kind(folder, *kind);
  }
  const Error damaged(
      ErrorCode::DataDamaged,
      path.string() + " is not a valid description of a run; start a new run.");
  const auto json = parse_json(*text);
  if (!json) return damaged;
  NetFlags flags;
  try {
    flags.data = json->at("data");
    flags.is_series = json->at("series");
    flags.is_single = json->value("single", false);
    visit_net_flags(flags,
                    [&]<class T>(const char* name, std::optional<T>& value) {
                      if (json->contains(name) && !json->at(name).is_null()) {
                        value = json->at(name).template get<T>();
                      }
                    });
  } catch (const Json::exception&) {
    return damaged;
  }
  return flags;
}

Result<NetFlags> resume_flags(const NetFlags& given) {
  // A run with other data or flags would be another run.
  bool has_others = !given.data.empty() || given.is_series || given.is_single ||
                    given.seeds || given.out;
  visit_net_flags(given, [&](std::string_view name, const auto& value) {
    has_others |= value && name != "budget" && name != "goal";
  });
  if (has_others) {
    return invalid_argument(
        "--resume uses the data and flags of the run; only --budget and --goal "
        "may be given with it.");
  }
  ASSIGN_OR_RETURN(NetFlags flags, read_net_flags(*given.resume));
  if (given.budget) flags.budget = given.budget;
  if (given.goal) flags.goal = given.goal;
  flags.out = *given.resume;
  flags.resume = given.resume;
  return flags;
}

Result<void> check_seeds(const NetFlags& flags) {
  if (!flags.seeds) return {};
  RETURN_IF_ERROR(require_range("--seeds", *flags.seeds, 1, kMaxSeeds));
  if (flags.out) {
    return invalid_argument(
        "--out and --seeds cannot be combined, because --out saves one "
        "network; "
        "use --seed for one run.");
  }
  if (!flags.seed) return {};
  return invalid_argument(
      "--seed and --seeds cannot be combined; use --seed for one run, or "
      "--seeds K for the seeds 1 to K.");
}

// Applies defaults and validates.
Result<NetRun> complete(const NetFlags& flags) {
  if (flags.data.empty()) {
    return invalid_argument(
        "DATA is required: a CSV file, as in `lamarck evolve net iris.csv "
        "--target species`.");
  }
  RETURN_IF_ERROR(check_seeds(flags));
  NetRun run{.data = flags.data,
             .test = {},
             .encoding = flags.encoding.value_or(""),
             .out = {},
             .options = {}};
  if (flags.test) run.test = *flags.test;
  ASSIGN_OR_RETURN(run.options, make_options(flags));
  run.out = flags.out.value_or(table_stem(run.data) + "-net");
  run.seeds = flags.seeds.value_or(0);
  run.resume = flags.resume.has_value();
  run.is_forced = flags.is_forced;
  return run;
}

}  // namespace

Result<NetRun> make_net_run(const NetFlags& flags) {
  if (!flags.resume) return complete(flags);
  ASSIGN_OR_RETURN(const NetFlags stored, resume_flags(flags));
  return complete(stored);
}

std::string run_file_text(const NetFlags& flags) {
  // Absolute paths let a run be resumed from another folder.
  NetFlags kept = flags;
  if (kept.test) kept.test = stored_table_path(*kept.test);
  Json json = {{"data", stored_table_path(kept.data)},
               {"series", kept.is_series},
               {"single", kept.is_single}};
  visit_net_flags(kept, [&](const char* name, const auto& value) {
    if (value) json[name] = *value;
  });
  return dump_json(json, 2) + "\n";
}

Result<EvolutionBudget> parse_budget(std::string_view text) {
  EvolutionBudget budget;
  for (const auto& part : split_text(text, ',')) {
    const auto limit = parse_run_limit(part);
    if (limit && limit->measure == LimitMeasure::Milliseconds) {
      budget.seconds = static_cast<double>(limit->amount) / 1e3;
    } else if (limit && limit->measure == LimitMeasure::Generations) {
      budget.generations = limit->amount;
    } else if (limit && limit->measure == LimitMeasure::Evaluations) {
      budget.evaluations = limit->amount;
    } else {
      return invalid_limit("--budget", text, "60s, 30min, 500gen or 10000eval");
    }
  }
  return budget;
}

}  // namespace lamarck::cli
