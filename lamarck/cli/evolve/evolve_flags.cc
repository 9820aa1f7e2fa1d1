#include "lamarck/cli/evolve/evolve_flags.h"

#include "lamarck/cli/command_option.h"
#include "lamarck/cli/evolve/crew_flag.h"
#include "lamarck/evolution/strategy.h"

namespace lamarck::cli {
namespace {

constexpr unsigned bit(EvolveKind kind) {
  return 1u << static_cast<unsigned>(kind);
}
// The kinds that take a flag.
constexpr unsigned kNet = bit(EvolveKind::Net);
constexpr unsigned kFn = bit(EvolveKind::Fn);
constexpr unsigned kProgram = bit(EvolveKind::Program);
constexpr unsigned kTables = kNet | kFn;
constexpr unsigned kSearches = kFn | kProgram;
constexpr unsigned kAll = kNet | kFn | kProgram;

std::string strategy_choices() {
  std::string choices;
  for (const evolution::Strategy& strategy : evolution::strategy_table()) {
    choices += (choices.empty() ? "" : "|") + std::string(strategy.name);
  }
  return choices;
}

// Adds those flags to a command that belong to its kind.
class FlagAdder {
 public:
  FlagAdder(CLI::App& app, EvolveKind kind) : app_(app), kind_(kind) {}

  void add(unsigned kinds, const char* name, OptionValue value,
           const char* what, const std::string& type) {
    if (takes(kinds)) add_option(app_, name, value, what, {.type = type});
  }

  // Adds a flag that may be repeated.
  void add_list(unsigned kinds, const char* name,
                std::vector<std::string>& values, const char* what,
                const char* type) {
    if (!takes(kinds)) return;
    add_option(app_, name, &values, what,
               {.type = type, .is_repeatable = true});
  }

  void add_flag(unsigned kinds, const char* name, bool& value,
                const char* what) {
    if (takes(kinds)) add_switch(app_, name, value, what);
  }

 private:
  bool takes(unsigned kinds) const { return (kinds & bit(kind_)) != 0; }

