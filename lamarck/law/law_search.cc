#include "lamarck/law/law_search.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/archipelago/checkpoint.h"
#include "lamarck/archipelago/evolver.h"
#include "lamarck/archipelago/journal_replay.h"
#include "lamarck/archipelago/mix_engine.h"
#include "lamarck/archipelago/spawn_evolver.h"
#include "lamarck/base/hash.h"
#include "lamarck/base/macros.h"
#include "lamarck/gp/foresight_trial.h"
#include "lamarck/gp/gp_engine.h"
#include "lamarck/gp/regression_evaluator.h"
#include "lamarck/law/law_foresight.h"
#include "lamarck/law/law_polish.h"

namespace lamarck::law {
namespace {

using archipelago::FormulaSkeleton;
using archipelago::Function;
using archipelago::kJournalName;
using archipelago::MutationEngine;
using gp::RegressionProblem;

// Near the rounding of doubles on the rows it was fitted to, and next to it
// where it was not: long sums of smooth terms get as far as 1e-27.
constexpr double kExact = 3e-28;
constexpr double kExactlyForetold = 1e-25;
constexpr std::size_t kLeastRowsToHide = 60;
constexpr double kHidden = 0.1;  // Share of the rows.
constexpr std::int64_t kGpReset = 400'000;
constexpr std::int64_t kModelReset = 2'000;
constexpr std::int64_t kAfterExact = 40'000;  // Evaluations, at least.

// Rows to learn from, and rows that only judge a new best.
struct SplitProblem {
  RegressionProblem seen;
  RegressionProblem hidden;  // May be empty.
};

RegressionProblem rows_of(const RegressionProblem& problem,
                          const std::vector<std::size_t>& rows) {
  RegressionProblem some;
  some.input_names = problem.input_names;
  some.target_name = problem.target_name;
  const auto gathered = [&](const std::vector<double>& values) {
    std::vector<double> result;
    result.reserve(rows.size());
    for (const std::size_t row : rows) result.push_back(values[row]);
    return result;
  };
  for (const auto& column : problem.inputs) {
    some.inputs.push_back(gathered(column));
  }
  some.target = gathered(problem.target);
  return some;
}

SplitProblem split(const RegressionProblem& problem, std::uint64_t seed) {
  if (problem.rows() < kLeastRowsToHide) return {problem, {}};
  Rng rng = Rng(seed).split("hidden rows");
  std::vector<std::size_t> seen;
  std::vector<std::size_t> hidden;
  for (std::size_t row = 0; row < problem.rows(); ++row) {
    (rng.chance(kHidden) ? hidden : seen).push_back(row);
  }
  return {rows_of(problem, seen), rows_of(problem, hidden)};
}

formula::Formula constant_formula(const RegressionProblem& problem) {
  formula::ExpressionBuilder builder;
  formula::Formula formula;
  formula.inputs = problem.input_names;
  formula.body = builder.finish(builder.param(0));
  return formula;
}

std::string fingerprint_of(const RegressionProblem& problem) {
  Sha256 hash;
  const auto add = [&](const std::string& name,
                       const std::vector<double>& values) {
    hash.update(name);
    hash.update(std::string_view(reinterpret_cast<const char*>(values.data()),
                                 values.size() * sizeof(double)));
  };
  for (std::size_t i = 0; i < problem.inputs.size(); ++i) {
    add(problem.input_names[i], problem.inputs[i]);
  }
  add(problem.target_name, problem.target);
  return hash.finish();
}

// Hears of every function that is stored, in an order that does not depend on
// threads, and keeps what the end of the run needs.
class LawRecorder {
 public:
  // Without a problem nothing is asked of what laws foretell.
  explicit LawRecorder(const RegressionProblem* problem) : problem_(problem) {
    if (problem != nullptr) folds_ = foresight_folds(*problem, 1500);
  }

  void take(const archipelago::FunctionPtr& fn) {
    const auto* skeleton =
        dynamic_cast<const FormulaSkeleton*>(fn->skeleton().get());
    if (skeleton == nullptr || fn->evaluation().failure) return;
    known_.emplace(fn->id(), fn);
    Law law;
    law.formula = skeleton->formula();
    law.params = fn->evaluation().constants;
    law.size = skeleton->size();
    law.nmse = -fn->score();
    law.id = fn->id();
    if (law.nmse < gp::kSuspicious && !folds_.empty()) {
      law.foretold =
          foretold_nmse(law.formula.body, law.params, *problem_, folds_);
    }
    const std::size_t before = exact_size();
    front_.insert(std::move(law));
    if (exact_size() < before) has_shrunk_ = true;
  }

