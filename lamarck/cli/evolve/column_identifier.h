// Columns' names as formulas and Python can use them.

#pragma once

#include <string>
#include <vector>

namespace lamarck::cli {

// For each name one that is an identifier, no keyword, no function or number
// that formulas know, and not taken by another: "v (m/s)" is v_m_s, "sin" is
// sin_. Names that are good already stay as they are.
std::vector<std::string> column_identifiers(
    const std::vector<std::string>& names);

}  // namespace lamarck::cli
