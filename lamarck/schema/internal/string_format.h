// The values of `format` that are checked.

#pragma once

#include <span>
#include <string_view>

namespace lamarck::schema {

struct StringFormat {
  std::string_view name;
  bool (*matches)(std::string_view text);
  std::string_view example;
};

// All formats; `find_string_format` returns null for an unknown name.
std::span<const StringFormat> string_formats();
const StringFormat* find_string_format(std::string_view name);

}  // namespace lamarck::schema