  const LawFront& front() const { return front_; }
  // Whether the smallest exact law is smaller than when last asked.
  bool has_shrunk() { return std::exchange(has_shrunk_, false); }
  bool has_exact() const {
    return exact_size() != std::numeric_limits<std::size_t>::max();
  }

  std::vector<LawAncestor> lineage(std::uint64_t id) const {
    std::vector<LawAncestor> ancestors;
    for (auto at = known_.find(id);
         at != known_.end() && ancestors.size() < 200;) {
      const Function& fn = *at->second;
      const auto& skeleton =
          dynamic_cast<const FormulaSkeleton&>(*fn.skeleton());
      ancestors.push_back({.id = fn.id(),
                           .engine = fn.origin().engine,
                           .move = fn.origin().move,
                           .formula = formula::to_infix(
                               skeleton.formula(), &fn.evaluation().constants),
                           .nmse = -fn.score(),
                           .size = skeleton.size()});
      // The best parent is the last one.
      const auto& parents = fn.origin().parents;
      at = parents.empty() || parents.back() >= fn.id()
               ? known_.end()
               : known_.find(parents.back());
    }
    std::reverse(ancestors.begin(), ancestors.end());
    return ancestors;
  }

 private:
  std::size_t exact_size() const {
    for (const Law& law : front_.laws()) {
      if (law.nmse < kExact && law.foretold < kExactlyForetold) {
        return law.size;
      }
    }
    return std::numeric_limits<std::size_t>::max();
  }

  const RegressionProblem* problem_;
  std::vector<ForesightFold> folds_;
  LawFront front_;
  std::map<std::uint64_t, archipelago::FunctionPtr> known_;
  bool has_shrunk_ = false;
};

void polish_front(LawSearchResult& result, const LawRecorder& recorder,
                  const RegressionProblem& problem) {
  LawFront front;
  const std::vector<ForesightFold> folds = foresight_folds(problem);
  for (const Law& law : recorder.front().laws()) {
    for (Law& better : polished(law, problem)) {
      if (!folds.empty()) {
        better.foretold =
            foretold_nmse(better.formula.body, better.params, problem, folds);
      }
      front.insert(std::move(better));
    }
  }
  result.front = front.laws();
  if (result.front.empty()) return;
  result.best = chosen_law(result.front, problem);
  result.lineage = recorder.lineage(result.front[result.best].id);
}

archipelago::EvolverOptions suited(const LawSearchOptions& options) {
  archipelago::EvolverOptions evolver = options.evolver;
  archipelago::ResetPeriod& reset = evolver.reset_period;
  if (!reset.evaluations && !reset.time) {
    reset.evaluations =
        options.engine == LawEngine::Llm ? kModelReset : kGpReset;
  }
  // What a model answered was paid for: none of it may be lost.
  if (options.engine != LawEngine::Gp) {
    evolver.checkpoint_period = std::chrono::milliseconds(0);
  }
  if (options.engine != LawEngine::Llm) {
    // A burst that finds nothing is no fault of the genetic engine.
    evolver.most_errors_in_row = std::numeric_limits<std::size_t>::max();
    evolver.most_duplicates_in_row = std::numeric_limits<std::size_t>::max();
  }
  return evolver;
}

Result<std::shared_ptr<MutationEngine>> engine_of(
    const LawSearchOptions& options, const RegressionProblem& seen,
    const std::shared_ptr<const archipelago::Evaluator>& evaluator,
    Clock& clock, Budget& model_budget) {
  std::vector<std::shared_ptr<MutationEngine>> engines;
  if (options.engine != LawEngine::Gp) {
    if (options.model == nullptr) {
      return Error(ErrorCode::InvalidArgument,
                   "The engines llm and mix need a language model; set "
                   "OPENAI_BASE_URL and the model, or use --engine gp.");
    }
    engines.push_back(std::make_shared<archipelago::LlmEngine>(
        options.model,
        archipelago::formula_reply_reader("equation", seen.input_names),
        evaluator, options.llm, clock, &model_budget));
  }
  if (options.engine != LawEngine::Llm) {
    engines.push_back(std::make_shared<gp::GpEngine>(
        seen, options.gp, options.evolver.num_islands, options.evolver.seed,
        evaluator));
  }
  if (engines.size() == 1) return engines[0];
  return std::shared_ptr<MutationEngine>(
      std::make_shared<archipelago::MixEngine>(std::move(engines)));
}

// Ends the run some time after an exact law: as long again, for a shorter one.
class StopRule {
 public:
  bool is_over(LawRecorder& recorder, std::int64_t evaluations) {
    if (!recorder.has_exact()) return false;
    if (recorder.has_shrunk() || end_ == 0) {
      end_ = evaluations + std::max(kAfterExact, evaluations);
      end_ = std::max(end_, evaluations + kAfterExact);
    }
    return evaluations >= end_;
  }

