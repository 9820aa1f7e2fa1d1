// What secrets look like.

#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace lamarck::thought::internal {

inline constexpr std::size_t kNone = std::string_view::npos;

bool is_key_char(char c);    // Letter, digit, underscore or hyphen.
bool is_token_char(char c);  // Likewise, and the others of base64.
bool is_quote(char c);
bool has_digit(std::string_view text);

// Without regard to case.
bool starts_with_word(std::string_view text, std::string_view word);
bool ends_with_word(std::string_view text, std::string_view word);
std::size_t find_word(std::string_view text, std::string_view word);

// How a kind of key begins, and how long what follows is at least.
struct KeyShape {
  std::string_view prefix;
  std::size_t least;
};
std::span<const KeyShape> key_shapes();

// What names a secret, and what stands for it.
struct SecretName {
  std::string_view ending;
  std::string_view placeholder;
};
// The name at the end of `text`; null if there is none.
const SecretName* secret_name_in(std::string_view text);

bool is_placeholder_first(std::string_view text);

}  // namespace lamarck::thought::internal
