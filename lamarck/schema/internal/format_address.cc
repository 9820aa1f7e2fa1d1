#include "lamarck/schema/internal/format_address.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "lamarck/schema/internal/ascii_digit.h"

namespace lamarck::schema {
namespace {

bool is_letter_or_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_label(std::string_view label) {
  return !label.empty() && label.size() <= 63 && label.front() != '-' &&
         label.back() != '-' && std::ranges::all_of(label, [](char c) {
           return is_letter_or_digit(c) || c == '-';
         });
}

bool is_byte(std::string_view text) {
  if (text.empty() || text.size() > 3) return false;
  if (!std::ranges::all_of(text, is_digit)) return false;
  return (text == "0" || text.front() != '0') &&
         std::stoi(std::string(text)) <= 255;
}

// The number of 16-bit groups in "1:2:192.0.2.1", or -1 if it is invalid. An
// IPv4 address counts as two and may only come last.
int group_count(std::string_view text, bool may_end_as_ipv4) {
  if (text.empty()) return 0;
  int count = 0;
  while (true) {
    const std::size_t colon = text.find(':');
    const std::string_view group = text.substr(0, colon);
    const bool is_last = colon == std::string_view::npos;
    if (is_last && may_end_as_ipv4 && is_ipv4(group)) return count + 2;
    if (group.empty() || group.size() > 4 ||
        !std::ranges::all_of(group, is_hex_digit)) {
      return -1;
    }
    ++count;
    if (is_last) return count;
    text.remove_prefix(colon + 1);
  }
}

bool is_atom_character(char c) {
  constexpr std::string_view kMarks = "!#$%&'*+-/=?^_`{|}~";
  return is_letter_or_digit(c) || kMarks.find(c) != std::string_view::npos;
}

bool is_dot_atom(std::string_view text) {
  return !text.empty() && text.front() != '.' && text.back() != '.' &&
         text.find("..") == std::string_view::npos &&
         std::ranges::all_of(
             text, [](char c) { return c == '.' || is_atom_character(c); });
}

bool is_quoted_string(std::string_view text) {
  if (text.size() < 2 || !text.starts_with('"') || !text.ends_with('"')) {
    return false;
  }
  const std::string_view inside = text.substr(1, text.size() - 2);
  for (std::size_t i = 0; i < inside.size(); ++i) {
    if (inside[i] == '"' || inside[i] < ' ' || inside[i] > '~') return false;
    if (inside[i] == '\\' && ++i == inside.size()) return false;
  }
  return true;
}

bool is_mail_domain(std::string_view text) {
  if (!text.starts_with('[') || !text.ends_with(']')) return is_hostname(text);
  text = text.substr(1, text.size() - 2);
  if (!text.starts_with("IPv6:")) return is_ipv4(text);
  return is_ipv6(text.substr(5));
}

}  // namespace

bool is_hex_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool is_hostname(std::string_view text) {
  if (text.empty() || text.size() > 253) return false;
  while (true) {
    const std::size_t dot = text.find('.');
    if (!is_label(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

bool is_ipv4(std::string_view text) {
  for (int i = 0; i < 3; ++i) {
    const std::size_t dot = text.find('.');
    if (dot == std::string_view::npos) return false;
    if (!is_byte(text.substr(0, dot))) return false;
    text.remove_prefix(dot + 1);
  }
  return is_byte(text);
}

bool is_ipv6(std::string_view text) {
  // "::" stands for at least one group of zeros.
  const std::size_t gap = text.find("::");
  if (gap == std::string_view::npos) return group_count(text, true) == 8;
  const int before = group_count(text.substr(0, gap), false);
  const int after = group_count(text.substr(gap + 2), true);
  return before >= 0 && after >= 0 && before + after <= 7;
}

bool is_email(std::string_view text) {
  const std::size_t at = text.rfind('@');
  if (at == std::string_view::npos || at > 64) return false;
  const std::string_view name = text.substr(0, at);
  return (is_dot_atom(name) || is_quoted_string(name)) &&
         is_mail_domain(text.substr(at + 1));
}

}  // namespace lamarck::schema
