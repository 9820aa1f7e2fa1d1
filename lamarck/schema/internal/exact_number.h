// Compares and divides JSON numbers as decimals, as they are written, rather
// than as binary fractions.
//
// REQUIRES, for all functions: the values are numbers.

#pragma once

#include <compare>

#include "lamarck/base/json.h"

namespace lamarck::schema {

// Whether the number is an integer by value; true for 1.0.
bool is_whole(const Json& number);

// Compares by value, whatever the types; exact for 64-bit integers.
std::partial_ordering compare_numbers(const Json& left, const Json& right);

// Whether `number` is an integer multiple of `divisor`: 0.0075 is one of
// 0.0001, 1e308 is not one of 0.123456789. REQUIRES: divisor > 0.
bool is_multiple_of(const Json& number, const Json& divisor);

}  // namespace lamarck::schema
