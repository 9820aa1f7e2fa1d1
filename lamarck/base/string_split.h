// Text taken apart at a separator and put together again.

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lamarck {

// "a|b||c" at '|' is {"a", "b", "", "c"}; "" is {""}. The parts point into
// `text`.
std::vector<std::string_view> split_text(std::string_view text, char separator);

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
