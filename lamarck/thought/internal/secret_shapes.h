// What secrets look like.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace lamarck::thought::internal {

inline constexpr std::size_t kNone = std::string_view::npos;

bool is_key_char(char c);    // Letter, digit, underscore or hyphen.
bool is_token_char(char c);  // Likewise, and the others of base64.
bool is_quote(char c);
bool has_digit(std::string_view text);

// How many characters at the front of `text` are so, up to `most`.
template <class Is>
std::size_t run_length(std::string_view text, Is is, std::size_t most = kNone) {
  std::size_t length = 0;
  while (length < text.size() && length < most && is(text[length])) ++length;
  return length;
}

// Without regard to case.
bool starts_with_word(std::string_view text, std::string_view word);
bool ends_with_word(std::string_view text, std::string_view word);

// What the characters of a key are.
enum class KeyAlphabet : std::uint8_t {
  Capitals,   // And digits.
  Letters,    // And digits.
  Words,      // Letters, digits, hyphens and underscores.
  WithDigit,  // Likewise, with a digit among them: words of prose have none.
};
// For the documents.
std::string_view key_alphabet_name(KeyAlphabet alphabet);

// The keys that are known: one list that the search, the tests and
// docs/thoughts.md walk.
struct KeyShape {
  std::string_view whose;
  std::string_view prefix;
  KeyAlphabet alphabet;
  std::size_t least;  // How many characters follow the prefix, at least.
};
std::span<const KeyShape> key_shapes();

// The length of the key at the front of `text`; 0 if there is none.
std::size_t key_length(std::string_view text);

// What names a secret, and what stands for it.
struct SecretName {
  std::string_view ending;
  std::string_view placeholder;
};
// The name at the end of `text`; null if there is none.
const SecretName* secret_name_in(std::string_view text);

bool is_placeholder_first(std::string_view text);

// A character of a text that is read from its front.
struct TextPlace {
  std::string_view text;
  std::size_t at = 0;
  std::size_t floor = 0;  // What is before has been replaced; at most `at`.

  std::string_view rest() const { return text.substr(at); }
  char previous() const { return at > 0 ? text[at - 1] : ' '; }
};

// What to replace, from `begin` (not before the floor) to `end`.
struct FoundSecret {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string_view placeholder;
};
using MaybeSecret = std::optional<FoundSecret>;

}  // namespace lamarck::thought::internal
