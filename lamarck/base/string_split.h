// Splits and joins text at a separator.

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lamarck {

// Splitting "a|b||c" at '|' gives {"a", "b", "", "c"}; "" gives {""}. The parts
// point into `text`.
std::vector<std::string_view> split_text(std::string_view text, char separator);

// The inverse of `split_text`.
template <class Parts>
std::string join_text(const Parts& parts, std::string_view separator) {
  std::string text;
  bool is_first = true;
  for (const auto& part : parts) {
    if (!is_first) text += separator;
    text += part;
    is_first = false;
  }
  return text;
}

}  // namespace lamarck
