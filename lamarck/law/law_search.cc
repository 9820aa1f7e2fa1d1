#include "lamarck/law/law_search.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/archipelago/checkpoint.h"
#include "lamarck/archipelago/evolver.h"
#include "lamarck/archipelago/evolver_deadline.h"
#include "lamarck/archipelago/journal_replay.h"
#include "lamarck/archipelago/mix_engine.h"
#include "lamarck/archipelago/spawn_evolver.h"
#include "lamarck/base/hash.h"
#include "lamarck/base/macros.h"
#include "lamarck/formula/exactness.h"
#include "lamarck/gp/extrapolation_trial.h"
#include "lamarck/gp/gp_engine.h"
#include "lamarck/gp/regression_evaluator.h"
#include "lamarck/law/law_extrapolation.h"
#include "lamarck/law/law_polish.h"

namespace lamarck::law {
namespace {

using archipelago::FormulaSkeleton;
using archipelago::Function;
using archipelago::kJournalName;
using archipelago::MutationEngine;
using gp::RegressionProblem;

constexpr std::size_t kMinRowsToHoldOut = 60;
constexpr double kHeldOutShare = 0.1;
// Evaluations between resets. A genetic engine counts every trial, so its
// period is much longer than that of a language model.
constexpr std::int64_t kGpReset = 400'000;
constexpr std::int64_t kModelReset = 2'000;
constexpr std::int64_t kAfterExact = 40'000;  // Minimum evaluations.

// Rows to fit, and held-out rows that only confirm a new best.
struct SplitProblem {
  RegressionProblem seen;
  RegressionProblem held_out;  // Empty if there are few rows.
};

SplitProblem split(const RegressionProblem& problem, std::uint64_t seed) {
  if (problem.rows() < kMinRowsToHoldOut) return {problem, {}};
  Rng rng = Rng(seed).split("hidden rows");
  std::vector<std::size_t> seen;
  std::vector<std::size_t> held_out;
  for (std::size_t row = 0; row < problem.rows(); ++row) {
    (rng.chance(kHeldOutShare) ? held_out : seen).push_back(row);
  }
  return {gp::pick_rows(problem, seen), gp::pick_rows(problem, held_out)};
}

formula::Formula constant_formula(const RegressionProblem& problem) {
  formula::ExpressionBuilder builder;
  formula::Formula formula;
  formula.inputs = problem.input_names;
  formula.body = builder.finish(builder.param(0));
  return formula;
}

std::string compute_fingerprint(const RegressionProblem& problem) {
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

// Receives every stored function, in an order that does not depend on threads,
// and keeps the front and the ancestors.
class LawRecorder {
 public:
  // Without a problem, extrapolation is not tested.
  explicit LawRecorder(const RegressionProblem* problem) : problem_(problem) {
    if (problem != nullptr) folds_ = make_extrapolation_folds(*problem, 1500);
  }

  void add(const archipelago::FunctionPtr& fn) {
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
    // The test costs a fit, so only suspiciously accurate laws get it.
    if (law.nmse < gp::kSuspicious && !folds_.empty()) {
      law.extrapolated =
          extrapolated_nmse(law.formula.body, law.params, *problem_, folds_);
    }
    const std::size_t before = exact_size();
    front_.insert(std::move(law));
    if (exact_size() < before) has_shrunk_ = true;
  }

  const LawFront& front() const { return front_; }
  // Whether a smaller exact law was found since the last call.
  bool take_shrunk() { return std::exchange(has_shrunk_, false); }
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
      // Parents are ordered from worst to best.
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
      if (law.nmse < formula::kExactNmse &&
          law.extrapolated < formula::kExactBeyondNmse) {
        return law.size;
      }
    }
    return std::numeric_limits<std::size_t>::max();
  }

