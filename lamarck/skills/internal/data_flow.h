// Finds which part of an earlier result a value of a call came from.

#pragma once

#include <string_view>
#include <vector>

#include "lamarck/base/json.h"
#include "lamarck/skills/skill_replay.h"

namespace lamarck::skills::internal {

// References to parts of `results` that are equal to `value`, the most
// plausible first: a part with the name of the argument, few list positions, a
// short path, a late step. Also parts of texts.
std::vector<ArgumentReference> find_sources(const Json& value,
                                            std::string_view argument,
                                            const std::vector<Json>& results);

// Whether the reference yields `value`.
bool is_source(const ArgumentReference& reference, const Json& value,
               const std::vector<Json>& results);

// Whether finding the value elsewhere is hardly a coincidence: not a flag, a
// small number or a letter or two.
bool is_specific(const Json& value);

// Whether the name of the argument, or the whole result, says that the value
// came from there: a small number alone may be a coincidence.
bool is_named_source(const ArgumentReference& reference,
                     std::string_view argument);

}  // namespace lamarck::skills::internal
