// The part of a report that explains a model to a person.

#pragma once

#include <string>
#include <string_view>

#include "lamarck/table/model_explanation.h"

namespace lamarck::report {

// Sections on which inputs matter, how predictions depend on the most important
// ones, and whether its probabilities can be trusted. Empty parts are left out.
std::string explanation_sections(const table::ModelExplanation& explanation,
                                 std::string_view score_name,
                                 std::string_view target_name);

}  // namespace lamarck::report
