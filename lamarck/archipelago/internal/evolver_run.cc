#include "lamarck/archipelago/internal/evolver_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lamarck/archipelago/evolver_deadline.h"
#include "lamarck/archipelago/internal/evolver_ending.h"
#include "lamarck/base/ensure.h"
#include "lamarck/base/macros.h"

namespace lamarck::archipelago {

EvolverRun::EvolverRun(EvolverOptions options, EvolverParts parts)
    : options_(options),
      parts_(std::move(parts)),
      clock_(parts_.clock != nullptr ? *parts_.clock : system_clock_),
      recorder_(options_, parts_) {
  REQUIRE(parts_.engine != nullptr, "EvolverParts: an engine");
  REQUIRE(parts_.evaluator != nullptr, "EvolverParts: an evaluator");
  REQUIRE(options_.num_parallel > 0, "EvolverOptions: a thread");
  state_ = std::make_unique<EvolverState>(options_, *parts_.engine);
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
  if (!state_->is_founded()) RETURN_IF_ERROR(begin(cancel));
  Budget budget(options_.budget, clock_, history_);
  const EvolverDeadline deadline(budget, *source);
  ThreadPool pool(options_.num_parallel);
  final_error_.reset();
  std::optional<Ending> ending;
  while (!(ending = ending_of(options_, *state_, budget, cancel)) &&
         !(ending = ending_of_engine(options_, *state_, parts_.engine->name(),
                                     final_error_))) {
    RETURN_IF_ERROR(cycle(budget, pool, cancel));
  }
  RETURN_IF_ERROR(end(budget));
  return EvolverOutcome{.best = state_->best(),
                        .end = ending->end,
                        .reason = std::move(ending->reason),
                        .counts = state_->counts()};
}

Result<void> EvolverRun::end(Budget& budget) {
  history_ = {budget.spent(), budget.wall_time_spent()};
  if (is_torn_) return recorder_.save_spending(history_);
  if (recorder_.is_saved(*state_)) return recorder_.flush();
  return save(budget);
}

Result<void> EvolverRun::begin(const CancelToken& cancel) {
  const auto start = clock_.elapsed();
  RETURN_IF_ERROR(parts_.is_resumed ? resume() : found(cancel));
  for (const auto& island : state_->islands()) listen(*island);
  best_island_ = state_->best_island();
  best_score_ = state_->best()->score();
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
  last_save_ = clock_.elapsed();
  last_reset_ = clock_.elapsed() - resumed.since_reset;
  return {};
}

Result<void> EvolverRun::found(const CancelToken& cancel) {
  if (parts_.first.empty()) {
    return Error(ErrorCode::InvalidArgument,
                 "There is no function to begin with; give one at least.");
  }
  std::vector<FunctionPtr> all;
  std::vector<FunctionPtr> first;
  for (const SkeletonPtr& skeleton : parts_.first) {
    ASSIGN_OR_RETURN(all.emplace_back(), first_function(skeleton, cancel));
    if (!all.back()->evaluation().failure) first.push_back(all.back());
  }
  if (first.empty()) {
    return Error(ErrorCode::InvalidArgument,
                 fmt::format("The function to begin with cannot be evaluated: "
                             "{}. Begin with one that can.",
                             *all.front()->evaluation().failure));
  }
  RETURN_IF_ERROR(recorder_.create());
  for (const FunctionPtr& fn : all) {
    state_->name_first(*fn);
    recorder_.append(FirstRecord{fn});
  }
  state_->found(first);
  return {};
}

Result<FunctionPtr> EvolverRun::first_function(const SkeletonPtr& skeleton,
                                               const CancelToken& cancel) {
  const auto fn = std::make_shared<Function>(0, skeleton, parts_.evaluator,
                                             Origin{.engine = "seed"});
  prepare(*fn);
  fn->evaluate(cancel);
  RETURN_IF_ERROR(cancel.check());
  return fn;
}

Result<void> EvolverRun::perhaps_save(const Budget& budget) {
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
  if (!hears_functions) return;
  // A copy sends to the same profilers: functions may outlive the run.
  fn.use_profiler([events = function_events](const FunctionEvent& event) {
    events.send(event);
  });
}

void EvolverRun::listen(Island& island) {
  island.use_profiler(
      [this](const IslandEvent& event) { island_events.send(event); });
  if (is_hearing_clusters_) hear_clusters_of(island);
}

void EvolverRun::hear_clusters() {
  if (!hears_clusters || is_hearing_clusters_) return;
  is_hearing_clusters_ = true;
  for (const auto& island : state_->islands()) hear_clusters_of(*island);
}

void EvolverRun::hear_clusters_of(Island& island) {
  island.use_cluster_profiler(
      [this](const ClusterEvent& event) { cluster_events.send(event); });
}

}  // namespace lamarck::archipelago
