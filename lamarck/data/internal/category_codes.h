// Maps the words of a column to indices in a list of known categories.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lamarck/data/table.h"

namespace lamarck::data {

// The code of a word that is not in the list, besides Column::kMissing.
inline constexpr std::int32_t kUnknownCategory = -2;

// Converts a numeric column to a categorical one whose values are sorted by
// number.
Column as_category(const Column& column);

// Returns, for each row, the index of its word in `categories`. Two spellings
// of a number are the same category, so a column may be numeric in one file and
// hold words in the next.
std::vector<std::int32_t> category_codes(
    const Column& column, std::span<const std::string> categories);

}  // namespace lamarck::data