 private:
  std::int64_t end_ = 0;
};

// What a run heard and decided, again from its journal.
class LawMemory {
 public:
  LawMemory(LawRecorder& recorder, StopRule& rule)
      : recorder_(recorder), rule_(rule) {}

  Result<void> apply(const Json& line) {
    ASSIGN_OR_RETURN(const auto event, json_field<std::string>(line, "event"));
    if (event == "first") {
      ASSIGN_OR_RETURN(const auto record,
                       archipelago::first_record_from(line, reading_));
      recorder_.take(record.fn);
    } else if (event == "function") {
      ASSIGN_OR_RETURN(const auto record,
                       archipelago::function_record_from(line, reading_));
      const bool is_kept = record.fate != archipelago::Fate::Duplicate;
      if (is_kept && !record.is_rejected) recorder_.take(record.fn);
    } else if (event == "cycle") {
      ASSIGN_OR_RETURN(const auto record, archipelago::cycle_record_from(line));
      is_over_ = rule_.is_over(recorder_, record.evaluations);
    }
    return {};
  }
  bool is_over() const { return is_over_; }

 private:
  LawRecorder& recorder_;
  StopRule& rule_;
  archipelago::FunctionReading reading_{archipelago::formula_reader(), nullptr};
  bool is_over_ = false;
};

// Profilers do not hear of the functions that the islands begin with.
void take_first(const archipelago::EvolverParts& parts, LawRecorder& recorder,
                const CancelToken& cancel) {
  std::uint64_t id = 0;
  for (const archipelago::SkeletonPtr& skeleton : parts.first) {
    archipelago::Origin origin;
    origin.engine = "seed";
    const auto fn = std::make_shared<Function>(++id, skeleton, parts.evaluator,
                                               std::move(origin));
    fn->evaluate(cancel);
    recorder.take(fn);
  }
}

constexpr const char* kExactReason =
    "An exact law was found, and no shorter one after as many trials again.";

// Up to where the run goes on. Returns whether it is over already.
Result<bool> remember(const std::filesystem::path& folder,
                      LawRecorder& recorder, StopRule& rule) {
  ASSIGN_OR_RETURN(
      const archipelago::Checkpoint checkpoint,
      archipelago::load_checkpoint(folder / archipelago::kCheckpointName));
  LawMemory memory(recorder, rule);
  RETURN_IF_ERROR(archipelago::read_journal(
      folder / kJournalName,
      [&](const Json& line) { return memory.apply(line); },
      &checkpoint.journal));
  return memory.is_over();
}

}  // namespace

namespace {

Result<std::uint64_t> seed_of(const std::filesystem::path& journal) {
  std::optional<Result<archipelago::RunRecord>> run;
  ASSIGN_OR_RETURN(
      const archipelago::JournalPlace end,
      archipelago::read_journal(journal, [&](const Json& line) -> Result<void> {
        if (!run) run = archipelago::run_record_from(line);
        return {};
      }));
  if (!run || end.lines == 0) {
    return Error(ErrorCode::DataDamaged, "The journal of the run is empty.");
  }
  RETURN_IF_ERROR(*run);
  return run->value().options.seed;
}

}  // namespace

Result<LawSearchResult> replayed_laws(const std::filesystem::path& folder,
                                      const RegressionProblem* problem) {
  SplitProblem rows;
  if (problem != nullptr) {
    ASSIGN_OR_RETURN(const std::uint64_t seed, seed_of(folder / kJournalName));
    rows = split(*problem, seed);
  }
  LawRecorder recorder(problem == nullptr ? nullptr : &rows.seen);
  StopRule rule;
  LawMemory memory(recorder, rule);
  Result<void> heard;
  ASSIGN_OR_RETURN(
      const archipelago::ReplayedRun run,
      archipelago::replay(folder / kJournalName, [&](const Json& line) {
        if (heard) heard = memory.apply(line);
      }));
  if (!heard) return heard.error();
  LawSearchResult result;
  result.counts = run.state->counts();
  if (memory.is_over()) {
    result.end = archipelago::EvolverEnd::Goal;
    result.reason = kExactReason;
  }
  if (problem != nullptr) {
    polish_front(result, recorder, *problem);
    return result;
  }
  result.front = recorder.front().laws();
  if (result.front.empty()) return result;
  result.best = result.front.size() - 1;
  result.lineage = recorder.lineage(result.front.back().id);
  return result;
}

Result<LawSearchResult> find_laws(
    const RegressionProblem& problem, const LawSearchOptions& options,
    const std::function<void(const LawProgress&)>& watch,
    const CancelToken& cancel) {
  SystemClock clock;
  const SplitProblem rows = split(problem, options.evolver.seed);
  const auto evaluator = std::make_shared<gp::RegressionEvaluator>(rows.seen);
  // Set aside before each call, so that calls side by side cannot overstep it.
  Budget model_budget({.tokens = options.evolver.budget.tokens,
                       .money_micros = options.evolver.budget.money_micros},
                      clock);
  ASSIGN_OR_RETURN(
      const std::shared_ptr<MutationEngine> engine,
      engine_of(options, rows.seen, evaluator, clock, model_budget));
  archipelago::EvolverParts parts;
  parts.engine = engine;
  parts.evaluator = evaluator;
  for (const formula::Formula& seed : options.seeds) {
    parts.first.push_back(std::make_shared<FormulaSkeleton>(seed));
  }
  parts.first.push_back(
      std::make_shared<FormulaSkeleton>(constant_formula(problem)));
  if (rows.hidden.rows() > 0) {
    parts.confirm = [&](const Function& fn) {
      const auto* skeleton =
          dynamic_cast<const FormulaSkeleton*>(fn.skeleton().get());
      if (skeleton == nullptr) return false;
      const double nmse = law_nmse(skeleton->formula().body,
                                   fn.evaluation().constants, rows.hidden);
      return nmse <= std::max(100 * -fn.score(), 1e-18);
    };
  }
  parts.folder = options.folder;
  parts.is_resumed = options.is_resumed;
  parts.reader = archipelago::formula_reader();
  parts.fingerprint = fingerprint_of(problem);
  parts.clock = &clock;

  LawRecorder recorder(&rows.seen);
  StopRule rule;
  bool is_exact = false;
  if (options.is_resumed && options.folder) {
    ASSIGN_OR_RETURN(const bool is_over,
                     remember(*options.folder, recorder, rule));
    if (is_over) return replayed_laws(*options.folder, &problem);
  }
  if (!options.is_resumed) take_first(parts, recorder, cancel);
  archipelago::Evolver evolver(suited(options), std::move(parts));
  evolver.use_cluster_profiler([&](const archipelago::ClusterEvent& event) {
    if (const auto* added = std::get_if<archipelago::OnFnAdded>(&event)) {
      recorder.take(added->payload);
    }
  });
  const auto began = clock.elapsed();
  evolver.use_profiler([&](const archipelago::EvolverEvent& event) {
    const auto* ended = std::get_if<archipelago::OnCycleEnded>(&event);
    if (ended == nullptr) return;
    if (watch && !recorder.front().laws().empty()) {
      LawProgress progress;
      progress.counts = ended->payload.counts;
      progress.best_nmse = recorder.front().laws().back().nmse;
      progress.best_size = recorder.front().laws().back().size;
      for (const double score : ended->payload.island_scores) {
        progress.island_nmse.push_back(-score);
      }
      progress.elapsed = clock.elapsed() - began;
      watch(progress);
    }
    if (rule.is_over(recorder, ended->payload.counts.evaluations)) {
      is_exact = true;
      evolver.stop();
    }
  });
  ASSIGN_OR_RETURN(const archipelago::EvolverOutcome outcome,
                   evolver.run(cancel));
  LawSearchResult result;
  result.counts = outcome.counts;
  result.end = is_exact ? archipelago::EvolverEnd::Goal : outcome.end;
  result.reason = is_exact ? kExactReason : outcome.reason;
  polish_front(result, recorder, problem);
  return result;
}

}  // namespace lamarck::law
