// JSON's numbers compared and divided as the decimals they are written as, not
// as the binary fractions that hold them.
//
// REQUIRES of all: the values are numbers.

#pragma once

#include <compare>

#include "lamarck/base/json.h"

namespace lamarck::schema {

// 1.0 is one.
bool is_whole(const Json& number);

// By value, whatever holds them; never loses a digit of a 64-bit integer.
std::partial_ordering compare_numbers(const Json& left, const Json& right);

// Whether `number` is a whole number of times `divisor` (more than 0): 0.0075
// of 0.0001, 1e308 not of 0.123456789.
bool is_multiple_of(const Json& number, const Json& divisor);

}  // namespace lamarck::schema
