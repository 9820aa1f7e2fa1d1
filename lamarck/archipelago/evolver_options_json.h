// Converts to and from JSON the options that determine the course of a run.
// Options that only set when the run ends, or its number of threads, are left
// out.

#pragma once

#include <optional>
#include <string>

#include "lamarck/archipelago/evolver_options.h"
#include "lamarck/base/json.h"
#include "lamarck/base/result.h"

namespace lamarck::archipelago {

Json to_json(const EvolverOptions& options);
Result<EvolverOptions> evolver_options_from(const Json& json);

// Describes the first option that differs, as "seed is 1 and was 2". Returns
// nullopt if all options are equal.
std::optional<std::string> difference(const EvolverOptions& now,
                                      const EvolverOptions& before);

}  // namespace lamarck::archipelago
