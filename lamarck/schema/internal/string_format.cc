#include "lamarck/schema/internal/string_format.h"

#include <algorithm>
#include <array>

#include "lamarck/schema/internal/ecma_pattern.h"
#include "lamarck/schema/internal/format_address.h"
#include "lamarck/schema/internal/format_time.h"
#include "lamarck/schema/internal/format_uri.h"

namespace lamarck::schema {
namespace {

bool is_regex(std::string_view text) {
  return EcmaPattern::compile(text).has_value();
}

bool is_uuid(std::string_view text) {
  constexpr std::string_view kForm = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
  return std::ranges::equal(text, kForm, [](char c, char wanted) {
    return wanted == '-' ? c == '-' : is_hex_digit(c);
  });
}

bool is_json_pointer(std::string_view text) {
  if (!text.empty() && text.front() != '/') return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '~') continue;
    if (i + 1 == text.size()) return false;
    if (text[i + 1] != '0' && text[i + 1] != '1') return false;
  }
  return true;
}

constexpr std::array kFormats = {
    StringFormat{"date-time", is_date_time, "2024-02-29T12:30:00Z"},
    StringFormat{"date", is_date, "2024-02-29"},
    StringFormat{"time", is_time, "12:30:00Z"},
    StringFormat{"duration", is_duration, "P1DT12H"},
    StringFormat{"email", is_email, "ada@example.org"},
    StringFormat{"hostname", is_hostname, "www.example.org"},
    StringFormat{"ipv4", is_ipv4, "192.0.2.1"},
    StringFormat{"ipv6", is_ipv6, "2001:db8::1"},
    StringFormat{"uri", is_uri, "https://example.org/a?b#c"},
    StringFormat{"uri-reference", is_uri_reference, "../a?b#c"},
    StringFormat{"uri-template", is_uri_template, "/items/{id}"},
    StringFormat{"uuid", is_uuid, "123e4567-e89b-12d3-a456-426614174000"},
    StringFormat{"json-pointer", is_json_pointer, "/a/0/b~1c"},
    StringFormat{"regex", is_regex, "^[a-z]+$"},
};

}  // namespace

std::span<const StringFormat> string_formats() { return kFormats; }

const StringFormat* find_string_format(std::string_view name) {
  const auto* found = std::ranges::find(kFormats, name, &StringFormat::name);
  return found == kFormats.end() ? nullptr : found;
}

}  // namespace lamarck::schema
