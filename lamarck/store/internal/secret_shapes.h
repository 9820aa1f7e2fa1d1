// Patterns of secrets.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace lamarck::store::internal {

inline constexpr std::size_t kNone = std::string_view::npos;

bool is_key_char(char c);    // Letter, digit, underscore or hyphen.
bool is_token_char(char c);  // Also '.', '~', '+', '/' and '='.
bool is_quote(char c);
bool has_digit(std::string_view text);

// Returns the length of the prefix of `text` whose characters satisfy `is`, at
// most `max`.
template <class Is>
std::size_t run_length(std::string_view text, Is is, std::size_t max = kNone) {
  std::size_t length = 0;
  while (length < text.size() && length < max && is(text[length])) ++length;
  return length;
}

// These ignore case.
bool starts_with_word(std::string_view text, std::string_view word);
bool ends_with_word(std::string_view text, std::string_view word);

// The characters that a key consists of.
enum class KeyAlphabet : std::uint8_t {
  Capitals,   // And digits.
  Letters,    // And digits.
  Words,      // Letters, digits, hyphens and underscores.
  WithDigit,  // Like Words, and at least one digit; excludes prose.
};
// For the documentation.
std::string_view key_alphabet_name(KeyAlphabet alphabet);

// Known API keys: the one list that the search, the tests and docs/thoughts.md
// iterate.
struct KeyShape {
  std::string_view service;
  std::string_view prefix;
  KeyAlphabet alphabet;
  std::size_t min_length;  // Characters after the prefix.
};
std::span<const KeyShape> key_shapes();

// The length of the key that `text` starts with; 0 if there is none.
std::size_t key_length(std::string_view text);

// An ending of names that denote secrets, and the placeholder for the value.
struct SecretName {
  std::string_view ending;
  std::string_view placeholder;
};
// The entry whose ending `text` ends with; null if there is none.
const SecretName* secret_name_in(std::string_view text);

// Returns whether `text` starts with a placeholder such as "[key]".
bool is_placeholder_first(std::string_view text);

// A position in a text that is scanned from the front.
struct TextPlace {
  std::string_view text;
  std::size_t at = 0;
  std::size_t floor = 0;  // Text before it is already replaced; <= at.

  std::string_view rest() const { return text.substr(at); }
  char previous() const { return at > 0 ? text[at - 1] : ' '; }
};

// The range to replace, [begin, end); begin >= floor.
struct FoundSecret {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string_view placeholder;
};
using MaybeSecret = std::optional<FoundSecret>;

}  // namespace lamarck::store::internal
