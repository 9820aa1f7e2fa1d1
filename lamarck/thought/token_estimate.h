// How many tokens a model counts in a text, never fewer.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lamarck::thought {

// An upper estimate for the usual byte-pair vocabularies: words, digits, signs
// and scripts each counted by what they cost at worst in common texts.
std::int64_t estimate_tokens(std::string_view text);

// The beginning of `text` that is estimated at no more than `most` tokens; what
// was cut is shown by an ellipsis.
std::string truncate_tokens(std::string_view text, std::int64_t most);

}  // namespace lamarck::thought
