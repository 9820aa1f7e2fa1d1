// What must hold for any text at all, for tests and fuzzers.

#pragma once

#include <string>
#include <string_view>

namespace lamarck::formula {

// Reads `source` and, if it is a formula, prints it in every form, simplifies
// it and reads it back. Says what is wrong; empty if nothing is.
std::string round_trip_fault(std::string_view source);

}  // namespace lamarck::formula
