#include "lamarck/store/internal/secret_shapes.h"

#include <algorithm>
#include <array>

#include "lamarck/base/ascii.h"

namespace lamarck::store::internal {
namespace {

constexpr auto kKeyShapes = [] {
  using enum KeyAlphabet;
  return std::array{
      KeyShape{"OpenAI, Anthropic", "sk-", WithDigit, 16},
      KeyShape{"Stripe", "sk_live_", Letters, 16},
      KeyShape{"Stripe", "sk_test_", Letters, 16},
      KeyShape{"Stripe", "rk_live_", Letters, 16},
      KeyShape{"Stripe", "rk_test_", Letters, 16},
      KeyShape{"Stripe", "whsec_", Letters, 24},
      KeyShape{"GitHub", "ghp_", Letters, 20},
      KeyShape{"GitHub", "gho_", Letters, 20},
      KeyShape{"GitHub", "ghu_", Letters, 20},
      KeyShape{"GitHub", "ghs_", Letters, 20},
      KeyShape{"GitHub", "ghr_", Letters, 20},
      KeyShape{"GitHub", "github_pat_", WithDigit, 20},
      KeyShape{"GitLab", "glpat-", WithDigit, 16},
      KeyShape{"Slack", "xoxa-", WithDigit, 10},
      KeyShape{"Slack", "xoxb-", WithDigit, 10},
      KeyShape{"Slack", "xoxp-", WithDigit, 10},
      KeyShape{"Slack", "xoxr-", WithDigit, 10},
      KeyShape{"Slack", "xoxs-", WithDigit, 10},
      KeyShape{"Slack", "xoxe-", WithDigit, 10},
      KeyShape{"Slack", "xapp-", WithDigit, 10},
      KeyShape{"Amazon", "AKIA", Capitals, 16},
      KeyShape{"Amazon", "ASIA", Capitals, 16},
      KeyShape{"Google", "AIza", Words, 30},
      KeyShape{"Google", "GOCSPX-", Words, 20},
      KeyShape{"Google", "ya29.", WithDigit, 20},
      KeyShape{"npm", "npm_", Letters, 30},
      KeyShape{"Hugging Face", "hf_", Letters, 30},
      KeyShape{"PyPI", "pypi-", WithDigit, 30},
  };
}();

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

bool is_capital(char c) { return ascii::is_digit(c) || (c >= 'A' && c <= 'Z'); }

std::size_t body_length(std::string_view body, KeyAlphabet alphabet) {
  if (alphabet == KeyAlphabet::Capitals) return run_length(body, is_capital);
  if (alphabet == KeyAlphabet::Letters)
    return run_length(body, ascii::is_alphanumeric);
  const std::size_t length = run_length(body, is_key_char);
  if (alphabet == KeyAlphabet::Words || has_digit(body.substr(0, length)))
    return length;
  return 0;
}

}  // namespace

bool is_key_char(char c) { return ascii::is_word(c) || c == '-'; }
bool is_token_char(char c) {
  return is_key_char(c) || c == '.' || c == '~' || c == '+' || c == '/' ||
         c == '=';
}
bool is_quote(char c) { return c == '"' || c == '\'' || c == '`'; }

bool has_digit(std::string_view text) {
  return std::ranges::any_of(text, ascii::is_digit);
}

bool starts_with_word(std::string_view text, std::string_view word) {
  return text.size() >= word.size() &&
         std::ranges::equal(text.substr(0, word.size()), word, {}, ascii::lower,
                            ascii::lower);
}

bool ends_with_word(std::string_view text, std::string_view word) {
  return text.size() >= word.size() &&
         starts_with_word(text.substr(text.size() - word.size()), word);
}

std::string_view key_alphabet_name(KeyAlphabet alphabet) {
  static constexpr std::array<std::string_view, 4> kNames = {
      "capitals and digits", "letters and digits",
      "letters, digits, `-` and `_`",
      "letters, digits, `-` and `_`, with a digit"};
  return kNames[static_cast<std::size_t>(alphabet)];
}

std::span<const KeyShape> key_shapes() { return kKeyShapes; }

std::size_t key_length(std::string_view text) {
  for (const KeyShape& shape : kKeyShapes) {
    if (!text.starts_with(shape.prefix)) continue;
    const std::size_t length =
        body_length(text.substr(shape.prefix.size()), shape.alphabet);
    if (length >= shape.min_length) return shape.prefix.size() + length;
  }
  return 0;
}

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

}  // namespace lamarck::store::internal
