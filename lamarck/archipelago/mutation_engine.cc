#include "lamarck/archipelago/mutation_engine.h"

#include <fmt/format.h>

#include <exception>
#include <nlohmann/json.hpp>

#include "lamarck/base/ensure.h"
#include "lamarck/base/macros.h"

namespace lamarck::archipelago {
namespace {

std::vector<std::uint64_t> ids_of(const std::vector<FunctionPtr>& functions) {
  std::vector<std::uint64_t> ids;
  ids.reserve(functions.size());
  for (const FunctionPtr& fn : functions) ids.push_back(fn->id());
  return ids;
}

// An engine that breaks its contract fails one mutation, not the run.
Error broken(std::string_view engine, std::string_view what) {
  return {ErrorCode::Internal, fmt::format("The engine {} {}.", engine, what)};
}

}  // namespace

MutationResult MutationEngine::mutate(const std::vector<FunctionPtr>& parents,
                                      const MutationContext& context) {
  REQUIRE(!parents.empty(),
          "MutationEngine::mutate: at least one parent is needed.");
  profiler_.send(MutationStarted{parents});
  try {
    MutationResult made = make(parents, context);
    if (!made) {
      Origin attempt = made.origin();
      attempt.engine = attempt.engine.empty() ? name() : attempt.engine;
      attempt.parents = ids_of(parents);
      return {made.error(), std::move(attempt)};
    }
    if (*made == nullptr) return broken(name(), "returned no function");
    (*made)->complete_origin(name(), ids_of(parents));
    profiler_.send(MutationEnded{{parents, *made}});
    return made;
  } catch (const std::exception& failure) {
    return broken(name(), fmt::format("threw: {}", failure.what()));
  } catch (...) {
    return broken(name(), "threw an unknown exception");
  }
}

Json MutationEngine::state() const { return nullptr; }

Result<void> MutationEngine::restore(const Json& state) {
  if (state.is_null()) return {};
  return Error(
      ErrorCode::DataDamaged,
      fmt::format("The engine {} has no state, but the checkpoint has one "
                  "for it.",
                  name()));
}

Remover MutationEngine::use_profiler(
    Profiler<MutationEngineEvent>::Function function) {
  return profiler_.use_profiler(std::move(function));
}

}  // namespace lamarck::archipelago
