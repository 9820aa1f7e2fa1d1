// Words of a column as places in a list of known words.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lamarck/data/table.h"

namespace lamarck::data {

// Beside Column::kMissing: a word that is not in the list.
inline constexpr std::int32_t kUnknownCategory = -2;

// The same column with its numbers as words, in the order of the numbers.
Column as_category(const Column& column);

// For each row the place of its word in `categories`. Two spellings of one
// number are the same word, so a column may hold words in one file and numbers
// in the next.
std::vector<std::int32_t> category_codes(
    const Column& column, std::span<const std::string> categories);

}  // namespace lamarck::data
