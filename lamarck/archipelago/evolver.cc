#include "lamarck/archipelago/evolver.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <utility>

#include "lamarck/archipelago/evolver_deadline.h"
#include "lamarck/archipelago/evolver_state.h"
#include "lamarck/archipelago/internal/evolver_cycle.h"
#include "lamarck/base/ensure.h"
#include "lamarck/base/log.h"
#include "lamarck/base/thread_pool.h"

namespace lamarck::archipelago {
namespace {

struct Ending {
  EvolverEnd end;
  std::string reason;
};

// Engines are others' code; only what they make may fail.
template <class Call>
void tell_engine(const MutationEngine& engine, const Call& call) {
  try {
    call();
  } catch (const std::exception& failure) {
    log_warning(fmt::format("The engine {} threw between cycles: {}",
                            engine.name(), failure.what()));
  }
}

// To ask again would give the same.
bool is_final(const Error& error) {
  const ErrorCode code = error.code();
  return code == ErrorCode::Unauthenticated || code == ErrorCode::NotFound ||
         code == ErrorCode::PermissionDenied ||
         code == ErrorCode::BudgetExceeded;
}

std::optional<Error> common_final_error(const std::vector<Mutation>& all) {
  std::optional<Error> last;
  for (const Mutation& mutation : all) {
    if (mutation.is_cut) continue;
    if (*mutation.made || !is_final(mutation.made->error())) return {};
    last = mutation.made->error();
  }
  return last;
}

}  // namespace

class Evolver::Run {
 public:
  Run(EvolverOptions options, EvolverParts parts)
      : options_(std::move(options)),
        parts_(std::move(parts)),
        clock_(parts_.clock != nullptr ? *parts_.clock : system_clock_) {
    REQUIRE(parts_.engine != nullptr, "EvolverParts: an engine");
    REQUIRE(parts_.evaluator != nullptr, "EvolverParts: an evaluator");
    REQUIRE(options_.num_parallel > 0, "EvolverOptions: a thread");
    state_ = std::make_unique<EvolverState>(options_, *parts_.engine);
  }

  // Before `run`, in the caller's thread, so that a `stop` right after it is
  // heard.
  void open(const CancelToken& cancel) {
    const std::lock_guard lock(mutex_);
    source_ = std::make_shared<CancelSource>(cancel);
  }
  void stop() {
    const std::lock_guard lock(mutex_);
    if (source_ != nullptr) source_->cancel("The run was asked to stop.");
  }

  Result<EvolverOutcome> run() {
    Budget budget(options_.budget, clock_, history_);
    const EvolverDeadline deadline(budget, *source_);
    const CancelToken cancel = source_->token();
    if (!state_->is_founded()) RETURN_IF_ERROR(found(budget, cancel));
    ThreadPool pool(options_.num_parallel);
    std::optional<Ending> ending;
    while (!(ending = ending_now(budget, cancel))) {
      RETURN_IF_ERROR(cycle(budget, pool, cancel));
    }
    history_ = {budget.spent(), budget.wall_time_spent()};
    return EvolverOutcome{.best = state_->best(),
                          .end = ending->end,
                          .reason = std::move(ending->reason),
                          .counts = state_->counts()};
  }

  const EvolverState& state() const { return *state_; }

  std::thread thread;  // Of a run that was started.
  std::optional<Result<EvolverOutcome>> outcome;
  Profiler<EvolverEvent> events;
  Profiler<IslandEvent> island_events;
  Profiler<ClusterEvent> cluster_events;
  Profiler<FunctionEvent> function_events;
  std::atomic<bool> hears_clusters = false;
  std::atomic<bool> hears_functions = false;

 private:
  Result<void> found(Budget& budget, const CancelToken& cancel) {
    if (parts_.first.empty()) {
      return Error(ErrorCode::InvalidArgument,
                   "There is no function to begin with; give one at least.");
    }
    std::vector<FunctionPtr> first;
    std::string failure;
    for (const SkeletonPtr& skeleton : parts_.first) {
      ASSIGN_OR_RETURN(auto costs, budget.reserve({.evaluations = 1}));
      const auto fn = std::make_shared<Function>(0, skeleton, parts_.evaluator,
                                                 Origin{.engine = "seed"});
      prepare(*fn);
      fn->evaluate(cancel);
      RETURN_IF_ERROR(cancel.check());
      costs.settle({.evaluations = 1});
      state_->name_first(*fn);
      const auto& failed = fn->evaluation().failure;
      if (failed && failure.empty()) failure = *failed;
      if (!failed) first.push_back(fn);
    }
    if (first.empty()) {
      return Error(ErrorCode::InvalidArgument,
                   fmt::format("The function to begin with cannot be "
                               "evaluated: {}. Begin with one that can.",
                               failure));
    }
    state_->found(first);
    for (const auto& island : state_->islands()) listen(*island);
    last_reset_ = clock_.elapsed();
    return {};
  }

