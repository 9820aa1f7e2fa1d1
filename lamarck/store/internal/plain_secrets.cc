#include "lamarck/store/internal/plain_secrets.h"

#include <algorithm>

#include "lamarck/base/ascii.h"

namespace lamarck::store::internal {
namespace {

// The length of the tag that `text` starts with, if its name is `word`;
// otherwise 0.
std::size_t tag_length(std::string_view text, std::string_view word) {
  constexpr std::size_t kMaxSpaces = 16;
  if (!text.starts_with('<') || !starts_with_word(text.substr(1), word)) {
    return 0;
  }
  std::size_t length = 1 + word.size();
  length += run_length(text.substr(length), ascii::is_space, kMaxSpaces);
  return length < text.size() && text[length] == '>' ? length + 1 : 0;
}

// The length of a JSON Web Token: three parts of base64url, the first of which
// encodes a JSON object ("eyJ" is '{"').
std::size_t jwt_length(std::string_view text) {
  if (!text.starts_with("eyJ")) return 0;
  std::size_t size = 0;
  for (int part = 0; part < 2; ++part) {
    const std::size_t length = run_length(text.substr(size), is_key_char);
    size += length + 1;
    if (length < 8 || size > text.size() || text[size - 1] != '.') return 0;
  }
  return size + run_length(text.substr(size), is_key_char);
}

bool is_after_authorization(const TextPlace& place) {
  constexpr std::size_t kMaxLength = 24;
  std::string_view before = place.text.substr(0, place.at);
  before.remove_prefix(before.size() - std::min(kMaxLength, before.size()));
  while (!before.empty() && (before.back() == ' ' || before.back() == ':' ||
                             before.back() == '=' || is_quote(before.back()))) {
    before.remove_suffix(1);
  }
  return ends_with_word(before, "authorization");
}

bool is_credential(std::string_view token) {
  return token.size() >= 8 &&
         (has_digit(token.substr(0, 64)) || token.size() >= 24);
}

// A token after "Bearer" or "Basic". A short one counts only after
// "Authorization:", because "basic" is also a word of prose.
MaybeSecret find_bearer(const TextPlace& place) {
  const bool is_bearer = starts_with_word(place.rest(), "bearer ");
  if (!is_bearer && !starts_with_word(place.rest(), "basic ")) return {};
  const std::size_t begin = place.at + (is_bearer ? 7 : 6);
  std::string_view token = place.text.substr(begin);
  token = token.substr(0, run_length(token, is_token_char));
  if (token.empty()) return {};
  if (!is_credential(token) && !is_after_authorization(place)) return {};
  return FoundSecret{begin, begin + token.size(), "[token]"};
}

std::size_t local_part_length(const TextPlace& place) {
  constexpr std::size_t kMaxLength = 64;
  const std::string_view before =
      place.text.substr(place.floor, place.at - place.floor);
  std::size_t length = 0;
  while (length < before.size() && length < kMaxLength) {
    const char c = before[before.size() - length - 1];
    if (!is_key_char(c) && c != '.' && c != '+' && c != '%') break;
    ++length;
  }
  while (length > 0 && before[before.size() - length] == '.') --length;
  return length;
}

// The length of a domain: at least two labels separated by dots, the last one
// of two or more letters.
std::size_t domain_length(std::string_view after) {
  std::size_t length = 0;
  std::size_t labels = 0;
  std::size_t found = 0;
  while (length < after.size()) {
    const std::size_t label = run_length(after.substr(length), [](char c) {
      return ascii::is_alphanumeric(c) || c == '-';
    });
    if (label == 0) break;
    const bool is_last_possible =
        label >= 2 &&
        std::ranges::all_of(after.substr(length, label), ascii::is_letter);
    length += label;
    if (++labels >= 2) found = is_last_possible ? length : 0;
    if (length >= after.size() || after[length] != '.') break;
    ++length;
  }
  return found;
}

}  // namespace

MaybeSecret find_private(const TextPlace& place) {
  std::size_t end = place.at + tag_length(place.rest(), "private");
  if (end == place.at) return {};
  int depth = 1;
  while (depth > 0) {
    end = std::min(place.text.find('<', end), place.text.size());
    if (end == place.text.size()) break;
    const std::string_view rest = place.text.substr(end);
    const std::size_t opening = tag_length(rest, "private");
    const std::size_t closing = tag_length(rest, "/private");
    depth += (opening > 0 ? 1 : 0) - (closing > 0 ? 1 : 0);
    end += std::max<std::size_t>(opening + closing, 1);
  }
  return FoundSecret{place.at, end, "[private]"};
}

MaybeSecret find_private_key(const TextPlace& place) {
  static constexpr std::string_view kBegin = "-----BEGIN ";
  static constexpr std::string_view kEnd = "-----END ";
  constexpr std::size_t kLongestLine = 80;
  if (!place.rest().starts_with(kBegin)) return {};
  if (place.rest().substr(0, kLongestLine).find("PRIVATE KEY") == kNone) {
    return {};
  }
  const std::size_t last = place.text.find(kEnd, place.at);
  if (last == kNone) return FoundSecret{place.at, place.text.size(), "[key]"};
  const std::size_t end = last + kEnd.size();
  const std::size_t close = place.text.substr(end, kLongestLine).find("-----");
  return FoundSecret{place.at, end + (close == kNone ? 0 : close + 5), "[key]"};
}

MaybeSecret find_key_or_token(const TextPlace& place) {
  if (is_key_char(place.previous()) || place.previous() == '.') return {};
  if (const std::size_t key = key_length(place.rest()); key > 0) {
    return FoundSecret{place.at, place.at + key, "[key]"};
  }
  if (const std::size_t jwt = jwt_length(place.rest()); jwt > 0) {
    return FoundSecret{place.at, place.at + jwt, "[token]"};
  }
  return find_bearer(place);
}

MaybeSecret find_email(const TextPlace& place) {
  constexpr std::size_t kMaxLength = 255;
  const std::size_t local = local_part_length(place);
  const std::size_t domain =
      domain_length(place.text.substr(place.at + 1, kMaxLength));
  if (local == 0 || domain == 0) return {};
  const std::size_t begin = place.at - local;
  // "git@host" is a remote, not a person.
  if (place.text.substr(begin, local) == "git") return {};
  return FoundSecret{begin, place.at + 1 + domain, "[email]"};
}

}  // namespace lamarck::store::internal