  const RegressionProblem* problem_;
  std::vector<ExtrapolationFold> folds_;
  LawFront front_;
  std::map<std::uint64_t, archipelago::FunctionPtr> known_;
  bool has_shrunk_ = false;
};

// After the time budget, a tenth of it, but at least this much, is left to
// polish the laws. Without a time budget, all of them are polished.
constexpr std::chrono::milliseconds kMinPolishTime(1000);
// The same after Ctrl-C, for what is nearly done.
constexpr std::chrono::milliseconds kPolishTimeAfterCancel(500);

std::optional<std::chrono::milliseconds> polish_time(
    const archipelago::EvolverOptions& options,
    std::chrono::nanoseconds time_spent, const CancelToken& cancel) {
  if (cancel.is_cancelled()) return kPolishTimeAfterCancel;
  if (!options.budget.wall_time) return std::nullopt;
  const auto limit = *options.budget.wall_time;
  const auto left =
      limit - std::chrono::duration_cast<std::chrono::milliseconds>(time_spent);
  return std::max(left, std::chrono::milliseconds(0)) +
         std::max(kMinPolishTime, limit / 10);
}

// Laws that are not polished in time stay as they are.
void polish_front(LawSearchResult& result, const LawRecorder& recorder,
                  const RegressionProblem& problem, const CancelToken& cancel) {
  LawFront front;
  const std::vector<ExtrapolationFold> folds =
      make_extrapolation_folds(problem);
  for (const Law& law : recorder.front().laws()) {
    if (cancel.is_cancelled()) {
      front.insert(law);
      continue;
    }
    for (Law& better : polish(law, problem, cancel)) {
      if (!folds.empty() && !cancel.is_cancelled()) {
        better.extrapolated = extrapolated_nmse(better.formula.body,
                                                better.params, problem, folds);
      }
      front.insert(std::move(better));
    }
  }
  result.front = front.laws();
  if (result.front.empty()) return;
  result.best = chosen_law(result.front, problem);
  result.lineage = recorder.lineage(result.front[result.best].id);
}

archipelago::EvolverOptions evolver_options(const LawSearchOptions& options) {
  archipelago::EvolverOptions evolver = options.evolver;
  archipelago::ResetPeriod& reset = evolver.reset_period;
  if (!reset.evaluations && !reset.time) {
    reset.evaluations =
        options.engine == LawEngine::Llm ? kModelReset : kGpReset;
  }
  // Answers of a model cost money, so a checkpoint follows every cycle.
  if (options.engine != LawEngine::Gp) {
    evolver.checkpoint_period = std::chrono::milliseconds(0);
  }
  if (options.engine != LawEngine::Llm) {
    // The genetic engine often returns an error or a duplicate, because a burst
    // of trials found nothing new. That must not end the run.
    evolver.max_errors_in_row = std::numeric_limits<std::size_t>::max();
    evolver.max_duplicates_in_row = std::numeric_limits<std::size_t>::max();
  }
  return evolver;
}

Result<std::shared_ptr<MutationEngine>> make_engine(
    const LawSearchOptions& options, const RegressionProblem& seen,
    const std::shared_ptr<const archipelago::Evaluator>& evaluator,
    Clock& clock, Budget& model_budget, const CancelToken& cancel) {
  std::vector<std::shared_ptr<MutationEngine>> engines;
  if (options.engine != LawEngine::Gp) {
    if (options.model == nullptr) {
      return Error(ErrorCode::InvalidArgument,
                   "The engines llm and mix require a model; set "
                   "LawSearchOptions::model, or use the engine gp.");
    }
    engines.push_back(std::make_shared<archipelago::LlmEngine>(
        options.model,
        archipelago::formula_reply_reader("equation", seen.input_names),
        evaluator, options.llm, clock, &model_budget));
  }
  if (options.engine != LawEngine::Llm) {
    engines.push_back(std::make_shared<gp::GpEngine>(
        seen, options.gp, options.evolver.num_islands, options.evolver.seed,
        evaluator, cancel));
    RETURN_IF_ERROR(cancel.check());
  }
  if (engines.size() == 1) return engines[0];
  return std::shared_ptr<MutationEngine>(
      std::make_shared<archipelago::MixEngine>(std::move(engines)));
}

// Ends the run some time after an exact law was found. The same number of
// evaluations again is a fair chance to find a shorter one.
class StopRule {
 public:
  bool is_over(LawRecorder& recorder, std::int64_t evaluations) {
    if (!recorder.has_exact()) return false;
    if (recorder.take_shrunk() || end_ == 0) {
      end_ = evaluations + std::max(kAfterExact, evaluations);
      end_ = std::max(end_, evaluations + kAfterExact);
    }
    return evaluations >= end_;
  }

 private:
  std::int64_t end_ = 0;
};

// Rebuilds the recorder and the stop rule of a run from its journal.
class LawMemory {
 public:
  LawMemory(LawRecorder& recorder, StopRule& rule)
      : recorder_(recorder), rule_(rule) {}

