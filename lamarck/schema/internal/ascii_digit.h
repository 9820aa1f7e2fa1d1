// ASCII digits, independent of the locale.

#pragma once

namespace lamarck::schema {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace lamarck::schema
