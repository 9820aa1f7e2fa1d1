// The options that decide the course of a run, as JSON. Those that only say
// when it ends, or how many threads it has, are not among them.

#pragma once

#include <optional>
#include <string>

#include "lamarck/archipelago/evolver_options.h"
#include "lamarck/base/json.h"
#include "lamarck/base/result.h"

namespace lamarck::archipelago {

Json to_json(const EvolverOptions& options);
Result<EvolverOptions> evolver_options_from(const Json& json);

// The first option that differs, as "seed is 1 and was 2"; nothing if all are
// the same.
std::optional<std::string> difference(const EvolverOptions& now,
                                      const EvolverOptions& before);

}  // namespace lamarck::archipelago
