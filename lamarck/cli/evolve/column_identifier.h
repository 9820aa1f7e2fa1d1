// Turns column names into identifiers for formulas and Python.

#pragma once

#include <string>
#include <vector>

namespace lamarck::cli {

// Returns a unique identifier for each name. It is neither a Python keyword nor
// a function or constant of formulas: "v (m/s)" becomes v_m_s, "sin" becomes
// sin_. Valid names stay as they are.
std::vector<std::string> column_identifiers(
    const std::vector<std::string>& names);

}  // namespace lamarck::cli
