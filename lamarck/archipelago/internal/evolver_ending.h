// Decides when a run ends, and why.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/archipelago/evolver_options.h"
#include "lamarck/archipelago/evolver_state.h"
#include "lamarck/archipelago/internal/evolver_cycle.h"
#include "lamarck/base/budget.h"
#include "lamarck/base/cancel_token.h"

namespace lamarck::archipelago {

struct Ending {
  EvolverEnd end;
  std::string reason;  // A complete sentence.
};

// Whether retrying is pointless: the key is wrong, the model does not exist, or
// the engine's own budget is used up.
bool is_final(const Error& error);
// Returns a final error if every island that finished got one.
std::optional<Error> common_final_error(const std::vector<Mutation>& all);

// Returns nullopt while the run should continue.
std::optional<Ending> find_ending(const EvolverOptions& options,
                                  const EvolverState& state, Budget& budget,
                                  const CancelToken& cancel);
// The endings that the engine causes: final errors, too many errors in a row or
// too many duplicates in a row.
std::optional<Ending> find_engine_ending(
    const EvolverOptions& options, const EvolverState& state,
    std::string_view engine, const std::optional<Error>& final_error);
// The ending that the engine reports itself.
std::optional<Ending> find_own_ending(const MutationEngine& engine);
// Appends the notes of the engine that the reason does not contain yet.
std::string with_notes(std::string reason, const MutationEngine& engine);

}  // namespace lamarck::archipelago
