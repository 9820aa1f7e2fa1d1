#pragma once

namespace lamarck::schema {

// Whatever the locale.
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace lamarck::schema
