// The members of EvolverRun that run one cycle.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lamarck/archipelago/internal/evolver_ending.h"
#include "lamarck/archipelago/internal/evolver_run.h"
#include "lamarck/base/log.h"
#include "lamarck/base/macros.h"

namespace lamarck::archipelago {
namespace {

// Calls a notification of the engine. An engine may be code of the caller, so
// an exception is logged and does not end the run.
template <class Call>
void notify_engine(const MutationEngine& engine, const Call& call) {
  try {
    call();
  } catch (const std::exception& failure) {
    log_warning(fmt::format("The engine {} threw between mutations: {}",
                            engine.name(), failure.what()));
  }
}

bool is_cut(const Mutation& mutation) { return mutation.is_cut; }

}  // namespace

Result<void> EvolverRun::cycle(Budget& budget, ThreadPool& pool,
                               const CancelToken& cancel) {
  forward_cluster_events();
  const std::uint64_t number = state_->counts().cycles + 1;
  std::size_t count = options_.num_islands;
  // Fewer islands in the last cycle, so that the budget is used up exactly.
  if (const auto left = budget.left(Resource::Evaluations)) {
    count = std::min(count, static_cast<std::size_t>(*left));
  }
  auto costs =
      budget.reserve({.evaluations = static_cast<std::int64_t>(count)});
  if (!costs) return {};  // The time has just run out.
  ASSIGN_OR_RETURN(const std::vector<Mutation> mutations,
                   mutate(count, number, pool, cancel));
  costs->settle(take(mutations, number));
  final_error_ = common_final_error(mutations);
  is_cycle_cut_ = std::any_of(mutations.begin(), mutations.end(), is_cut);
  // A cut cycle does not end: resuming repeats it from the last checkpoint.
  if (is_cycle_cut_) return recorder_.flush();
  RETURN_IF_ERROR(end_cycle(number));
  RETURN_IF_ERROR(save_if_due(budget));
  send_cycle_events(number);
  return {};
}

Result<std::vector<Mutation>> EvolverRun::mutate(std::size_t count,
                                                 std::uint64_t number,
                                                 ThreadPool& pool,
                                                 const CancelToken& cancel) {
  const CycleSetup setup{.options = options_,
                         .state = *state_,
                         .evaluator = parts_.evaluator,
                         .prepare = [this](Function& fn) { prepare(fn); },
                         .clock = clock_,
                         .crew = crew_ ? &*crew_ : nullptr};
  if (parts_.is_crew_of_engine && parts_.crew != nullptr) {
    RETURN_IF_ERROR(prepare_islands(setup, count, number, *parts_.engine,
                                    *parts_.crew, cancel));
  }
  return mutate_islands(setup, count, number, pool, cancel);
}

BudgetAmounts EvolverRun::take(const std::vector<Mutation>& mutations,
                               std::uint64_t number) {
  BudgetAmounts spent;
  const std::int64_t before = state_->counts().evaluations;
  for (std::size_t i = 0; i < mutations.size(); ++i) {
    if (!mutations[i].made) continue;
    const MutationCost& cost = mutations[i].made->cost();
    spent.tokens += cost.tokens_in + cost.tokens_out;
    spent.money_micros += cost.money_micros;
    // A cut mutation has cost tokens, but its result depends on timing.
    if (mutations[i].is_cut) continue;
    MutationContext context = mutation_context(options_, i, number, {});
    context.is_known =
        mutations[i].evaluation_source == EvaluationSource::Duplicate ||
        mutations[i].evaluation_source == EvaluationSource::Reused;
    if (*mutations[i].made) {
      take_function(mutations[i], context);
    } else {
      take_error(mutations[i], context);
    }
  }
  spent.evaluations = state_->counts().evaluations - before;
  return spent;
}

void EvolverRun::take_error(const Mutation& mutation,
                            const MutationContext& context) {
  const Error& error = mutation.made->error();
  ErrorRecord record{.cycle = context.cycle,
                     .island = context.island,
                     .code = std::string(error_code_name(error.code())),
                     .message = error.message(),
                     .origin = mutation.made->origin(),
                     .seconds = mutation.seconds};
  state_->take_error(record.message, record.origin.cost);
  recorder_.append(record);
}

void EvolverRun::take_function(const Mutation& mutation,
                               const MutationContext& context) {
  FunctionRecord record{.cycle = context.cycle,
                        .island = context.island,
                        .fn = **mutation.made,
                        .evaluation_source = mutation.evaluation_source,
                        .gain = {},
                        .seconds = mutation.seconds};
  state_->assign_id(*record.fn);
  record.is_rejected =
      record.evaluation_source != EvaluationSource::Duplicate &&
      state_->would_be_best(*record.fn) && !confirm(*record.fn);
  record.gain = state_->take(record.fn, record.island, record.evaluation_source,
                             record.is_rejected);
  recorder_.append(record);
  notify_engine(*parts_.engine, [&] {
    parts_.engine->learn(context, record.fn, record.gain.is_island_best);
  });
  if (record.is_rejected) events.send(FunctionRejected{record.fn});
}

bool EvolverRun::confirm(const Function& fn) const {
  if (!parts_.confirm) return true;
  try {
    return parts_.confirm(fn);
  } catch (const std::exception& failure) {
    log_warning(fmt::format("The confirmation of function {} threw: {}",
                            fn.id(), failure.what()));
    return false;
  }
}

Result<void> EvolverRun::end_cycle(std::uint64_t number) {
  state_->end_cycle();
  recorder_.append(CycleRecord{.cycle = number,
                               .evaluations = state_->counts().evaluations,
                               .best = state_->best()->id()});
  notify_engine(*parts_.engine, [&] {
    parts_.engine->see_best(state_->best());
    parts_.engine->end_cycle(number);
  });
  return reset_if_due(number);
}

Result<void> EvolverRun::reset_if_due(std::uint64_t number) {
  if (options_.num_islands < 2 || !is_reset_due()) return {};
  const Reset reset = state_->plan_reset(reset_stream(options_.seed, number));
  recorder_.append(ResetRecord{.cycle = number, .reset = reset});
  events.send(IslandsRemoved{reset.removed});  // While they still exist.
  RETURN_IF_ERROR(state_->reset(reset));
  for (const std::size_t i : reset.removed) {
    forward_events(state_->island(i));
    notify_engine(*parts_.engine, [&] {
      parts_.engine->reset_island(i, state_->island(i).best_fn());
    });
  }
  last_reset_ = clock_.elapsed();
  events.send(IslandsRevived{reset.removed});
  return {};
}

bool EvolverRun::is_reset_due() const {
  const ResetPeriod& period = options_.reset_period;
  const std::int64_t evaluations =
      state_->counts().evaluations - state_->evaluations_at_reset();
  return (period.evaluations && evaluations >= *period.evaluations) ||
         (period.time && clock_.elapsed() - last_reset_ >= *period.time);
}

void EvolverRun::send_cycle_events(std::uint64_t number) {
  const double score = state_->best()->score();
  const std::size_t island = state_->best_island();
  if (score > best_score_ || island != best_island_) {
    events.send(BestIslandImproved{island});
  }
  best_score_ = score;
  best_island_ = island;
  if (!has_profiler) return;
  std::vector<double> scores;
  for (const auto& each : state_->islands()) {
    scores.push_back(each->best_fn()->score());
  }
  events.send(CycleEnded{{.cycle = number,
                          .best = state_->best(),
                          .island_scores = std::move(scores),
                          .counts = state_->counts()}});
}

}  // namespace lamarck::archipelago
