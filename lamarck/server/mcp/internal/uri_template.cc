#include "lamarck/server/mcp/internal/uri_template.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "lamarck/base/one_line.h"

namespace lamarck::mcp {
namespace {

bool is_variable_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '.';
  });
}

}  // namespace

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    unsigned char byte = 0;
    const std::string_view digits = text.substr(i + 1, 2);
    const char* end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, byte, 16);
    if (digits.size() != 2 || error != std::errc() || stop != end) {
      return std::nullopt;
    }
    decoded += static_cast<char>(byte);
    i += 2;
  }
  return decoded;
}

Result<UriTemplate> UriTemplate::parse(std::string_view text) {
  UriTemplate result;
  std::size_t at = 0;
  while (true) {
    const std::size_t open = text.find('{', at);
    result.literals_.emplace_back(text.substr(at, open - at));
    if (open == std::string_view::npos) return result;
    const std::size_t close = text.find('}', open);
    const std::string_view name = close == std::string_view::npos
                                      ? std::string_view()
                                      : text.substr(open + 1, close - open - 1);
    if (!is_variable_name(name)) {
      return Error(
          ErrorCode::InvalidArgument,
          "The URI template " + in_quotes(text) +
              " must have a plain variable such as {id} after each '{'.");
    }
    result.variables_.emplace_back(name);
    at = close + 1;
  }
}

std::optional<UriTemplate::Values> UriTemplate::match(
    std::string_view uri) const {
  if (!uri.starts_with(literals_.front())) return std::nullopt;
  uri.remove_prefix(literals_.front().size());
  Values values;
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    const std::string& suffix = literals_[i + 1];
    const bool is_last = i + 1 == variables_.size();
    if (is_last && !uri.ends_with(suffix)) return std::nullopt;
    // Values cannot contain a slash, so the first match of the literal is the
    // right one; the last literal must end the URI.
    const std::size_t size = is_last          ? uri.size() - suffix.size()
                             : suffix.empty() ? 1
                                              : uri.find(suffix, 1);
    if (size == std::string_view::npos) return std::nullopt;
    const std::string_view value = uri.substr(0, size);
    if (value.empty() || value.find_first_of("/?#") != value.npos) {
      return std::nullopt;
    }
    auto decoded = percent_decoded(value);
    if (!decoded.has_value()) return std::nullopt;
    values[variables_[i]] = *std::move(decoded);
    uri.remove_prefix(size + suffix.size());
  }
  if (!uri.empty()) return std::nullopt;
  return values;
}

}  // namespace lamarck::mcp
