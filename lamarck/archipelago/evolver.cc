#include "lamarck/archipelago/evolver.h"

#include <exception>
#include <thread>
#include <utility>

#include "lamarck/archipelago/internal/evolver_run.h"
#include "lamarck/base/ensure.h"

namespace lamarck::archipelago {

// A run in its own thread. It is held by pointer, because the thread keeps the
// address of `outcome`.
struct Evolver::Started {
  std::thread thread;
  std::optional<Result<EvolverOutcome>> outcome;  // Set when run() returns.
};

Evolver::Evolver(EvolverOptions options, EvolverParts parts)
    : started_(std::make_unique<Started>()),
      run_(std::make_unique<EvolverRun>(options, std::move(parts))) {}

Evolver::~Evolver() {
  // The thread uses run_ and started_, so it must end before they are
  // destroyed.
  stop();
  if (started_->thread.joinable()) started_->thread.join();
}

Result<EvolverOutcome> Evolver::run(const CancelToken& cancel) {
  REQUIRE(!started_->thread.joinable(),
          "Evolver::run: a run is already started; call wait() first.");
  run_->open(cancel);
  return run_->run();
}

void Evolver::start() {
  REQUIRE(!started_->thread.joinable(),
          "Evolver::start: a run is already started; call wait() first.");
  // Opened here and not in the thread, so that a stop() right after start() is
  // not lost.
  run_->open({});
  started_->thread = std::thread([run = run_.get(), started = started_.get()] {
    // An exception that leaves a thread would terminate the process.
    try {
      started->outcome = run->run();
    } catch (const LogicError& failure) {
      started->outcome = failure.error();
    } catch (const std::exception& failure) {
      started->outcome = Error(ErrorCode::Internal, failure.what());
    }
  });
}

void Evolver::stop() { run_->stop(); }

Result<EvolverOutcome> Evolver::wait() {
  REQUIRE(started_->thread.joinable(),
          "Evolver::wait: no run is started; call start() first.");
  started_->thread.join();  // Also makes `outcome` visible to this thread.
  return *started_->outcome;
}

FunctionPtr Evolver::best_fn() const { return run_->state().best(); }

const std::vector<std::unique_ptr<Island>>& Evolver::islands() const {
  return run_->state().islands();
}

Remover Evolver::use_profiler(Profiler<EvolverEvent>::Function function) {
  run_->has_profiler = true;
  return run_->events.use_profiler(std::move(function));
}

Remover Evolver::use_island_profiler(Profiler<IslandEvent>::Function function) {
  return run_->island_events.use_profiler(std::move(function));
}

Remover Evolver::use_cluster_profiler(
    Profiler<ClusterEvent>::Function function) {
  run_->has_cluster_profiler = true;
  return run_->cluster_events.use_profiler(std::move(function));
}

Remover Evolver::use_function_profiler(
    Profiler<FunctionEvent>::Function function) {
  run_->has_function_profiler = true;
  return run_->function_events.use_profiler(std::move(function));
}

}  // namespace lamarck::archipelago
