#include "lamarck/thought/internal/secret_shapes.h"

#include <algorithm>
#include <array>

#include "lamarck/thought/internal/ascii.h"

namespace lamarck::thought::internal {
namespace {

constexpr std::array kKeyShapes = {
    KeyShape{"sk-", 16},      KeyShape{"sk_live_", 16},
    KeyShape{"sk_test_", 16}, KeyShape{"rk_live_", 16},
    KeyShape{"ghp_", 20},     KeyShape{"gho_", 20},
    KeyShape{"ghu_", 20},     KeyShape{"ghs_", 20},
    KeyShape{"ghr_", 20},     KeyShape{"github_pat_", 20},
    KeyShape{"xoxa-", 10},    KeyShape{"xoxb-", 10},
    KeyShape{"xoxp-", 10},    KeyShape{"xoxr-", 10},
    KeyShape{"xoxs-", 10},    KeyShape{"xoxe-", 10},
    KeyShape{"AKIA", 16},     KeyShape{"ASIA", 16},
    KeyShape{"AIza", 30},     KeyShape{"glpat-", 16},
    KeyShape{"npm_", 30},     KeyShape{"hf_", 30},
    KeyShape{"pypi-", 30},
};

constexpr std::array kSecretNames = {
    SecretName{"password", "[password]"},   SecretName{"passwd", "[password]"},
    SecretName{"passphrase", "[password]"}, SecretName{"pwd", "[password]"},
    SecretName{"token", "[token]"},         SecretName{"secret", "[key]"},
    SecretName{"api_key", "[key]"},         SecretName{"api-key", "[key]"},
    SecretName{"apikey", "[key]"},          SecretName{"access_key", "[key]"},
    SecretName{"secret_key", "[key]"},      SecretName{"private_key", "[key]"},
};

constexpr std::array<std::string_view, 5> kPlaceholders = {
    "[key]", "[token]", "[email]", "[password]", "[private]"};

}  // namespace

bool is_key_char(char c) { return is_word(c) || c == '-'; }
bool is_token_char(char c) {
  return is_key_char(c) || c == '.' || c == '~' || c == '+' || c == '/' ||
         c == '=';
}
bool is_quote(char c) { return c == '"' || c == '\'' || c == '`'; }

bool has_digit(std::string_view text) {
  return std::ranges::any_of(text, is_digit);
}

bool starts_with_word(std::string_view text, std::string_view word) {
  return text.size() >= word.size() &&
         std::ranges::equal(text.substr(0, word.size()), word, {}, lower,
                            lower);
}

bool ends_with_word(std::string_view text, std::string_view word) {
  return text.size() >= word.size() &&
         starts_with_word(text.substr(text.size() - word.size()), word);
}

std::size_t find_word(std::string_view text, std::string_view word) {
  const auto* const found =
      std::search(text.begin(), text.end(), word.begin(), word.end(),
                  [](char a, char b) { return lower(a) == lower(b); });
  return found == text.end() ? kNone
                             : static_cast<std::size_t>(found - text.begin());
}

std::span<const KeyShape> key_shapes() { return kKeyShapes; }

const SecretName* secret_name_in(std::string_view text) {
  for (const SecretName& secret : kSecretNames) {
    if (ends_with_word(text, secret.ending)) return &secret;
  }
  return nullptr;
}

bool is_placeholder_first(std::string_view text) {
  return std::ranges::any_of(kPlaceholders, [text](std::string_view known) {
    return text.starts_with(known);
  });
}

}  // namespace lamarck::thought::internal
