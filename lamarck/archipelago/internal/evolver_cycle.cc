#include "lamarck/archipelago/internal/evolver_cycle.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "lamarck/base/macros.h"

namespace lamarck::archipelago {
namespace {

// Where the evaluation of a new function comes from.
EvaluationSource choose_source(const CycleSetup& setup, const Island& island,
                               const EvolverMemory::Entry* known,
                               const Function& fn) {
  const std::size_t max = setup.options.max_evaluations_per_function;
  if (known == nullptr || known->times < max) return EvaluationSource::Fresh;
  const bool is_useless = known->evaluation.failure.has_value() ||
                          island.has_skeleton(fn.skeleton()->hash());
  return is_useless ? EvaluationSource::Duplicate : EvaluationSource::Reused;
}

// The same for a function that the engine evaluated itself. A known skeleton
// with better constants is not a duplicate.
EvaluationSource choose_source_of_evaluated(const EvolverMemory::Entry* known,
                                            const Island& island,
                                            const Function& fn) {
  const bool is_known = known != nullptr && fn.score() <= known->score &&
                        island.has_skeleton(fn.skeleton()->hash());
  return is_known ? EvaluationSource::Duplicate : EvaluationSource::ByEngine;
}

// Returns the known skeleton with its evaluation and the origin of `fn`. The
// skeleton is taken too, since its params belong to the fitted constants.
FunctionPtr make_reused(const CycleSetup& setup,
                        const EvolverMemory::Entry& known, const Function& fn) {
  auto copy = std::make_shared<Function>(0, known.skeleton, setup.evaluator,
                                         fn.origin());
  copy->accept(known.evaluation);
  return copy;
}

MutationResult request(const CycleSetup& setup, Island& island,
                       const MutationContext& context,
                       EvaluationSource& evaluation_source) {
  // The screen runs only for functions that the engine left unevaluated.
  bool is_screened = false;
  const EvolverMemory::Entry* known = nullptr;
  const auto screen = [&](Function& fn) {
    is_screened = true;
    if (setup.prepare) setup.prepare(fn);
    known = setup.state.memory().find(fn.skeleton()->hash());
    evaluation_source = choose_source(setup, island, known, fn);
    if (evaluation_source != EvaluationSource::Fresh)
      fn.accept(known->evaluation);
  };
  MutationResult made = island.request_mutation(
      context, screen, /*evaluates=*/setup.crew == nullptr);
  if (!made) return made;
  if (evaluation_source == EvaluationSource::Reused)
    return make_reused(setup, *known, **made);
  if (!is_screened) {
    known = setup.state.memory().find((*made)->skeleton()->hash());
    evaluation_source = choose_source_of_evaluated(known, island, **made);
  }
  return made;
}

// Evaluates what the islands have left without an evaluation.
Result<void> evaluate_by_crew(EvaluationCrew& crew,
                              std::vector<Mutation>& mutations,
                              const CancelToken& cancel) {
  std::vector<FunctionPtr> functions;
  std::vector<Mutation*> places;
  for (Mutation& mutation : mutations) {
    if (!mutation.made || !*mutation.made) continue;
    if ((**mutation.made)->is_evaluated()) continue;
    functions.push_back(**mutation.made);
    places.push_back(&mutation);
  }
  const auto seconds = crew.evaluate(functions, cancel);
  if (!seconds && seconds.error().code() != ErrorCode::Cancelled) {
    return seconds.error();
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (seconds) places[i]->seconds += (*seconds)[i];
    if (!seconds) places[i]->is_cut = true;
  }
  return {};
}

}  // namespace

MutationContext mutation_context(const EvolverOptions& options,
                                 std::size_t island, std::uint64_t cycle,
                                 const CancelToken& cancel) {
  return {.island = island,
          .cycle = cycle,
          .rng = Rng(options.seed).split("island").split(island).split(cycle),
          .cancel = cancel};
}

Result<void> prepare_islands(const CycleSetup& setup, std::size_t count,
                             std::uint64_t cycle, MutationEngine& engine,
                             crew::Crew& crew, const CancelToken& cancel) {
  std::vector<MutationContext> contexts;
  std::vector<std::vector<FunctionPtr>> parents;
  for (std::size_t i = 0; i < count; ++i) {
    contexts.push_back(mutation_context(setup.options, i, cycle, cancel));
    parents.push_back(setup.state.island(i).parents_for(contexts.back()));
  }
  Result<void> done = engine.prepare(crew, parents, contexts);
  // Then no mutation starts.
  if (!done && done.error().code() == ErrorCode::Cancelled) return {};
  return done;
}

Result<std::vector<Mutation>> mutate_islands(const CycleSetup& setup,
                                             std::size_t count,
                                             std::uint64_t cycle,
                                             ThreadPool& pool,
                                             const CancelToken& cancel) {
  std::vector<Mutation> mutations(count);
  const auto mutate = [&](std::size_t i) {
    const auto start = setup.clock.elapsed();
    Mutation mutation;
    mutation.made = request(setup, setup.state.island(i),
                            mutation_context(setup.options, i, cycle, cancel),
                            mutation.evaluation_source);
    mutation.is_cut = cancel.is_cancelled();
    mutation.seconds =
        std::chrono::duration<double>(setup.clock.elapsed() - start).count();
    mutations[i] = std::move(mutation);
  };
  // On cancellation the rest stays marked as cut, so the result is not needed.
  static_cast<void>(pool.parallel_for(count, mutate, cancel));
  if (setup.crew != nullptr) {
    RETURN_IF_ERROR(evaluate_by_crew(*setup.crew, mutations, cancel));
  }
  return mutations;
}

}  // namespace lamarck::archipelago
