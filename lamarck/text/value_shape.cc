#include "lamarck/text/value_shape.h"

#include <algorithm>

#include "lamarck/base/ascii.h"

namespace lamarck::text {
namespace {

bool is_letter(char c) {
  return static_cast<unsigned char>(c) >= 0x80 ||
         (ascii::lower(c) >= 'a' && ascii::lower(c) <= 'z');
}

std::string without_capitals(std::string shape) {
  std::ranges::replace(shape, 'W', 'w');
  return shape;
}

}  // namespace

std::string value_shape(std::string_view text) {
  std::string shape;
  char before = ' ';
  for (const char c : text) {
    if (is_letter(c)) {
      if (!is_letter(before)) shape += c >= 'A' && c <= 'Z' ? 'W' : 'w';
    } else if (ascii::is_digit(c)) {
      if (!ascii::is_digit(before)) shape += '9';
    } else {
      shape += c;
    }
    before = c;
  }
  return shape;
}

bool has_shape(std::string_view text, const std::vector<std::string>& shapes) {
  const std::string shape = value_shape(text);
  const bool has_capitals = std::ranges::all_of(
      shapes, [](const std::string& one) { return one.starts_with('W'); });
  return std::ranges::any_of(shapes, [&](const std::string& one) {
    return has_capitals ? one == shape
                        : without_capitals(one) == without_capitals(shape);
  });
}

}  // namespace lamarck::text
