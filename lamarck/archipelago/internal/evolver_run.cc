#include "lamarck/archipelago/internal/evolver_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lamarck/archipelago/evolver_deadline.h"
#include "lamarck/archipelago/internal/evolver_ending.h"
#include "lamarck/base/ensure.h"
#include "lamarck/base/macros.h"
#include "lamarck/crew/crew.h"

namespace lamarck::archipelago {

EvolverRun::EvolverRun(EvolverOptions options, EvolverParts parts)
    : options_(options),
      parts_(std::move(parts)),
      clock_(parts_.clock != nullptr ? *parts_.clock : system_clock_),
      recorder_(options_, parts_) {
  REQUIRE(parts_.engine != nullptr, "EvolverParts: engine is null; set it.");
  REQUIRE(parts_.evaluator != nullptr,
          "EvolverParts: evaluator is null; set it.");
  REQUIRE(options_.num_parallel > 0,
          "EvolverOptions: num_parallel must be at least 1, got {}.",
          options_.num_parallel);
  state_ = std::make_unique<EvolverState>(options_, *parts_.engine);
  if (parts_.crew == nullptr || parts_.is_crew_of_engine) return;
  REQUIRE(parts_.reader != nullptr,
          "EvolverParts: a crew needs reader; set it.");
  crew_.emplace(*parts_.crew, parts_.reader, parts_.evaluator);
}

void EvolverRun::open(const CancelToken& cancel) {
  const std::lock_guard lock(mutex_);
  source_ = std::make_shared<CancelSource>(cancel);
}

void EvolverRun::stop() {
  const std::lock_guard lock(mutex_);
  if (source_ != nullptr) source_->cancel("The run was asked to stop.");
}

Result<EvolverOutcome> EvolverRun::run() {
  const std::shared_ptr<CancelSource> source = source_;
  const CancelToken cancel = source->token();
  if (!state_->has_islands()) RETURN_IF_ERROR(begin(cancel));
  Budget budget(options_.budget, clock_, history_);
  const EvolverDeadline deadline(budget, *source);
  ThreadPool pool(options_.num_parallel);
  final_error_.reset();
  std::optional<Ending> ending;
  while (!(ending = find_ending(options_, *state_, budget, cancel)) &&
         !(ending = find_engine_ending(options_, *state_, parts_.engine->name(),
                                       final_error_)) &&
         !(ending = find_own_ending(*parts_.engine))) {
    RETURN_IF_ERROR(cycle(budget, pool, cancel));
  }
  RETURN_IF_ERROR(end(budget));
  if (parts_.crew != nullptr) RETURN_IF_ERROR(parts_.crew->end_stage(""));
  return EvolverOutcome{.best = state_->best(),
                        .end = ending->end,
                        .reason = with_notes(ending->reason, *parts_.engine),
                        .counts = state_->counts()};
}

Result<void> EvolverRun::end(Budget& budget) {
  history_ = {budget.spent(), budget.wall_time_spent()};
  // An interrupted cycle leaves the engine mid-cycle, so its state cannot be
  // saved. The last checkpoint stays valid.
  if (is_cycle_cut_) return recorder_.save_spending(history_);
  if (recorder_.is_saved(*state_)) return recorder_.flush();
  return save(budget);
}

Result<void> EvolverRun::begin(const CancelToken& cancel) {
  const auto start = clock_.elapsed() - parts_.time_spent;
  RETURN_IF_ERROR(parts_.is_resumed ? resume() : create_islands(cancel));
  for (const auto& island : state_->islands()) forward_events(*island);
  best_island_ = state_->best_island();
  best_score_ = state_->best()->score();
  parts_.engine->see_best(state_->best());
  if (parts_.is_resumed) return {};
  last_reset_ = last_save_ = clock_.elapsed();
  history_.spent.evaluations = state_->counts().evaluations;
  history_.wall_time = std::chrono::duration_cast<std::chrono::milliseconds>(
      clock_.elapsed() - start);
  return recorder_.save(*state_, history_, std::chrono::milliseconds(0));
}

Result<void> EvolverRun::resume() {
  ASSIGN_OR_RETURN(EvolverRecorder::Resumed resumed, recorder_.resume());
  state_ = std::move(resumed.state);
  history_ = resumed.history;
  parts_.engine->add_spent(history_.spent);
  history_.wall_time +=
      std::chrono::duration_cast<std::chrono::milliseconds>(parts_.time_spent);
  last_save_ = clock_.elapsed();
  last_reset_ = clock_.elapsed() - resumed.since_reset;
  return {};
}

Result<void> EvolverRun::create_islands(const CancelToken& cancel) {
  if (parts_.first.empty()) {
    return Error(ErrorCode::InvalidArgument,
                 "EvolverParts: first must contain at least one function.");
  }
  Budget budget(
      {.wall_time = options_.budget.wall_time}, clock_,
      {.wall_time = std::chrono::duration_cast<std::chrono::milliseconds>(
           parts_.time_spent)});
  CancelSource limited(cancel);
  const EvolverDeadline deadline(budget, limited);
  std::vector<FunctionPtr> all;
  std::vector<FunctionPtr> first;
  for (const SkeletonPtr& skeleton : parts_.first) {
    const bool is_last_hope =
        first.empty() && all.size() + 1 == parts_.first.size();
    ASSIGN_OR_RETURN(
        all.emplace_back(),
        make_first_function(skeleton, is_last_hope ? cancel : limited.token()));
    RETURN_IF_ERROR(cancel.check());
    if (!all.back()->evaluation().failure) first.push_back(all.back());
  }
  if (first.empty()) {
    // Evaluators report either a phrase or a sentence.
    std::string_view failure = *all.front()->evaluation().failure;
    if (failure.ends_with('.')) failure.remove_suffix(1);
    return Error(
        ErrorCode::InvalidArgument,
        fmt::format("The first function cannot be evaluated: {}. Start "
                    "with one that can.",
                    failure));
  }
  // The folder is created only now, so that an unusable first function leaves
  // none behind.
  RETURN_IF_ERROR(recorder_.create());
  for (const FunctionPtr& fn : all) {
    state_->add_first(*fn);
    recorder_.append(FirstRecord{fn});
  }
  state_->create_islands(first);
  return {};
}

Result<FunctionPtr> EvolverRun::make_first_function(const SkeletonPtr& skeleton,
                                                    const CancelToken& cancel) {
  const auto fn = std::make_shared<Function>(0, skeleton, parts_.evaluator,
                                             Origin{.engine = "seed"});
  prepare(*fn);
  fn->evaluate(cancel);
  return fn;
}

Result<void> EvolverRun::save_if_due(const Budget& budget) {
  if (clock_.elapsed() - last_save_ < options_.checkpoint_period) {
    return recorder_.flush();
  }
  return save(budget);
}

Result<void> EvolverRun::save(const Budget& budget) {
  last_save_ = clock_.elapsed();
  return recorder_.save(*state_, {budget.spent(), budget.wall_time_spent()},
                        std::chrono::duration_cast<std::chrono::milliseconds>(
                            clock_.elapsed() - last_reset_));
}

void EvolverRun::prepare(Function& fn) {
  if (!has_function_profiler) return;
  // Captures a copy, which shares the profilers: functions may outlive the run.
  fn.use_profiler([events = function_events](const FunctionEvent& event) {
    events.send(event);
  });
}

void EvolverRun::forward_events(Island& island) {
  island.use_profiler(
      [this](const IslandEvent& event) { island_events.send(event); });
  if (are_cluster_events_forwarded_) forward_cluster_events(island);
}

void EvolverRun::forward_cluster_events() {
  if (!has_cluster_profiler || are_cluster_events_forwarded_) return;
  are_cluster_events_forwarded_ = true;
  for (const auto& island : state_->islands()) forward_cluster_events(*island);
}

void EvolverRun::forward_cluster_events(Island& island) {
  island.use_cluster_profiler(
      [this](const ClusterEvent& event) { cluster_events.send(event); });
}

}  // namespace lamarck::archipelago
