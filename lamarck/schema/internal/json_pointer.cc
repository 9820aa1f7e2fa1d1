#include "lamarck/schema/internal/json_pointer.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

namespace lamarck::schema {
namespace {

std::string unescape(std::string_view token) {
  std::string name;
  for (std::size_t i = 0; i < token.size(); ++i) {
    const bool is_escape = token[i] == '~' && i + 1 < token.size() &&
                           (token[i + 1] == '0' || token[i + 1] == '1');
    name += is_escape ? (token[++i] == '0' ? '~' : '/') : token[i];
  }
  return name;
}

}  // namespace

std::string pointer_token(std::string_view name) {
  std::string token = "/";
  for (const char c : name) {
    if (c == '~') {
      token += "~0";
    } else if (c == '/') {
      token += "~1";
    } else {
      token += c;
    }
  }
  return token;
}

std::vector<std::string> split_pointer(std::string_view pointer) {
  std::vector<std::string> names;
  while (!pointer.empty()) {
    pointer.remove_prefix(1);
    const std::size_t end = std::min(pointer.find('/'), pointer.size());
    names.push_back(unescape(pointer.substr(0, end)));
    pointer.remove_prefix(end);
  }
  return names;
}

const Json* pointer_child(const Json& parent, const std::string& name) {
  if (parent.is_object()) {
    const auto found = parent.find(name);
    return found == parent.end() ? nullptr : &*found;
  }
  if (!parent.is_array() || name.empty()) return nullptr;
  std::size_t index = 0;
  const char* end = name.data() + name.size();
  const auto [stop, failure] = std::from_chars(name.data(), end, index);
  const bool is_index = failure == std::errc() && stop == end &&
                        (name == "0" || name.front() != '0');
  return is_index && index < parent.size() ? &parent[index] : nullptr;
}

}  // namespace lamarck::schema
