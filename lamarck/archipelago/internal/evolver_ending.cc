#include "lamarck/archipelago/internal/evolver_ending.h"

#include <fmt/format.h>

#include <utility>

namespace lamarck::archipelago {
namespace {

// The most frequent reason of failures.
std::string frequent_reason(const EvolverCounts& counts) {
  std::string frequent;
  std::int64_t max = 0;
  for (const auto& [reason, times] : counts.reasons) {
    if (times <= max) continue;
    max = times;
    frequent = reason;
  }
  return frequent;
}

EvolverEnd evolver_end(EngineEnding::Kind kind) {
  switch (kind) {
    case EngineEnding::Kind::Goal:
      return EvolverEnd::Goal;
    case EngineEnding::Kind::NothingNew:
      return EvolverEnd::Duplicates;
    case EngineEnding::Kind::NoAnswer:
      return EvolverEnd::Errors;
    case EngineEnding::Kind::Budget:
      return EvolverEnd::Budget;
  }
  return EvolverEnd::Errors;
}

}  // namespace

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

std::optional<Ending> find_ending(const EvolverOptions& options,
                                  const EvolverState& state, Budget& budget,
                                  const CancelToken& cancel) {
  // The goal comes first: a run that reaches it with its last evaluation has
  // succeeded.
  const auto over = budget.check();
  if (options.goal && state.best()->score() >= *options.goal) {
    return Ending{EvolverEnd::Goal,
                  fmt::format("The goal of {} is reached.", *options.goal)};
  }
  if (!over) return Ending{EvolverEnd::Budget, over.error().message()};
  if (cancel.is_cancelled()) {
    return Ending{EvolverEnd::Cancelled, cancel.reason()};
  }
  if (options.max_cycles && state.counts().cycles >= *options.max_cycles) {
    return Ending{EvolverEnd::MaxCycles,
                  fmt::format("All {} cycles are done.", *options.max_cycles)};
  }
  return std::nullopt;
}

std::optional<Ending> find_engine_ending(
    const EvolverOptions& options, const EvolverState& state,
    std::string_view engine, const std::optional<Error>& final_error) {
  if (final_error) {
    return Ending{final_error->code() == ErrorCode::BudgetExceeded
                      ? EvolverEnd::Budget
                      : EvolverEnd::Errors,
                  final_error->message()};
  }
  if (state.errors_in_row() >= options.max_errors_in_row) {
    return Ending{EvolverEnd::Errors,
                  fmt::format("The last {} mutations of the engine {} all "
                              "failed. Most frequent reason: {}",
                              state.errors_in_row(), engine,
                              frequent_reason(state.counts()))};
  }
  if (state.duplicates_in_row() >= options.max_duplicates_in_row) {
    return Ending{EvolverEnd::Duplicates,
                  fmt::format("The last {} functions of the engine {} were all "
                              "known already; it finds nothing new.",
                              state.duplicates_in_row(), engine)};
  }
  return std::nullopt;
}

std::optional<Ending> find_own_ending(const MutationEngine& engine) {
  auto ending = engine.ending();
  if (!ending) return std::nullopt;
  return Ending{evolver_end(ending->kind), std::move(ending->reason)};
}

std::string with_notes(std::string reason, const MutationEngine& engine) {
  for (const std::string& note : engine.notes()) {
    if (reason.find(note) == std::string::npos) reason += " " + note;
  }
  return reason;
}

}  // namespace lamarck::archipelago