  Result<void> apply(const Json& line) {
    ASSIGN_OR_RETURN(const auto event, json_field<std::string>(line, "event"));
    if (event == "first") {
      ASSIGN_OR_RETURN(const auto record,
                       archipelago::first_record_from(line, reading_));
      recorder_.add(record.fn);
    } else if (event == "function") {
      ASSIGN_OR_RETURN(const auto record,
                       archipelago::function_record_from(line, reading_));
      const bool is_kept =
          record.evaluation_source != archipelago::EvaluationSource::Duplicate;
      if (is_kept && !record.is_rejected) recorder_.add(record.fn);
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

// Records the first functions, since profilers get no events for them. The ids
// are those that the evolver assigns. Removes those that are not evaluated
// before `limited` is cancelled, except for the last one, the constant.
void add_first(archipelago::EvolverParts& parts, LawRecorder& recorder,
               const CancelToken& cancel, const CancelToken& limited) {
  std::vector<archipelago::SkeletonPtr> kept;
  for (const archipelago::SkeletonPtr& skeleton : parts.first) {
    const bool is_last = skeleton == parts.first.back();
    if (!is_last && limited.is_cancelled()) continue;
    archipelago::Origin origin;
    origin.engine = "seed";
    const auto fn = std::make_shared<Function>(
        kept.size() + 1, skeleton, parts.evaluator, std::move(origin));
    fn->evaluate(is_last ? cancel : limited);
    if (!is_last && limited.is_cancelled()) continue;
    recorder.add(fn);
    kept.push_back(skeleton);
  }
  parts.first = std::move(kept);
}

constexpr const char* kExactReason =
    "An exact law was found, and as many evaluations again found no shorter "
    "one.";

// Replays the journal up to the checkpoint. Returns whether the stop rule has
// already ended the run.
Result<bool> replay_to_checkpoint(const std::filesystem::path& folder,
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

Result<std::uint64_t> read_seed(const std::filesystem::path& journal) {
  std::optional<Result<archipelago::RunRecord>> run;
  ASSIGN_OR_RETURN(
      const archipelago::JournalPlace end,
      archipelago::read_journal(journal, [&](const Json& line) -> Result<void> {
        if (!run) run = archipelago::run_record_from(line);
        return {};
      }));
  if (!run || end.lines == 0) {
    return Error(
        ErrorCode::DataDamaged,
        "The journal of the run is empty; start the run again in a new "
        "folder.");
  }
  RETURN_IF_ERROR(*run);
  return run->value().options.seed;
}

}  // namespace

Result<LawSearchResult> replayed_laws(const std::filesystem::path& folder,
                                      const RegressionProblem* problem) {
  SplitProblem rows;
  if (problem != nullptr) {
    ASSIGN_OR_RETURN(const std::uint64_t seed,
                     read_seed(folder / kJournalName));
    rows = split(*problem, seed);
  }
  LawRecorder recorder(problem == nullptr ? nullptr : &rows.seen);
  StopRule rule;
  LawMemory memory(recorder, rule);
  Result<void> applied;
  ASSIGN_OR_RETURN(
      const archipelago::ReplayedRun run,
      archipelago::replay(folder / kJournalName, [&](const Json& line) {
        if (applied) applied = memory.apply(line);
      }));
  if (!applied) return applied.error();
  LawSearchResult result;
  result.counts = run.state->counts();
  if (memory.is_over()) {
    result.end = archipelago::EvolverEnd::Goal;
    result.reason = kExactReason;
  }
  if (problem != nullptr) {
    polish_front(result, recorder, *problem, {});
    return result;
  }
  result.front = recorder.front().laws();
  if (result.front.empty()) return result;
  result.best = result.front.size() - 1;
  result.lineage = recorder.lineage(result.front.back().id);
  return result;
}

namespace {

// A new best must also do well on the held-out rows; a factor of 100 allows for
// noise, and tiny errors for rounding. The rows must outlive the result.
std::function<bool(const Function&)> make_confirmation(
    const RegressionProblem& held_out) {
  if (held_out.rows() == 0) return {};
  return [&held_out](const Function& fn) {
    const auto* skeleton =
        dynamic_cast<const FormulaSkeleton*>(fn.skeleton().get());
    if (skeleton == nullptr) return false;
    const double nmse =
        law_nmse(skeleton->formula().body, fn.evaluation().constants, held_out);
    return nmse <= std::max(100 * -fn.score(), 1e-18);
  };
}

// What the evolver consists of, except for its engine.
archipelago::EvolverParts make_parts(
    const RegressionProblem& problem, const SplitProblem& rows,
    const LawSearchOptions& options,
    std::shared_ptr<gp::RegressionEvaluator> evaluator, Clock& clock) {
  archipelago::EvolverParts parts;
  parts.evaluator = std::move(evaluator);
  for (const formula::Formula& seed : options.seeds) {
    parts.first.push_back(std::make_shared<FormulaSkeleton>(seed));
  }
  parts.first.push_back(
      std::make_shared<FormulaSkeleton>(constant_formula(problem)));
  parts.confirm = make_confirmation(rows.held_out);
  parts.folder = options.folder;
  parts.is_resumed = options.is_resumed;
  parts.reader = archipelago::formula_reader();
  parts.fingerprint = compute_fingerprint(problem);
  parts.clock = &clock;
  return parts;
}

LawProgress make_progress(const archipelago::CycleEnded& ended,
                          const LawRecorder& recorder,
                          std::chrono::nanoseconds elapsed) {
  LawProgress progress;
  progress.counts = ended.payload.counts;
  progress.best_nmse = recorder.front().laws().back().nmse;
  progress.best_size = recorder.front().laws().back().size;
  for (const double score : ended.payload.island_scores) {
    progress.island_nmse.push_back(-score);
  }
  progress.elapsed = elapsed;
  return progress;
}

// Runs the evolver until it ends or the rule finds an exact law, which sets
// `is_exact`.
Result<archipelago::EvolverOutcome> run_evolver(
    archipelago::Evolver& evolver, LawRecorder& recorder, StopRule& rule,
    bool& is_exact, const std::function<void(const LawProgress&)>& watch,
    Clock& clock, const CancelToken& cancel) {
  evolver.use_cluster_profiler([&](const archipelago::ClusterEvent& event) {
    if (const auto* added = std::get_if<archipelago::FnAdded>(&event)) {
      recorder.add(added->payload);
    }
  });
  const auto began = clock.elapsed();
  evolver.use_profiler([&](const archipelago::EvolverEvent& event) {
    const auto* ended = std::get_if<archipelago::CycleEnded>(&event);
    if (ended == nullptr) return;
    if (watch && !recorder.front().laws().empty()) {
      watch(make_progress(*ended, recorder, clock.elapsed() - began));
    }
    if (rule.is_over(recorder, ended->payload.counts.evaluations)) {
      is_exact = true;
      evolver.stop();
    }
  });
  return evolver.run(cancel);
}

}  // namespace

Result<LawSearchResult> find_laws(
    const RegressionProblem& problem, const LawSearchOptions& options,
    const std::function<void(const LawProgress&)>& watch,
    const CancelToken& cancel) {
  SystemClock clock;
  const auto began = clock.elapsed();
  const SplitProblem rows = split(problem, options.evolver.seed);
  const auto evaluator = std::make_shared<gp::RegressionEvaluator>(rows.seen);
  // Reserved before each call, so that concurrent calls cannot exceed it. The
  // evolver counts the same costs in its own budget.
  Budget model_budget({.tokens = options.evolver.budget.tokens,
                       .money_micros = options.evolver.budget.money_micros},
                      clock);
  archipelago::EvolverParts parts =
      make_parts(problem, rows, options, evaluator, clock);
  ASSIGN_OR_RETURN(parts.engine, make_engine(options, rows.seen, evaluator,
                                             clock, model_budget, cancel));
  LawRecorder recorder(&rows.seen);
  StopRule rule;
  if (options.is_resumed && options.folder) {
    ASSIGN_OR_RETURN(const bool is_over,
                     replay_to_checkpoint(*options.folder, recorder, rule));
    if (is_over) return replayed_laws(*options.folder, &problem);
  }
  const auto time_spent = [&] {
    return options.time_spent + clock.elapsed() - began;
  };
  if (!options.is_resumed) {
    Budget budget(
        {.wall_time = options.evolver.budget.wall_time}, clock,
        {.wall_time = std::chrono::duration_cast<std::chrono::milliseconds>(
             time_spent())});
    CancelSource limited(cancel);
    const archipelago::EvolverDeadline deadline(budget, limited);
    add_first(parts, recorder, cancel, limited.token());
  }
  parts.time_spent = time_spent();
  archipelago::Evolver evolver(evolver_options(options), std::move(parts));
  bool is_exact = false;
  ASSIGN_OR_RETURN(
      const archipelago::EvolverOutcome outcome,
      run_evolver(evolver, recorder, rule, is_exact, watch, clock, cancel));
  LawSearchResult result;
  result.counts = outcome.counts;
  result.end = is_exact ? archipelago::EvolverEnd::Goal : outcome.end;
  result.reason = is_exact ? kExactReason : outcome.reason;
  Budget budget(
      {.wall_time = polish_time(options.evolver, time_spent(), cancel)}, clock);
  // Without a parent if the user has cancelled already: half a second is left.
  CancelSource limited(cancel.is_cancelled() ? CancelToken() : cancel);
  const archipelago::EvolverDeadline deadline(budget, limited);
  polish_front(result, recorder, problem, limited.token());
  return result;
}

}  // namespace lamarck::law
