#include "lamarck/cli/evolve/evolve_flags.h"

#include <fmt/format.h>

#include "lamarck/base/one_line.h"
#include "lamarck/cli/command_option.h"

namespace lamarck::cli {
namespace {

constexpr const char* kNet = " net ";
constexpr const char* kFn = " fn ";
constexpr const char* kNetFn = " net fn ";
constexpr const char* kSearch = " fn program ";
constexpr const char* kAll = " net fn program ";

// Adds flags of some kinds to a group of the help.
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

  // One that may come several times.
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

std::string commands_of(std::string_view kinds) {
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
  add_option(app, "KIND", &kind_, "What evolves: net, fn or program",
             {.is_required = true});
  add_option(app, "DATA", &data_, "A CSV file; of a program its folder");
  add_shared(app);
  add_net(app);
  add_search(app);
}

void EvolveFlags::add_shared(CLI::App& app) {
  Adder to(app, kinds_, "Flags of all kinds");
  to.add(kNetFn, "--target", &target_, "The column to predict", "COLUMN");
  to.add_list(kAll, "--budget", budget_,
              "Stop after 60s, 10000eval, 500gen, 5usd or 1Mtok "
              "(default: 30s)",
              "LIMIT");
  to.add_list(kNetFn, "--test", tests_,
              "A CSV file to judge the result by; of fn several", "FILE");
  to.add(kAll, "--islands", &islands_,
         "Populations that evolve side by side (default: net 1, else 10)", "N");
  to.add(kAll, "--seed", &seed_, "Decides all that is random (default: 1)",
         "N");
  to.add(kAll, "--out", &out_,
         "Folder for the result and the report (default: DATA-KIND)", "DIR");
  to.add(kAll, "--resume", &resume_,
         "Go on with the run in this folder; --budget may differ", "DIR");
}

void EvolveFlags::add_net(CLI::App& app) {
  Adder to(app, kinds_, "Flags of net");
  to.add(kNet, "--ignore", &net_.ignore,
         "Columns to leave out, with commas between", "COLUMNS");
  to.add(kNet, "--task", &net_.task, "What the target is (default: auto)",
         "auto|classify|regress");
  to.add_flag(kNet, "--series", net_.is_series,
              "Rows are steps in time, in this order");
  to.add(kNet, "--horizon", &net_.horizon,
         "Rows ahead to predict, with --series (default: 1)", "N");
  to.add(kNet, "--grain", &net_.grain, "What grows (default: both)",
         "neuron|layer|both");
  to.add(kNet, "--strategy", &net_.strategy,
         "How it evolves (default: cascade)", "cascade|hill_climb");
  to.add(kNet, "--metric", &net_.metric,
         "What is good: accuracy, f1, r2, rmse... (default: by the target)",
         "NAME");
  to.add(kNet, "--goal", &net_.goal,
         "Stop when the metric is this good on the rows to compare by", "X");
  to.add(kNet, "--test-split", &net_.test_split,
         "The share of the rows to keep apart for a test (default: 0.2)",
         "SHARE");
  to.add(kNet, "--seeds", &net_.seeds, "Run the seeds 1 to K and sum them up",
         "K");
}

void EvolveFlags::add_search(CLI::App& app) {
  Adder to(app, kinds_, "Flags of fn and program");
  to.add(kFn, "--inputs", &search_.inputs,
         "Columns to build formulas from (default: all numbers)", "COLUMNS");
  to.add(kSearch, "--engine", &search_.engine,
         "Genetic programming, a model, or both (default: gp)", "gp|llm|mix");
  to.add(kSearch, "--problem", &search_.problem,
         "What the function is for, in words or as a file, for the model",
         "TEXT|FILE");
  to.add(kFn, "--seed-equation", &search_.seed_equation,
         "Begin with this, such as 'a*x + b', or a Python file", "FORMULA");
  to.add(kSearch, "--functions", &search_.functions,
         "What formulas are made of beside + - * /, such as sin,exp,pow",
         "NAMES");
  to.add(kSearch, "--max-size", &search_.max_size,
         "Nodes of a formula at most (default: fn 60, program 40)", "N");
  to.add(kSearch, "--parallel", &search_.parallel,
         "Threads; they do not change the result (default: --threads)", "N");
  to.add_list(kSearch, "--reset", search_.reset,
              "The worse half of the islands begins again: 2000eval, 30min",
              "PERIOD");
}

Result<void> EvolveFlags::check_kind() const {
  for (const auto& [option, kinds] : kinds_) {
    const bool belongs =
        kinds.find(fmt::format(" {} ", kind_)) != std::string::npos;
    if (belongs || !is_given(*option)) continue;
    return Error(ErrorCode::InvalidArgument,
                 fmt::format("{} is a flag of {}, not of `lamarck evolve {}`.",
                             option_name(*option), commands_of(kinds), kind_));
  }
  return {};
}

NetFlags EvolveFlags::net_flags() const {
  NetFlags flags = net_;
  flags.data = data_;
  flags.target = target_;
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
