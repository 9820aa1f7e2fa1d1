#include "lamarck/thought/internal/project_path.h"

#include <algorithm>
#include <utility>
#include <fmt/format.h>

#include "lamarck/base/ascii.h"
#include "lamarck/base/one_line.h"
#include "lamarck/thought/internal/blank_text.h"

namespace lamarck::thought::internal {
namespace {

constexpr std::string_view kSlashes = "/\\";

bool is_control(char c) { return (c >= 0 && c < ' ') || c == '\x7f'; }

// Covers Unix and Windows paths, home directories and URLs, whatever system
// this runs on.
bool is_absolute(std::string_view path) {
  const bool has_drive =
      path.size() > 1 && ascii::is_letter(path[0]) && path[1] == ':';
  return kSlashes.find(path.front()) != std::string_view::npos ||
         path.front() == '~' || has_drive ||
         path.find("://") != std::string_view::npos;
}

bool goes_up(std::string_view path) {
  while (true) {
    const std::size_t end = path.find_first_of(kSlashes);
    if (path.substr(0, end) == "..") return true;
    if (end == std::string_view::npos) return false;
    path.remove_prefix(end + 1);
  }
}

constexpr std::string_view kRemedy =
    "use a path inside the project, such as docs/guide.md";

// The value of a hexadecimal digit; -1 for other characters.
int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Decodes every "%2e" to its byte.
std::string percent_decoded(std::string_view path) {
  std::string decoded;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const bool has_code = path[i] == '%' && i + 2 < path.size() &&
                          hex_digit(path[i + 1]) >= 0 &&
                          hex_digit(path[i + 2]) >= 0;
    if (!has_code) {
      decoded += path[i];
      continue;
    }
    decoded +=
        static_cast<char>(hex_digit(path[i + 1]) * 16 + hex_digit(path[i + 2]));
    i += 2;
  }
  return decoded;
}

std::optional<std::string> plain_problem(std::string_view path) {
  if (is_blank(path)) return fmt::format("The path is empty; {}.", kRemedy);
  if (is_absolute(path)) {
    return fmt::format("The path {} is absolute; {}.", in_quotes(path),
                       kRemedy);
  }
  if (goes_up(path)) {
    return fmt::format(
        "The path {} contains '..' and may leave the project; {}.",
        in_quotes(path), kRemedy);
  }
  if (std::ranges::any_of(path, is_control)) {
    return fmt::format("The path {} contains control characters; {}.",
                       in_quotes(path), kRemedy);
  }
  return std::nullopt;
}

}  // namespace

// The consumer of the path may decode it, even more than once, so every decoded
// form must be safe.
std::optional<std::string> path_problem(std::string_view path) {
  std::string read(path);
  while (true) {
    if (auto problem = plain_problem(read)) return problem;
    std::string decoded = percent_decoded(read);
    if (decoded == read) return std::nullopt;
    read = std::move(decoded);
  }
}

}  // namespace lamarck::thought::internal
