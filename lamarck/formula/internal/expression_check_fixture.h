// Checks what is done with an expression from outside; shared by a test and a
// fuzzer.

#pragma once

#include <string>
#include <string_view>

namespace lamarck::formula {

// Parses a formula, Python or infix, and hashes, simplifies, prints, evaluates
// and reads it again. Returns what is wrong, or "". Text that is not a formula
// is fine.
std::string expression_fault(std::string_view source);

}  // namespace lamarck::formula