  Result<void> cycle(Budget& budget, ThreadPool& pool,
                     const CancelToken& cancel) {
    hear_clusters();
    const std::uint64_t number = state_->counts().cycles + 1;
    const std::size_t best_island = state_->best_island();
    const double best_score = state_->best()->score();
    std::size_t count = options_.num_islands;
    if (const auto left = budget.left(Resource::Evaluations)) {
      count = std::min(count, static_cast<std::size_t>(*left));
    }
    ASSIGN_OR_RETURN(
        auto costs,
        budget.reserve({.evaluations = static_cast<std::int64_t>(count)}));
    const auto mutations =
        mutate_islands({.options = options_,
                        .state = *state_,
                        .evaluator = parts_.evaluator,
                        .prepare = [this](Function& fn) { prepare(fn); },
                        .clock = clock_},
                       count, number, pool, cancel);
    BudgetAmounts spent;
    const std::int64_t before = state_->counts().evaluations;
    bool is_whole = true;
    for (std::size_t i = 0; i < count; ++i) {
      const MutationCost cost = cost_of(mutations[i]);
      spent.tokens += cost.tokens_in + cost.tokens_out;
      spent.money_micros += cost.money_micros;
      is_whole = is_whole && !mutations[i].is_cut;
      if (mutations[i].is_cut) continue;
      take(mutations[i], mutation_context(options_, i, number, cancel));
    }
    spent.evaluations = state_->counts().evaluations - before;
    costs.settle(spent);
    final_error_ = common_final_error(mutations);
    if (!is_whole) return {};  // The engine stands between two cycles.
    state_->end_cycle();
    tell_engine(*parts_.engine, [&] { parts_.engine->end_cycle(number); });
    RETURN_IF_ERROR(perhaps_reset(number));
    send_cycle_events(number, best_island, best_score);
    return {};
  }

  void take(const Mutation& mutation, const MutationContext& context) {
    if (!*mutation.made) {
      const Error& error = mutation.made->error();
      state_->take_error(error.message(), cost_of(mutation));
      return;
    }
    const FunctionPtr& fn = **mutation.made;
    state_->name(*fn);
    const bool is_rejected = mutation.fate != Fate::Duplicate &&
                             state_->would_be_best(*fn) && !confirm(*fn);
    const Gain gain =
        state_->take(fn, context.island, mutation.fate, is_rejected);
    tell_engine(*parts_.engine, [&] {
      parts_.engine->learn(context, fn, gain.is_island_best);
    });
    if (is_rejected) events.send(OnFunctionRejected{fn});
  }

  bool confirm(const Function& fn) const {
    if (!parts_.confirm) return true;
    try {
      return parts_.confirm(fn);
    } catch (const std::exception& failure) {
      log_warning(fmt::format("The confirmation of function {} threw: {}",
                              fn.id(), failure.what()));
      return false;
    }
  }

  Result<void> perhaps_reset(std::uint64_t number) {
    if (options_.num_islands < 2 || !is_reset_due()) return {};
    const Reset reset =
        state_->plan_reset(Rng(options_.seed).split("reset").split(number));
    events.send(OnIslandsRemoved{reset.removed});
    RETURN_IF_ERROR(state_->reset(reset));
    for (const std::size_t i : reset.removed) {
      listen(state_->island(i));
      tell_engine(*parts_.engine, [&] {
        parts_.engine->reset_island(i, state_->island(i).best_fn());
      });
    }
    last_reset_ = clock_.elapsed();
    events.send(OnIslandsRevived{reset.removed});
    return {};
  }

  bool is_reset_due() const {
    const ResetPeriod& period = options_.reset_period;
    const std::int64_t evaluations =
        state_->counts().evaluations - state_->evaluations_at_reset();
    return (period.evaluations && evaluations >= *period.evaluations) ||
           (period.time && clock_.elapsed() - last_reset_ >= *period.time);
  }

  void send_cycle_events(std::uint64_t number, std::size_t best_island,
                         double best_score) {
    const std::size_t now = state_->best_island();
    if (now != best_island || state_->best()->score() > best_score) {
      events.send(OnBestIslandImproved{now});
    }
    std::vector<double> scores;
    for (const auto& island : state_->islands()) {
      scores.push_back(island->best_fn()->score());
    }
    events.send(OnCycleEnded{{.cycle = number,
                              .best = state_->best(),
                              .island_scores = std::move(scores),
                              .counts = state_->counts()}});
  }

