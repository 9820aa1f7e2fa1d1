#include "lamarck/base/string_split.h"

namespace lamarck {

std::vector<std::string_view> split_text(std::string_view text,
                                         char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

}  // namespace lamarck