  CLI::App& app_;
  EvolveKind kind_;
};

}  // namespace

void EvolveFlags::add_to(CLI::App& app) {
  if (kind_ == EvolveKind::Program) {
    add_option(app, "DIR", &data_, "Folder with program.py and evaluate.py");
  } else {
    add_option(app, "DATA", &data_,
               "CSV file, also .gz or .zst; - for standard input");
  }
  add_data(app);
  add_limits(app);
  add_net(app);
  add_search(app);
  add_record_flags(app, record_);
}

void EvolveFlags::add_data(CLI::App& app) {
  FlagAdder to(app, kind_);
  to.add(kTables, "--target", &target_, "Column to predict", "COLUMN");
  to.add(kTables, "--encoding", &encoding_,
         "Encoding of the files, such as latin1 (default: utf-8)", "NAME");
  to.add(kNet, "--ignore", &net_.ignore,
         "Columns to ignore, separated by commas", "COLUMNS");
  to.add(kFn, "--inputs", &search_.inputs,
         "Columns to use, separated by commas (default: all numeric)",
         "COLUMNS");
  to.add_list(kNet, "--test", tests_, "CSV file to test the result on", "FILE");
  to.add_list(kFn, "--test", tests_,
              "CSV file to test the result on; may be repeated", "FILE");
  to.add(kNet, "--test-split", &net_.test_split,
         "Share of the rows held out for the test (default: 0.2)", "SHARE");
}

void EvolveFlags::add_limits(CLI::App& app) {
  FlagAdder to(app, kind_);
  to.add_list(kNet, "--budget", budget_,
              "Stop after 60s, 30min, 500gen or 10000eval (default: 30s)",
              "LIMIT");
  to.add_list(kSearches, "--budget", budget_,
              "Stop after 60s, 30min, 10000eval, 5usd or 1Mtok "
              "(default: 30s)",
              "LIMIT");
  to.add(kNet, "--islands", &islands_, "Number of islands (default: 1)", "N");
  to.add(kSearches, "--islands", &islands_, "Number of islands (default: 10)",
         "N");
  to.add(kAll, "--seed", &seed_, "Random seed (default: 1)", "N");
  to.add(kNet, "--seeds", &net_.seeds,
         "Run the seeds 1 to K and summarize them", "K");
  to.add(kNet, "--out", &out_, "Folder for the results (default: DATA-net)",
         "DIR");
  to.add(kFn, "--out", &out_, "Folder for the results (default: DATA-fn)",
         "DIR");
  to.add(kProgram, "--out", &out_,
         "Folder for the results (default: DIR-program)", "DIR");
  to.add(kAll, "--crew", &crew_, kCrewSummary, "URL");
  to.add_flag(kAll, "--force", is_forced_,
              "Write into the folder even if it has other files or a run of "
              "another command");
  to.add(kAll, "--resume", &resume_,
         "Resume the run in this folder; --budget may differ", "DIR");
}

void EvolveFlags::add_net(CLI::App& app) {
  FlagAdder to(app, kind_);
  to.add(kNet, "--task", &net_.task, "Type of the prediction (default: auto)",
         "auto|classify|regress");
  to.add_flag(kNet, "--single", net_.is_single,
              "Return the best evolved network instead of an ensemble");
  to.add_flag(kNet, "--series", net_.is_series,
              "Treat the rows as consecutive steps in time");
  to.add(kNet, "--horizon", &net_.horizon,
         "Rows ahead to predict, with --series (default: 1)", "N");
  to.add(kNet, "--lags", &net_.lags,
         "Past changes that are inputs, with --series (default: by the data)",
         "N");
  to.add(kNet, "--grain", &net_.grain, "Unit of growth (default: both)",
         "neuron|layer|both");
  to.add(kNet, "--strategy", &net_.strategy,
         "Search strategy (default: cascade)", strategy_choices());
  to.add(kNet, "--metric", &net_.metric,
         "Metric, such as accuracy, f1, r2, rmse (default: by target)", "NAME");
  to.add(kNet, "--goal", &net_.goal,
         "Stop when the metric reaches X on the validation rows", "X");
}

void EvolveFlags::add_search(CLI::App& app) {
  FlagAdder to(app, kind_);
  to.add(kSearches, "--engine", &search_.engine,
         "Genetic programming, a model, or both (default: gp)", "gp|llm|mix");
  to.add(kSearches, "--problem", &search_.problem,
         "Description of the problem for the model: text or a file",
         "TEXT|FILE");
  to.add(kFn, "--seed-equation", &search_.seed_equation,
         "Start from a formula such as 'a*x + b', or a Python file", "FORMULA");
  to.add(kSearches, "--functions", &search_.functions,
         "Functions to use besides + - * /, such as sin,exp,pow", "NAMES");
  to.add(kFn, "--units", &search_.units,
         "Units of all columns, as in x=m,t=s,v=m/s; only consistent laws",
         "UNITS");
  to.add(kFn, "--max-size", &search_.max_size,
         "Maximum nodes per formula (default: 60)", "N");
  to.add(kProgram, "--max-size", &search_.max_size,
         "Maximum nodes per function (default: 40)", "N");
  to.add(kFn, "--parallel", &search_.parallel,
         "Number of threads; does not affect results (default: --threads)",
         "N");
  to.add(kProgram, "--parallel", &search_.parallel,
         "Evaluations at the same time (default: --threads)", "N");
  to.add_list(kSearches, "--reset", search_.reset,
              "How often to reset the worse islands: 2000eval, 30min, never",
              "PERIOD");
  to.add(kSearches, "--preset", &search_.preset,
         "Resets every 30min from the best of all, raw scores, characters",
         "seed");
  to.add(kProgram, "--goal", &search_.goal, "Stop when the score reaches X",
         "X");
  to.add(kProgram, "--time-limit", &search_.time_limit,
         "Time for one evaluation (default: 10s)", "TIME");
  to.add(kProgram, "--memory-limit", &search_.memory_limit,
         "Memory for one evaluation (default: 1GB)", "SIZE");
}

NetFlags EvolveFlags::net_flags() const {
  NetFlags flags = net_;
  flags.data = data_;
  flags.target = target_;
  flags.encoding = encoding_;
  // net takes one budget and one test file; the last one wins.
  if (!budget_.empty()) flags.budget = budget_.back();
  if (!tests_.empty()) flags.test = tests_.back();
  flags.islands = islands_;
  flags.seed = seed_;
  flags.out = out_;
  flags.resume = resume_;
  flags.is_forced = is_forced_;
  flags.crew = crew_;
  return flags;
}

SearchFlags EvolveFlags::search_flags() const {
  SearchFlags flags = search_;
  flags.data = data_;
  flags.target = target_;
  flags.encoding = encoding_;
  flags.budget = budget_;
  flags.tests = tests_;
  flags.islands = islands_;
  flags.seed = seed_;
  flags.out = out_;
  flags.resume = resume_;
  flags.is_forced = is_forced_;
  flags.crew = crew_;
  return flags;
}

}  // namespace lamarck::cli
