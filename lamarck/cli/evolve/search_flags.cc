#include "lamarck/cli/evolve/search_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <thread>
#include <nlohmann/json.hpp>

#include "lamarck/base/error.h"
#include "lamarck/base/file.h"
#include "lamarck/base/json.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/string_split.h"
#include "lamarck/cli/command_option.h"
#include "lamarck/cli/evolve/fn_files.h"
#include "lamarck/cli/evolve/net_flags.h"
#include "lamarck/cli/evolve/run_limit.h"
#include "lamarck/cli/evolve/search_limits.h"
#include "lamarck/cli/evolve/table_path.h"
#include "lamarck/problems/problem_settings.h"

namespace lamarck::cli {
namespace {

using law::LawEngine;
namespace fs = std::filesystem;

constexpr std::int64_t kMaxThreads = 1024;
constexpr std::int64_t kMaxSize = 10'000;
constexpr std::uint64_t kMaxTextBytes = 1 << 20;
constexpr std::size_t kMaxPathLength = 255;  // Longer text is not a path.
constexpr const char* kDefaultBudget = "30s";

struct EngineName {
  LawEngine engine;
  std::string_view name;
};
constexpr std::array kEngines = {EngineName{LawEngine::Gp, "gp"},
                                 EngineName{LawEngine::Llm, "llm"},
                                 EngineName{LawEngine::Mix, "mix"}};

Result<std::size_t> check_range(const char* flag, std::int64_t value,
                                std::int64_t min, std::int64_t max) {
  if (value >= min && value <= max) return static_cast<std::size_t>(value);
  return invalid_argument(fmt::format("{} must be between {} and {}, got {}.",
                                      flag, min, max, value));
}

Result<LawEngine> engine_named(std::string_view name) {
  std::vector<std::string_view> names;
  for (const EngineName& each : kEngines) {
    if (each.name == name) return each.engine;
    names.push_back(each.name);
  }
  return invalid_choice("--engine", names, name);
}

// Reads the file of that name if there is one, else returns the text itself.
Result<std::string> read_text(const std::string& given) {
  std::error_code ignored;
  const bool may_be_path =
      given.size() <= kMaxPathLength && given.find('\n') == std::string::npos;
  if (!may_be_path || !fs::is_regular_file(given, ignored)) return given;
  return read_file(given, kMaxTextBytes);
}

// Such a limit would never apply. Alone, it would let the run go on forever.
Result<void> check_no_model_limits(const SearchRun& run) {
  const BudgetLimits& budget = run.evolver.budget;
  if (run.engine != LawEngine::Gp) return {};
  if (!budget.tokens && !budget.money_micros) return {};
  return invalid_argument(
      "The engine gp does not use a model, so its budget cannot limit tokens "
      "or "
      "money; limit time or evaluations, or use --engine llm or mix.");
}

// The defaults of the first version of this search: islands restart by time and
// from the best of all, and selection is by raw scores and by characters.
Result<void> apply_preset(const SearchFlags& flags,
                          archipelago::EvolverOptions& options) {
  constexpr std::array kPresets = {std::string_view("seed")};
  if (!flags.preset) return {};
  if (*flags.preset != kPresets[0]) {
    return invalid_choice("--preset", kPresets, *flags.preset);
  }
  if (flags.reset.empty()) {
    options.reset_period = {.evaluations = {},
                            .time = std::chrono::minutes(30)};
  }
  options.founder = archipelago::Founder::BestOfAll;
  options.island.score_scale = archipelago::ScoreScale::Raw;
  options.island.length_unit = archipelago::LengthUnit::Characters;
  return {};
}

// The limits of one evaluation.
Result<void> set_limits(const SearchFlags& flags, SearchRun& run) {
  if (flags.time_limit) {
    run.time_limit = problems::parse_duration(*flags.time_limit);
    if (!run.time_limit) {
      return invalid_limit("--time-limit", *flags.time_limit, "30s or 5min");
    }
  }
  if (flags.memory_limit) {
    run.memory_limit = problems::parse_bytes(*flags.memory_limit);
    if (!run.memory_limit) {
      return invalid_limit("--memory-limit", *flags.memory_limit,
                           "512MB or 2GB");
    }
  }
  return {};
}

Result<void> set_evolver(const SearchFlags& flags, std::size_t threads,
                         archipelago::EvolverOptions& options) {
  ASSIGN_OR_RETURN(
      options.num_islands,
      check_range("--islands", flags.islands.value_or(10), 1, kMaxIslands));
  const std::size_t cores =
      std::max<std::size_t>(1, std::thread::hardware_concurrency());
  options.num_parallel = threads == 0 ? cores : threads;
  if (flags.parallel) {
    ASSIGN_OR_RETURN(
        options.num_parallel,
        check_range("--parallel", *flags.parallel, 1, kMaxThreads));
  }
  ASSIGN_OR_RETURN(options.reset_period, parse_reset_period(flags.reset));
  RETURN_IF_ERROR(apply_preset(flags, options));
  options.goal = flags.goal;
  ASSIGN_OR_RETURN(
      options.budget,
      parse_search_budget(flags.budget.empty()
                              ? std::vector<std::string>{kDefaultBudget}
                              : flags.budget));
  options.seed = flags.seed.value_or(1);
  return {};
}

Result<fs::path> data_path(std::string_view kind, const SearchFlags& flags) {
  if (!flags.data.empty()) return fs::path(flags.data);
  if (kind == kFnKind) {
    return invalid_argument(
        "DATA is required: a CSV file, as in `lamarck evolve fn points.csv "
        "--target y`.");
  }
  return invalid_argument(
      "DIR is required: a folder with program.py and evaluate.py, as in "
      "`lamarck evolve program folder`.");
}

// Returns points-fn for "points.csv" and folder-program for "folder/".
fs::path default_out(std::string_view kind, const fs::path& data) {
  const fs::path whole = data.has_filename() ? data : data.parent_path();
  const std::string stem =
      kind == kFnKind ? table_stem(whole) : whole.filename().string();
  return fmt::format("{}-{}", stem.empty() || stem == "." ? "run" : stem, kind);
}

// Applies defaults and validates.
Result<SearchRun> complete(std::string_view kind, const SearchFlags& flags,
                           std::size_t threads) {
  SearchRun run{.kind = std::string(kind)};
  ASSIGN_OR_RETURN(run.data, data_path(kind, flags));
  if (kind == kFnKind && !flags.target) {
    return invalid_argument(
        "--target is required: the column to find a law for.");
  }
  if (flags.engine) {
    ASSIGN_OR_RETURN(run.engine, engine_named(*flags.engine));
  } else if (kind == kFnKind) {
    run.engine = LawEngine::Gp;
  }
  if (flags.problem) {
    ASSIGN_OR_RETURN(run.problem, read_text(*flags.problem));
  }
  if (flags.seed_equation) {
    ASSIGN_OR_RETURN(run.seed_equation, read_text(*flags.seed_equation));
  }
  if (flags.max_size) {
    ASSIGN_OR_RETURN(run.max_size,
                     check_range("--max-size", *flags.max_size, 1, kMaxSize));
  }
  RETURN_IF_ERROR(set_evolver(flags, threads, run.evolver));
  RETURN_IF_ERROR(set_limits(flags, run));
  RETURN_IF_ERROR(check_no_model_limits(run));
  run.out = flags.out.value_or(default_out(kind, run.data).string());
  run.is_resumed = flags.resume.has_value();
  run.flags = flags;
  return run;
}

// ---- The file of a run.

// Calls visitor(name, value) for each flag that the file stores.
void visit_search_flags(auto& flags, auto&& visitor) {
  visitor("target", flags.target);
  visitor("inputs", flags.inputs);
  visitor("encoding", flags.encoding);
  visitor("engine", flags.engine);
  visitor("problem", flags.problem);
  visitor("seed_equation", flags.seed_equation);
  visitor("functions", flags.functions);
  visitor("units", flags.units);
  visitor("max_size", flags.max_size);
  visitor("islands", flags.islands);
  visitor("parallel", flags.parallel);
  visitor("preset", flags.preset);
  visitor("goal", flags.goal);
  visitor("time_limit", flags.time_limit);
  visitor("memory_limit", flags.memory_limit);
  visitor("reset", flags.reset);
  visitor("budget", flags.budget);
  visitor("test", flags.tests);
  visitor("seed", flags.seed);
}

template <class T>
bool is_given(const std::optional<T>& value) {
  return value.has_value();
}
bool is_given(const std::vector<std::string>& value) { return !value.empty(); }

template <class T>
void read_value(const Json& json, std::optional<T>& value) {
  value = json.get<T>();
}
void read_value(const Json& json, std::vector<std::string>& value) {
  value = json.get<std::vector<std::string>>();
}

template <class T>
Json flag_json(const std::optional<T>& value) {
  return *value;
}
Json flag_json(const std::vector<std::string>& value) { return value; }

struct StoredFlags {
  std::string kind;
  SearchFlags flags;
};

Result<StoredFlags> read_stored_flags(const fs::path& folder) {
  const fs::path path = folder / kRunFile;
  const auto text = read_file(path);
  if (!text) {
    return Error(ErrorCode::NotFound,
                 fmt::format("There is no run in {}: {}", folder.string(),
                             text.error().message()));
  }
  const Error damaged(
      ErrorCode::DataDamaged,
      path.string() + " is not a valid description of a run; start a new run.");
  const auto json = parse_json(*text);
  if (!json || !json->is_object()) return damaged;
  StoredFlags found;
  try {
    // Runs of `evolve net` store no kind.
    found.kind = json->value("kind", "net");
    if (found.kind == "neat") return found;
    found.flags.data = json->at("data");
    if (found.kind == "net") return found;
    visit_search_flags(found.flags, [&](const char* name, auto& value) {
      if (json->contains(name)) read_value(json->at(name), value);
    });
  } catch (const Json::exception&) {
    return damaged;
  }
  return found;
}

Result<SearchFlags> resume_flags(std::string_view kind,
                                 const SearchFlags& given) {
  bool has_others = !given.data.empty() || given.out;
  visit_search_flags(given, [&](std::string_view name, const auto& value) {
    has_others |= is_given(value) && name != "budget" && name != "parallel" &&
                  name != "goal";
  });
  if (has_others) {
    return invalid_argument(
        "--resume uses the data and flags of the run; only --budget, --goal "
        "and --parallel may be given with it.");
  }
  ASSIGN_OR_RETURN(StoredFlags stored, read_stored_flags(*given.resume));
  if (stored.kind != kind) {
    return other_kind(*given.resume, stored.kind);
  }
  SearchFlags flags = std::move(stored.flags);
  if (!given.budget.empty()) flags.budget = given.budget;
  if (given.parallel) flags.parallel = given.parallel;
  if (given.goal) flags.goal = given.goal;
  flags.out = *given.resume;
  flags.resume = given.resume;
  return flags;
}

// Returns the flags to store: absolute paths, so that a run can be resumed from
// another folder, and the contents of text files, which may change.
SearchFlags flags_to_store(const SearchRun& run) {
  SearchFlags kept = run.flags;
  kept.data = stored_table_path(run.data);
  for (std::string& test : kept.tests) test = stored_table_path(test);
  if (kept.problem) kept.problem = run.problem;
  if (kept.seed_equation) kept.seed_equation = run.seed_equation;
  return kept;
}

}  // namespace

std::string_view engine_name(LawEngine engine) {
  return std::ranges::find(kEngines, engine, &EngineName::engine)->name;
}

Result<SearchRun> make_search_run(std::string_view kind,
                                  const SearchFlags& flags,
                                  std::size_t threads) {
  if (!flags.resume) return complete(kind, flags, threads);
  ASSIGN_OR_RETURN(const SearchFlags stored, resume_flags(kind, flags));
  return complete(kind, stored, threads);
}

std::string search_file_text(const SearchRun& run) {
  const SearchFlags kept = flags_to_store(run);
  Json json = {{"kind", run.kind}, {"data", kept.data}};
  visit_search_flags(kept, [&](const char* name, const auto& value) {
    if (is_given(value)) json[name] = flag_json(value);
  });
  return dump_json(json, 2) + "\n";
}

void continue_unfinished(SearchRun& run, std::ostream& notes) {
  const auto stored = read_file(run.out / kRunFile, kMaxTextBytes);
  if (run.is_resumed || run.flags.is_forced || !stored ||
      *stored != search_file_text(run) || fs::exists(run.out / kReportFile) ||
      !has_checkpoint(run.out)) {
    return;
  }
  notes << fmt::format("lamarck: Continuing the unfinished run in {}.\n",
                       one_line(run.out.string(), 300));
  run.is_resumed = true;
}

Result<FileLock> open_search_folder(const SearchRun& run, std::ostream& notes) {
  const bool is_continued = run.is_resumed && has_checkpoint(run.out);
  ASSIGN_OR_RETURN(FileLock lock,
                   open_run_folder({.folder = run.out,
                                    .kind = run.kind,
                                    .is_resumed = run.is_resumed,
                                    .is_forced = run.flags.is_forced},
                                   notes));
  if (is_continued) return lock;
  std::error_code ignored;
  // A journal without a checkpoint cannot be continued.
  fs::remove(run.out / kJournalFile, ignored);
  RETURN_IF_ERROR(write_file(run.out / kRunFile, search_file_text(run)));
  return lock;
}

Result<SearchRun> read_search_run(const fs::path& folder) {
  ASSIGN_OR_RETURN(StoredFlags found, read_stored_flags(folder));
  if (found.kind != kFnKind && found.kind != kProgramKind) {
    return Error(ErrorCode::Unsupported,
                 fmt::format("{} contains a run of `{}`, which has no journal "
                             "of functions.",
                             folder.string(), run_command_name(found.kind)));
  }
  found.flags.out = folder.string();
  found.flags.resume = folder.string();
  return complete(found.kind, found.flags, 1);
}

Result<SearchRun> joined_search(const JoinedRun& joined, const Json& flags) {
  RETURN_IF_ERROR(write_file(joined.folder / kRunFile, dump_json(flags)));
  ASSIGN_OR_RETURN(SearchRun run, read_search_run(joined.folder));
  run.flags.parallel.reset();  // --parallel is about the leader.
  run.evolver.num_parallel = joined.threads;
  return run;
}

bool contains_search(const fs::path& folder) {
  const auto found = read_stored_flags(folder);
  return found && (found->kind == kFnKind || found->kind == kProgramKind);
}

}  // namespace lamarck::cli
