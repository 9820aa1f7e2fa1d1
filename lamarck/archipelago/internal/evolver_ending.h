// When a run is over, and why.

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
  std::string reason;  // A sentence.
};

// Whether to ask again would give it again: a wrong key, a model that does not
// exist, an engine whose own budget is used up.
bool is_final(const Error& error);
// The error of all islands, if it is final.
std::optional<Error> common_final_error(const std::vector<Mutation>& all);

// Nothing while the run goes on.
std::optional<Ending> ending_of(const EvolverOptions& options,
                                const EvolverState& state, Budget& budget,
                                const CancelToken& cancel);
std::optional<Ending> ending_of_engine(const EvolverOptions& options,
                                       const EvolverState& state,
                                       std::string_view engine,
                                       const std::optional<Error>& final_error);

}  // namespace lamarck::archipelago
