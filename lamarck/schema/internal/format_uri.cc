#include "lamarck/schema/internal/format_uri.h"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "lamarck/schema/internal/format_address.h"
#include "lamarck/schema/internal/uri_reference.h"

namespace lamarck::schema {
namespace {

bool is_unreserved(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
         (c >= 'A' && c <= 'Z') || c == '-' || c == '.' || c == '_' || c == '~';
}

bool is_percent_code(std::string_view text) {
  return text.size() >= 3 && text[0] == '%' && is_hex_digit(text[1]) &&
         is_hex_digit(text[2]);
}

// Whether the text has only unreserved characters, percent codes and `marks`.
bool consists_of(std::string_view text, std::string_view marks) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_percent_code(text.substr(i))) {
      i += 2;
    } else if (!is_unreserved(text[i]) &&
               marks.find(text[i]) == std::string_view::npos) {
      return false;
    }
  }
  return true;
}

bool is_port(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

bool is_authority(std::string_view text) {
  const std::size_t at = text.find('@');
  if (at != std::string_view::npos) {
    if (!consists_of(text.substr(0, at), "!$&'()*+,;=:")) return false;
    text.remove_prefix(at + 1);
  }
  if (text.starts_with('[')) {
    const std::size_t close = text.find(']');
    if (close == std::string_view::npos) return false;
    if (!is_ipv6(text.substr(1, close - 1))) return false;
    const std::string_view rest = text.substr(close + 1);
    return rest.empty() || (rest[0] == ':' && is_port(rest.substr(1)));
  }
  const std::size_t colon = text.find(':');
  if (colon != std::string_view::npos) {
    if (!is_port(text.substr(colon + 1))) return false;
    text = text.substr(0, colon);
  }
  return consists_of(text, "!$&'()*+,;=");
}

// A relative path must not have a ':' in its first segment, which would read as
// a scheme.
bool has_clear_path(const UriReference& uri) {
  if (uri.scheme.has_value() || uri.authority.has_value()) return true;
  return uri.path.find(':') >= uri.path.find('/');
}

bool is_template_name(std::string_view text) {
  return !text.empty() && text.front() != '.' && text.back() != '.' &&
         std::ranges::none_of(text,
                              [](char c) { return c == '-' || c == '~'; }) &&
         consists_of(text, "");
}

bool is_template_variable(std::string_view text) {
  if (text.ends_with('*')) {
    text.remove_suffix(1);
  } else if (const auto colon = text.find(':');
             colon != std::string_view::npos) {
    const std::string_view length = text.substr(colon + 1);
    if (length.empty() || length.size() > 4 || length[0] == '0') return false;
    if (!is_port(length)) return false;
    text = text.substr(0, colon);
  }
  return is_template_name(text);
}

bool is_template_expression(std::string_view text) {
  constexpr std::string_view kOperators = "+#./;?&";
  if (!text.empty() && kOperators.find(text[0]) != std::string_view::npos) {
    text.remove_prefix(1);
  }
  while (true) {
    const std::size_t comma = text.find(',');
    if (!is_template_variable(text.substr(0, comma))) return false;
    if (comma == std::string_view::npos) return true;
    text.remove_prefix(comma + 1);
  }
}

bool is_template_literal(std::string_view text) {
  constexpr std::string_view kForbidden = "\"'<>\\^`{|}% ";
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_percent_code(text.substr(i))) {
      i += 2;
    } else if (kForbidden.find(text[i]) != std::string_view::npos ||
               static_cast<unsigned char>(text[i]) < ' ') {
      return false;
    }
  }
  return true;
}

}  // namespace

bool is_uri_reference(std::string_view text) {
  const UriReference uri = split_uri(text);
  constexpr std::string_view kPathMarks = "!$&'()*+,;=:@/";
  constexpr std::string_view kQueryMarks = "!$&'()*+,;=:@/?";
  return is_authority(uri.authority.value_or("")) && has_clear_path(uri) &&
         consists_of(uri.path, kPathMarks) &&
         consists_of(uri.query.value_or(""), kQueryMarks) &&
         consists_of(uri.fragment.value_or(""), kQueryMarks);
}

bool is_uri(std::string_view text) {
  return split_uri(text).scheme.has_value() && is_uri_reference(text);
}

bool is_uri_template(std::string_view text) {
  while (true) {
    const std::size_t open = text.find('{');
    if (!is_template_literal(text.substr(0, open))) return false;
    if (open == std::string_view::npos) return true;
    const std::size_t close = text.find('}', open);
    if (close == std::string_view::npos) return false;
    if (!is_template_expression(text.substr(open + 1, close - open - 1))) {
      return false;
    }
    text.remove_prefix(close + 1);
  }
}

}  // namespace lamarck::schema
