#include "lamarck/store/internal/named_secrets.h"

#include <algorithm>

#include "lamarck/base/ascii.h"

namespace lamarck::store::internal {
namespace {

constexpr std::size_t kMaxName = 40;
constexpr std::size_t kMaxLookahead = 256;

bool is_value_char(char c) {
  return !ascii::is_space(c) && !is_quote(c) &&
         std::string_view("&;,<>(){}").find(c) == kNone;
}

bool is_small_number(std::string_view value) {
  return value.size() < 6 && std::ranges::all_of(value, ascii::is_digit);
}

// A placeholder, a variable or asterisks are not a secret.
bool is_reference(std::string_view value) {
  return value.front() == '$' || value.front() == '*' ||
         is_placeholder_first(value);
}

std::size_t quoted_length(std::string_view value, char quote, bool is_escaped) {
  std::size_t length = 0;
  while (length < value.size() && value[length] != quote &&
         value[length] != '\n') {
    if (value[length] == '\\') {
      if (is_escaped) break;
      ++length;
    }
    ++length;
  }
  return std::min(length, value.size());
}

// The name of a secret that ends at the place; the name may be quoted.
const SecretName* secret_name_before(const TextPlace& place) {
  const std::string_view text = place.text;
  std::size_t end = place.at;
  while (end > 0 && (text[end - 1] == ' ' || text[end - 1] == ':') &&
         place.at - end < 3) {
    --end;
  }
  if (end > 0 && is_quote(text[end - 1])) --end;
  if (end > 0 && text[end - 1] == '\\') --end;
  const std::size_t begin = end - std::min(end, kMaxName);
  return secret_name_in(text.substr(begin, end - begin));
}

// Returns whether nothing but the name precedes the place on its line.
bool is_first_of_line(const TextPlace& place) {
  std::size_t begin = place.at;
  while (begin > 0 && place.at - begin < kMaxName &&
         is_key_char(place.text[begin - 1])) {
    --begin;
  }
  while (begin > 0 && place.at - begin < kMaxName &&
         place.text[begin - 1] == ' ') {
    --begin;
  }
  return begin == 0 || place.text[begin - 1] == '\n';
}

bool looks_secret(const TextPlace& place, std::size_t begin) {
  std::string_view value = place.text.substr(begin, kMaxLookahead);
  value = value.substr(0, run_length(value, is_value_char));
  if (value.size() >= 6 && has_digit(value)) return true;
  const std::size_t end = begin + value.size();
  const bool ends_line = end >= place.text.size() || place.text[end] == '\n';
  return ends_line && is_first_of_line(place);
}

// The value that starts at `begin`, possibly with a quote. After a colon an
// unquoted value may be prose, so it must look like a secret.
MaybeSecret find_value(const TextPlace& place, std::size_t begin,
                       std::string_view placeholder) {
  const std::string_view all = place.text.substr(begin);
  const bool is_escaped = all.starts_with("\\\"");
  const std::size_t skipped =
      is_escaped ? 2 : (!all.empty() && is_quote(all.front()) ? 1 : 0);
  const std::string_view value = all.substr(skipped);
  if (value.empty() || is_reference(value)) return {};
  const bool is_after_colon = place.text[place.at] == ':';
  if (is_after_colon && skipped == 0 && !looks_secret(place, begin)) return {};
  const std::size_t length =
      skipped > 0 ? quoted_length(value, all[skipped - 1], is_escaped)
                  : run_length(value, is_value_char);
  if (length == 0) return {};
  // "max_tokens=200" and "token: 3" are counts, not secrets.
  if (placeholder == "[token]" && is_small_number(value.substr(0, length))) {
    return {};
  }
  return FoundSecret{begin + skipped, begin + skipped + length, placeholder};
}

// Returns whether "--name" ends at the place.
bool is_after_option(const TextPlace& place) {
  std::string_view option =
      place.text.substr(place.floor, place.at - place.floor);
  option.remove_prefix(option.size() - std::min(option.size(), kMaxName));
  const std::size_t begin = option.rfind("--");
  if (begin == kNone) return false;
  option.remove_prefix(begin + 2);
  return run_length(option, is_key_char) == option.size();
}

}  // namespace

MaybeSecret find_assigned(const TextPlace& place) {
  const SecretName* secret = secret_name_before(place);
  if (secret == nullptr) return {};
  const std::string_view text = place.text;
  std::size_t value = place.at + 1;
  // "==" is a comparison; "=>" assigns like "=".
  if (value < text.size() && text[value] == '=') return {};
  if (value < text.size() && text[value] == '>') ++value;
  value += run_length(
      text.substr(value), [](char c) { return c == ' ' || c == '\t'; }, 8);
  return find_value(place, value, secret->placeholder);
}

MaybeSecret find_option_value(const TextPlace& place) {
  if (!ascii::is_letter(place.previous()) || !is_after_option(place)) return {};
  const SecretName* secret = secret_name_before(place);
  const std::size_t value = place.at + 1;
  if (secret == nullptr || value >= place.text.size() ||
      place.text[value] == '-' || ascii::is_space(place.text[value])) {
    return {};
  }
  return find_value(place, value, secret->placeholder);
}

MaybeSecret find_url_password(const TextPlace& place) {
  if (!place.rest().starts_with("://")) return {};
  const std::size_t begin = place.at + 3;
  const std::string_view after = place.text.substr(begin, kMaxLookahead);
  const std::string_view authority =
      after.substr(0, run_length(after, [](char c) {
                     return !ascii::is_space(c) && !is_quote(c) && c != '/' &&
                            c != '<' && c != '>';
                   }));
  // A password may contain '@', so the last one ends the credentials.
  const std::size_t sign = authority.rfind('@');
  if (sign == kNone || authority.substr(0, sign).find(':') == kNone) return {};
  return FoundSecret{begin, begin + sign, "[password]"};
}

}  // namespace lamarck::store::internal
