// A property that must hold for any input text, for tests and fuzzers.

#pragma once

#include <string>
#include <string_view>

namespace lamarck::formula {

// Parses `source` and, if it is a formula, prints it in every form, simplifies
// it and parses it again. Returns a description of the fault, or "" if there is
// none.
std::string round_trip_fault(std::string_view source);

}  // namespace lamarck::formula
