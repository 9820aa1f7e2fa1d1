// The values of `format` that can be checked.

#pragma once

#include <span>
#include <string_view>

namespace lamarck::schema {

struct StringFormat {
  std::string_view name;
  bool (*matches)(std::string_view text);
  std::string_view example;
};

// All of them, and the one with a name or null.
std::span<const StringFormat> string_formats();
const StringFormat* find_string_format(std::string_view name);

}  // namespace lamarck::schema
