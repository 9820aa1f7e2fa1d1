#include "lamarck/cli/evolve/evolve_flags.h"

#include <fmt/format.h>

#include "lamarck/base/one_line.h"
#include "lamarck/cli/command_option.h"

namespace lamarck::cli {
namespace {

// Each kind is surrounded by blanks, so that " net " finds whole words only.
constexpr const char* kNet = " net ";
constexpr const char* kFn = " fn ";
constexpr const char* kNetFn = " net fn ";
constexpr const char* kSearch = " fn program ";
constexpr const char* kAll = " net fn program ";

// Adds flags to a group of the help and records the kinds that take them.
class Adder {
 public:
  Adder(CLI::App& app, std::map<const CLI::Option*, std::string>& kinds,
        std::string group)
      : app_(app), kinds_(kinds), group_(std::move(group)) {}

  void add(const char* kinds, const char* name, OptionValue value,
           const char* what, const char* type) {
    kinds_[add_option(app_, name, value, what,
                      {.type = type, .group = group_})] = kinds;
  }

  // Adds a flag that may be repeated.
  void add_list(const char* kinds, const char* name,
                std::vector<std::string>& values, const char* what,
                const char* type) {
    kinds_[add_option(app_, name, &values, what,
                      {.type = type, .group = group_, .is_repeatable = true})] =
        kinds;
  }

  void add_flag(const char* kinds, const char* name, bool& value,
                const char* what) {
    kinds_[add_switch(app_, name, value, what, group_)] = kinds;
  }

 private:
  CLI::App& app_;
  std::map<const CLI::Option*, std::string>& kinds_;
  std::string group_;
};

// Turns " net fn " into "`lamarck evolve net` and `lamarck evolve fn`".
std::string command_names(std::string_view kinds) {
  std::string text;
  for (const char* kind : {"net", "fn", "program"}) {
    if (kinds.find(fmt::format(" {} ", kind)) == std::string_view::npos) {
      continue;
    }
    text +=
        fmt::format("{}`lamarck evolve {}`", text.empty() ? "" : " and ", kind);
  }
  return text;
}

}  // namespace

void EvolveFlags::add_to(CLI::App& app) {
  add_option(app, "KIND", &kind_, "What to evolve: net, fn or program",
             {.is_required = true});
  add_option(app, "DATA", &data_, "CSV file, or the folder of a program");
  add_shared(app);
  add_net(app);
  add_search(app);
}

void EvolveFlags::add_shared(CLI::App& app) {
  Adder to(app, kinds_, "Common flags");
  to.add(kNetFn, "--target", &target_, "Column to predict", "COLUMN");
  to.add_list(kAll, "--budget", budget_,
              "Stop after 60s, 10000eval, 500gen, 5usd or 1Mtok "
              "(default: 30s)",
              "LIMIT");
  to.add_list(kNetFn, "--test", tests_,
              "CSV file to test the result on; fn accepts several", "FILE");
  to.add(kAll, "--islands", &islands_,
         "Number of islands (default: 1 for net, otherwise 10)", "N");
  to.add(kAll, "--seed", &seed_, "Random seed (default: 1)", "N");
  to.add(kAll, "--out", &out_, "Folder for the results (default: DATA-KIND)",
         "DIR");
  to.add(kAll, "--resume", &resume_,
         "Resume the run in this folder; --budget may differ", "DIR");
}

void EvolveFlags::add_net(CLI::App& app) {
  Adder to(app, kinds_, "Flags for net");
  to.add(kNet, "--ignore", &net_.ignore,
         "Columns to ignore, separated by commas", "COLUMNS");
  to.add(kNet, "--task", &net_.task, "Type of the prediction (default: auto)",
         "auto|classify|regress");
  to.add_flag(kNet, "--series", net_.is_series,
              "Treat the rows as consecutive steps in time");
  to.add(kNet, "--horizon", &net_.horizon,
         "Rows ahead to predict, with --series (default: 1)", "N");
  to.add(kNet, "--grain", &net_.grain, "Unit of growth (default: both)",
         "neuron|layer|both");
  to.add(kNet, "--strategy", &net_.strategy,
         "Search strategy (default: cascade)", "cascade|hill_climb");
  to.add(kNet, "--metric", &net_.metric,
         "Metric, such as accuracy, f1, r2, rmse (default: by target)", "NAME");
  to.add(kNet, "--goal", &net_.goal,
         "Stop when the metric reaches X on the validation rows", "X");
  to.add(kNet, "--test-split", &net_.test_split,
         "Share of the rows held out for the test (default: 0.2)", "SHARE");
  to.add(kNet, "--seeds", &net_.seeds,
         "Run the seeds 1 to K and summarize them", "K");
}

void EvolveFlags::add_search(CLI::App& app) {
  Adder to(app, kinds_, "Flags for fn and program");
  to.add(kFn, "--inputs", &search_.inputs,
         "Columns to use, separated by commas (default: all numeric)",
         "COLUMNS");
  to.add(kSearch, "--engine", &search_.engine,
         "Genetic programming, a model, or both (default: gp)", "gp|llm|mix");
  to.add(kSearch, "--problem", &search_.problem,
         "Description of the problem for the model: text or a file",
         "TEXT|FILE");
  to.add(kFn, "--seed-equation", &search_.seed_equation,
         "Start from a formula such as 'a*x + b', or a Python file", "FORMULA");
  to.add(kSearch, "--functions", &search_.functions,
         "Functions to use besides + - * /, such as sin,exp,pow", "NAMES");
  to.add(kSearch, "--max-size", &search_.max_size,
         "Maximum nodes per formula (default: fn 60, program 40)", "N");
  to.add(kSearch, "--parallel", &search_.parallel,
         "Number of threads; does not affect results (default: --threads)",
         "N");
  to.add_list(kSearch, "--reset", search_.reset,
              "How often to reset the worse islands: 2000eval, 30min, never",
              "PERIOD");
}

Result<void> EvolveFlags::check_kind() const {
  for (const auto& [option, kinds] : kinds_) {
    const bool belongs =
        kinds.find(fmt::format(" {} ", kind_)) != std::string::npos;
    if (belongs || !is_given(*option)) continue;
    return Error(
        ErrorCode::InvalidArgument,
        fmt::format(
            "{} is a flag of {}, not of `lamarck evolve {}`; leave it out.",
            option_name(*option), command_names(kinds), kind_));
  }
  return {};
}

NetFlags EvolveFlags::net_flags() const {
  NetFlags flags = net_;
  flags.data = data_;
  flags.target = target_;
  // net takes one budget and one test file; the last one wins.
  if (!budget_.empty()) flags.budget = budget_.back();
  if (!tests_.empty()) flags.test = tests_.back();
  flags.islands = islands_;
  flags.seed = seed_;
  flags.out = out_;
  flags.resume = resume_;
  return flags;
}

SearchFlags EvolveFlags::search_flags() const {
  SearchFlags flags = search_;
  flags.data = data_;
  flags.target = target_;
  flags.budget = budget_;
  flags.tests = tests_;
  flags.islands = islands_;
  flags.seed = seed_;
  flags.out = out_;
  flags.resume = resume_;
  return flags;
}

}  // namespace lamarck::cli
