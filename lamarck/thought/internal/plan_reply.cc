#include "lamarck/thought/internal/plan_reply.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "lamarck/base/json.h"
#include "lamarck/base/unicode.h"

namespace lamarck::thought::internal {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{256} << 10;
constexpr int kMaxTries = 64;

// The size of the object that `text` starts with, up to its matching '}'; 0 if
// it is not closed.
std::size_t object_size(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{') {
      ++depth;
    } else if (c == '}' && --depth == 0) {
      return i + 1;
    }
  }
  return 0;
}

struct Place {
  std::size_t begin = 0;
  std::size_t size = 0;
};

// Tries each '{' in turn; the limit bounds the time for a text of many braces.
Place largest_object(std::string_view text) {
  Place best;
  std::size_t from = 0;
  for (int i = 0; i < kMaxTries; ++i) {
    const std::size_t begin = text.find('{', from);
    if (begin == std::string_view::npos) break;
    const std::size_t size = object_size(text.substr(begin));
    const bool is_json =
        size > best.size && parse_json(text.substr(begin, size)).has_value();
    if (is_json) best = {.begin = begin, .size = size};
    from = begin + (is_json ? size : 1);
  }
  return best;
}

// Removes code fences and joins the lines.
std::string plain(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool is_space = static_cast<unsigned char>(c) <= ' ';
    if (c == '`' || (is_space && (line.empty() || line.back() == ' '))) {
      continue;
    }
    line += is_space ? ' ' : c;
  }
  while (line.ends_with(' ')) line.pop_back();
  return line.ends_with("json") ? plain(line.substr(0, line.size() - 4)) : line;
}

}  // namespace

PlanReply find_plan(std::string_view text) {
  const std::string valid = make_valid_utf8(text.substr(0, kMaxBytes));
  const std::string_view whole = valid;
  const Place place = largest_object(whole);
  if (place.size == 0) return {.thought = plain(whole)};
  std::string around = plain(whole.substr(0, place.begin));
  const std::string rest = plain(whole.substr(place.begin + place.size));
  if (!around.empty() && !rest.empty()) around += ' ';
  return {.thought = around + rest,
          .plan = dump_json(
              parse_json(whole.substr(place.begin, place.size)).value())};
}

}  // namespace lamarck::thought::internal