  std::optional<Ending> ending_now(Budget& budget,
                                   const CancelToken& cancel) const {
    const auto over = budget.check();
    if (options_.goal && state_->best()->score() >= *options_.goal) {
      return Ending{EvolverEnd::Goal,
                    fmt::format("The goal of {} is reached.", *options_.goal)};
    }
    if (!over) return Ending{EvolverEnd::Budget, over.error().message()};
    if (cancel.is_cancelled()) {
      return Ending{EvolverEnd::Cancelled, cancel.reason()};
    }
    if (options_.max_cycles &&
        state_->counts().cycles >= *options_.max_cycles) {
      return Ending{
          EvolverEnd::MaxCycles,
          fmt::format("All {} cycles are done.", *options_.max_cycles)};
    }
    return engine_ending();
  }

  std::optional<Ending> engine_ending() const {
    if (final_error_) {
      return Ending{final_error_->code() == ErrorCode::BudgetExceeded
                        ? EvolverEnd::Budget
                        : EvolverEnd::Errors,
                    final_error_->message()};
    }
    if (state_->errors_in_row() >= options_.most_errors_in_row) {
      return Ending{
          EvolverEnd::Errors,
          fmt::format("The last {} mutations of the engine {} all "
                      "failed; see the failures for why.",
                      state_->errors_in_row(), parts_.engine->name())};
    }
    if (state_->duplicates_in_row() >= options_.most_duplicates_in_row) {
      return Ending{
          EvolverEnd::Duplicates,
          fmt::format("The last {} functions of the engine {} were "
                      "all known; it finds nothing new.",
                      state_->duplicates_in_row(), parts_.engine->name())};
    }
    return std::nullopt;
  }

  void prepare(Function& fn) {
    if (!hears_functions) return;
    fn.use_profiler(
        [this](const FunctionEvent& event) { function_events.send(event); });
  }

  void listen(Island& island) {
    island.use_profiler(
        [this](const IslandEvent& event) { island_events.send(event); });
    if (is_hearing_clusters_) hear_clusters_of(island);
  }

  void hear_clusters() {
    if (!hears_clusters || is_hearing_clusters_) return;
    is_hearing_clusters_ = true;
    for (const auto& island : state_->islands()) hear_clusters_of(*island);
  }

  void hear_clusters_of(Island& island) {
    island.use_cluster_profiler(
        [this](const ClusterEvent& event) { cluster_events.send(event); });
  }

  EvolverOptions options_;
  EvolverParts parts_;
  SystemClock system_clock_;
  Clock& clock_;
  std::unique_ptr<EvolverState> state_;
  BudgetHistory history_;
  std::chrono::nanoseconds last_reset_{0};
  std::optional<Error> final_error_;
  bool is_hearing_clusters_ = false;

  std::mutex mutex_;
  std::shared_ptr<CancelSource> source_;  // Guarded by mutex_.
};

Evolver::Evolver(EvolverOptions options, EvolverParts parts)
    : run_(std::make_unique<Run>(std::move(options), std::move(parts))) {}

Evolver::~Evolver() {
  stop();
  if (run_->thread.joinable()) run_->thread.join();
}

Result<EvolverOutcome> Evolver::run(const CancelToken& cancel) {
  REQUIRE(!run_->thread.joinable(), "Evolver::run: not started");
  run_->open(cancel);
  return run_->run();
}

void Evolver::start() {
  REQUIRE(!run_->thread.joinable(), "Evolver::start: not started");
  run_->open({});
  run_->thread = std::thread([run = run_.get()] {
    try {
      run->outcome = run->run();
    } catch (const std::exception& failure) {
      run->outcome = Error(ErrorCode::Internal, failure.what());
    }
  });
}

void Evolver::stop() { run_->stop(); }

Result<EvolverOutcome> Evolver::wait() {
  REQUIRE(run_->thread.joinable(), "Evolver::wait: started");
  run_->thread.join();
  return *run_->outcome;
}

FunctionPtr Evolver::best_fn() const { return run_->state().best(); }

const std::vector<std::unique_ptr<Island>>& Evolver::islands() const {
  return run_->state().islands();
}

Remover Evolver::use_profiler(Profiler<EvolverEvent>::Function function) {
  return run_->events.use_profiler(std::move(function));
}

Remover Evolver::use_island_profiler(Profiler<IslandEvent>::Function function) {
  return run_->island_events.use_profiler(std::move(function));
}

Remover Evolver::use_cluster_profiler(
    Profiler<ClusterEvent>::Function function) {
  run_->hears_clusters = true;
  return run_->cluster_events.use_profiler(std::move(function));
}

Remover Evolver::use_function_profiler(
    Profiler<FunctionEvent>::Function function) {
  run_->hears_functions = true;
  return run_->function_events.use_profiler(std::move(function));
}

}  // namespace lamarck::archipelago
