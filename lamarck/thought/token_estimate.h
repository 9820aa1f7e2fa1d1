// Estimates how many tokens a model counts in a text; never too few.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lamarck::thought {

// An upper bound for the common byte-pair vocabularies. Words, digits, signs
// and scripts each count with their worst-case cost in common texts.
std::int64_t estimate_tokens(std::string_view text);

// Returns the longest prefix of `text` that is estimated at no more than `max`
// tokens. An ellipsis, which is counted, marks a cut.
std::string truncate_tokens(std::string_view text, std::int64_t max);

}  // namespace lamarck::thought
