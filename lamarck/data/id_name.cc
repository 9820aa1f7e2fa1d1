#include "lamarck/data/id_name.h"

#include <algorithm>
#include <set>
#include <string>

namespace lamarck::data {

bool is_id_name(std::string_view name) {
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  static const std::set<std::string, std::less<>> kNames = {
      "id", "index", "row", "no", "nr", "unnamed: 0"};
  return kNames.contains(lower) || lower.ends_with("_id") ||
         lower.ends_with(" id") || name.ends_with("Id") || name.ends_with("ID");
}

}  // namespace lamarck::data
