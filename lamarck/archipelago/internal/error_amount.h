// Reads the cost of a failed call from the fields of its error.

#pragma once

#include <cstdint>
#include <string_view>

#include "lamarck/base/error.h"

namespace lamarck::archipelago {

// Returns 0 if the field is missing, is not a number, or is negative.
std::int64_t error_amount(const Error& error, std::string_view field);

}  // namespace lamarck::archipelago
