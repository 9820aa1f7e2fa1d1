#include "lamarck/law/law_search.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "lamarck/archipelago/evolver.h"
#include "lamarck/archipelago/evolver_deadline.h"
#include "lamarck/archipelago/mix_engine.h"
#include "lamarck/archipelago/spawn_evolver.h"
#include "lamarck/base/ensure.h"
#include "lamarck/base/hash.h"
#include "lamarck/base/macros.h"
#include "lamarck/crew/crew.h"
#include "lamarck/formula/exactness.h"
#include "lamarck/gp/gp_engine.h"
#include "lamarck/gp/regression_evaluator.h"
#include "lamarck/law/internal/law_replay.h"
#include "lamarck/law/internal/law_result.h"
#include "lamarck/law/internal/law_rows.h"

namespace lamarck::law {
namespace {

using archipelago::FormulaSkeleton;
using archipelago::Function;
using archipelago::MutationEngine;
using gp::RegressionProblem;

// Evaluations between resets. A genetic engine counts every trial, so its
// period is much longer than that of a language model.
constexpr std::int64_t kGpReset = 400'000;
constexpr std::int64_t kModelReset = 2'000;

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
  if (!problem.weights.empty()) add("weights", problem.weights);
  return hash.finish();
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
    archipelago::LlmEngineOptions llm = options.llm;
    llm.patience.perfect_score = -formula::kNearlyExactNmse;
    engines.push_back(std::make_shared<archipelago::LlmEngine>(
        options.model,
        archipelago::formula_reply_reader("equation", seen.input_names),
        evaluator, std::move(llm), clock, &model_budget));
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

// Records the first functions, since profilers get no events for them. The ids
// are those that the evolver assigns. Removes those that are not evaluated
// within the time, except for the last one, the constant.
void add_first(archipelago::EvolverParts& parts, LawRecorder& recorder,
               const archipelago::EvolverOptions& options,
               std::chrono::nanoseconds time_spent, Clock& clock,
               const CancelToken& cancel) {
  Budget budget(
      {.wall_time = options.budget.wall_time}, clock,
      {.wall_time =
           std::chrono::duration_cast<std::chrono::milliseconds>(time_spent)});
  CancelSource source(cancel);
  const archipelago::EvolverDeadline deadline(budget, source);
  const CancelToken limited = source.token();
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
  for (const Law& law : options.known) {
    if (law.formula.inputs != problem.input_names) continue;
    parts.first.push_back(
        std::make_shared<FormulaSkeleton>(law.formula, law.params));
  }
  parts.first.push_back(
      std::make_shared<FormulaSkeleton>(constant_formula(problem)));
  parts.confirm = make_confirmation(rows.held_out);
  parts.folder = options.folder;
  parts.is_resumed = options.is_resumed;
  parts.reader = archipelago::formula_reader();
  parts.fingerprint = compute_fingerprint(problem);
  parts.clock = &clock;
  parts.crew = options.crew;
  parts.is_crew_of_engine = true;
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
  progress.front = &recorder.front().laws();
  progress.lineage = [&recorder](std::uint64_t id) {
    return recorder.lineage(id);
  };
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
  REQUIRE(options.crew == nullptr || options.engine == LawEngine::Gp,
          "find_laws: {} requires the engine gp.", "a crew");
  SystemClock clock;
  const auto began = clock.elapsed();
  const SplitProblem rows = split_problem(problem, options.evolver.seed);
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
    if (is_over) {
      if (options.crew) RETURN_IF_ERROR(options.crew->end_stage(""));
      return replayed_laws(*options.folder, &problem);
    }
  }
  const auto time_spent = [&] {
    return options.time_spent + clock.elapsed() - began;
  };
  if (!options.is_resumed) {
    add_first(parts, recorder, options.evolver, time_spent(), clock, cancel);
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
  polish_in_time(result, recorder, problem,
                 {.budget = options.evolver.budget.wall_time,
                  .spent = time_spent(),
                  .clock = clock},
                 cancel);
  return result;
}

Result<void> help_find_laws(const RegressionProblem& problem,
                            const LawSearchOptions& options,
                            const CancelToken& cancel) {
  REQUIRE(options.crew != nullptr, "help_find_laws: {} must be set.", "crew");
  const SplitProblem rows = split_problem(problem, options.evolver.seed);
  gp::GpEngine engine(rows.seen, options.gp, options.evolver.num_islands,
                      options.evolver.seed, nullptr, cancel);
  RETURN_IF_ERROR(cancel.check());
  return engine.serve(*options.crew);
}

}  // namespace lamarck::law
