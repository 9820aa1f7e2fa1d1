#include "lamarck/thought/redaction.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <nlohmann/json.hpp>

#include "lamarck/thought/internal/ascii.h"
#include "lamarck/thought/internal/secret_shapes.h"

namespace lamarck::thought {
namespace {

using internal::ends_with_word;
using internal::find_word;
using internal::has_digit;
using internal::is_alphanumeric;
using internal::is_digit;
using internal::is_key_char;
using internal::is_letter;
using internal::is_placeholder_first;
using internal::is_quote;
using internal::is_space;
using internal::is_token_char;
using internal::KeyShape;
using internal::kNone;
using internal::secret_name_in;
using internal::SecretName;
using internal::starts_with_word;

template <class Is>
std::size_t run_length(std::string_view text, Is is, std::size_t most = kNone) {
  std::size_t length = 0;
  while (length < text.size() && length < most && is(text[length])) ++length;
  return length;
}

// Reads the text once; what is found is replaced, all else is copied. Every
// look ahead or back that may be in vain is bounded.
class Redactor {
 public:
  explicit Redactor(std::string_view text) : text_(text) {
    result_.reserve(text.size());
  }

  std::string redacted() {
    while (at_ < text_.size()) {
      if (!take_secret()) result_ += text_[at_++];
    }
    return std::move(result_);
  }

 private:
  std::string_view rest() const { return text_.substr(at_); }
  char previous() const { return at_ > 0 ? text_[at_ - 1] : ' '; }

  bool take_secret() {
    switch (text_[at_]) {
      case '<':
        return take_private();
      case '-':
        return take_pem();
      case '=':
      case ':':
        return take_url_password() || take_assignment();
      case ' ':
        return take_option();
      case '@':
        return take_email();
      default:
        return is_letter(text_[at_]) && take_token();
    }
  }

  bool replace(std::size_t size, std::string_view placeholder) {
    at_ = std::min(at_ + size, text_.size());
    result_ += placeholder;
    return true;
  }

  bool take_private() {
    static constexpr std::string_view kEnd = "</private>";
    if (!starts_with_word(rest(), "<private>")) return false;
    const std::size_t end = find_word(rest(), kEnd);
    return replace(end == kNone ? rest().size() : end + kEnd.size(),
                   "[private]");
  }

  bool take_pem() {
    static constexpr std::string_view kBegin = "-----BEGIN ";
    static constexpr std::string_view kEnd = "-----END ";
    if (!rest().starts_with(kBegin)) return false;
    const std::string_view head = rest().substr(0, 80);
    if (head.find("PRIVATE KEY") == kNone) return false;
    const std::size_t end = rest().find(kEnd);
    if (end == kNone) return replace(rest().size(), "[key]");
    const std::string_view tail = rest().substr(end + kEnd.size());
    const std::size_t close = tail.substr(0, 80).find("-----");
    return replace(end + kEnd.size() + (close == kNone ? 0 : close + 5),
                   "[key]");
  }

  bool take_token() {
    if (is_key_char(previous()) || previous() == '.') return false;
    return take_key() || take_jwt() || take_bearer();
  }

  bool take_key() {
    for (const KeyShape& shape : internal::key_shapes()) {
      if (!rest().starts_with(shape.prefix)) continue;
      const std::string_view body = rest().substr(shape.prefix.size());
      const std::size_t length = run_length(body, is_key_char);
      if (length < shape.least || !has_digit(body.substr(0, length))) continue;
      return replace(shape.prefix.size() + length, "[key]");
    }
    return false;
  }

  // Three parts of base64url; the first is a JSON object.
  bool take_jwt() {
    if (!rest().starts_with("eyJ")) return false;
    std::size_t size = 0;
    for (int part = 0; part < 3; ++part) {
      const std::size_t length = run_length(rest().substr(size), is_key_char);
      const std::size_t least = part < 2 ? 8 : 0;
      if (length < least) return false;
      size += length;
      if (part == 2) break;
      if (size >= rest().size() || rest()[size] != '.') return false;
      ++size;
    }
    return replace(size, "[token]");
  }

  // After "Bearer" or "Basic"; also a short one after "Authorization:".
  bool take_bearer() {
    const bool is_bearer = starts_with_word(rest(), "bearer ");
    if (!is_bearer && !starts_with_word(rest(), "basic ")) return false;
    const std::size_t scheme = is_bearer ? 7 : 6;
    const std::string_view token = rest().substr(scheme);
    const std::size_t length = run_length(token, is_token_char);
    if (length == 0 || !is_credential(token.substr(0, length))) return false;
    result_ += rest().substr(0, scheme);
    at_ += scheme;
    return replace(length, "[token]");
  }

  bool is_credential(std::string_view token) const {
    if (is_after_authorization()) return true;
    return token.size() >= 8 &&
           (has_digit(token.substr(0, 64)) || token.size() >= 24);
  }

  bool is_after_authorization() const {
    std::string_view before = text_.substr(0, at_);
    before.remove_prefix(before.size() - std::min<std::size_t>(24, at_));
    while (!before.empty() &&
           (before.back() == ' ' || before.back() == ':' ||
            before.back() == '=' || is_quote(before.back()))) {
      before.remove_suffix(1);
    }
    return ends_with_word(before, "authorization");
  }

  // scheme://user:password@host
  bool take_url_password() {
    constexpr std::size_t kLongest = 256;
    if (!rest().starts_with("://")) return false;
    const std::string_view after = rest().substr(3, kLongest);
    const std::size_t end = run_length(after, [](char c) {
      return !is_space(c) && !is_quote(c) && c != '/' && c != '<' && c != '>';
    });
    const std::string_view authority = after.substr(0, end);
    const std::size_t sign = authority.rfind('@');
    if (sign == kNone || authority.substr(0, sign).find(':') == kNone) {
      return false;
    }
    result_ += "://";
    at_ += 3;
    return replace(sign, "[password]");
  }

  // The name of a secret that ends here, which may be quoted.
  const SecretName* secret_name_before(std::size_t end) const {
    constexpr std::size_t kLongest = 40;
    while (end > 0 && (text_[end - 1] == ' ' || text_[end - 1] == ':') &&
           at_ - end < 3) {
      --end;
    }
    if (end > 0 && is_quote(text_[end - 1])) --end;
    if (end > 0 && text_[end - 1] == '\\') --end;
    const std::size_t begin = end - std::min(end, kLongest);
    return secret_name_in(text_.substr(begin, end - begin));
  }

  bool take_assignment() {
    const SecretName* secret = secret_name_before(at_);
    if (secret == nullptr) return false;
    std::size_t value = at_ + 1;
    if (value < text_.size() && text_[value] == '=') return false;
    if (value < text_.size() && text_[value] == '>') ++value;
    value += run_length(
        text_.substr(value), [](char c) { return c == ' ' || c == '\t'; }, 8);
    return replace_value(value, *secret, text_[at_] == ':');
  }

  // --password VALUE
  bool take_option() {
    if (!is_letter(previous())) return false;
    constexpr std::size_t kLongest = 40;
    std::string_view option = result_;
    option.remove_prefix(option.size() - std::min(option.size(), kLongest));
    const std::size_t begin = option.rfind("--");
    if (begin == kNone) return false;
    option.remove_prefix(begin + 2);
    if (run_length(option, is_key_char) != option.size()) return false;
    const SecretName* secret = secret_name_before(at_);
    if (secret == nullptr || at_ + 1 >= text_.size() || text_[at_ + 1] == '-' ||
        is_space(text_[at_ + 1])) {
      return false;
    }
    return replace_value(at_ + 1, *secret, false);
  }

  // The value that begins at `begin`; in prose, behind a colon, only if it
  // looks like a secret.
  bool replace_value(std::size_t begin, const SecretName& secret,
                     bool is_after_colon) {
    const std::string_view all = text_.substr(begin);
    const bool is_escaped = all.starts_with("\\\"");
    const std::size_t skipped =
        is_escaped ? 2 : (!all.empty() && is_quote(all.front()) ? 1 : 0);
    const std::string_view value = all.substr(skipped);
    if (value.empty() || is_reference(value)) return false;
    if (is_after_colon && skipped == 0 && !looks_secret(begin)) return false;
    const std::size_t length =
        skipped > 0 ? quoted_length(value, all[skipped - 1], is_escaped)
                    : run_length(value, is_value_char);
    if (length == 0) return false;
    if (secret.placeholder == "[token]" &&
        is_small_number(value.substr(0, length))) {
      return false;
    }
    result_ += text_.substr(at_, begin + skipped - at_);
    at_ = begin + skipped;
    return replace(length, secret.placeholder);
  }

  static std::size_t quoted_length(std::string_view value, char quote,
                                   bool is_escaped) {
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

  static bool is_value_char(char c) {
    return !is_space(c) && !is_quote(c) &&
           std::string_view("&;,<>(){}").find(c) == kNone;
  }

  static bool is_small_number(std::string_view value) {
    return value.size() < 6 && std::ranges::all_of(value, is_digit);
  }

  // A placeholder, a variable or asterisks are no secret.
  static bool is_reference(std::string_view value) {
    return value.front() == '$' || value.front() == '*' ||
           is_placeholder_first(value);
  }

  bool looks_secret(std::size_t begin) const {
    constexpr std::size_t kLongest = 256;
    std::string_view value = text_.substr(begin, kLongest);
    value = value.substr(0, run_length(value, is_value_char));
    if (value.size() >= 6 && has_digit(value)) return true;
    const std::size_t end = begin + value.size();
    const bool ends_line = end >= text_.size() || text_[end] == '\n';
    return ends_line && is_first_of_line();
  }

  // Whether only the name of the secret stands before it on its line.
  bool is_first_of_line() const {
    constexpr std::size_t kLongest = 40;
    std::size_t begin = at_;
    while (begin > 0 && at_ - begin < kLongest &&
           is_key_char(text_[begin - 1])) {
      --begin;
    }
    while (begin > 0 && at_ - begin < kLongest && text_[begin - 1] == ' ') {
      --begin;
    }
    return begin == 0 || text_[begin - 1] == '\n';
  }

  bool take_email() {
    const std::size_t local = local_part_length();
    const std::size_t domain = domain_length();
    if (local == 0 || domain == 0) return false;
    const std::string_view name =
        std::string_view(result_).substr(result_.size() - local);
    if (name == "git") return false;
    result_.resize(result_.size() - local);
    return replace(1 + domain, "[email]");
  }

  std::size_t local_part_length() const {
    constexpr std::size_t kLongest = 64;
    std::size_t length = 0;
    while (length < result_.size() && length < kLongest) {
      const char c = result_[result_.size() - length - 1];
      if (!is_key_char(c) && c != '.' && c != '+' && c != '%') break;
      ++length;
    }
    while (length > 0 && result_[result_.size() - length] == '.') --length;
    return length;
  }

  // Labels between points, of which the last is of two letters or more.
  std::size_t domain_length() const {
    const std::string_view after = text_.substr(at_ + 1, 255);
    std::size_t length = 0;
    std::size_t labels = 0;
    std::size_t found = 0;
    while (length < after.size()) {
      const std::size_t label = run_length(after.substr(length), [](char c) {
        return is_alphanumeric(c) || c == '-';
      });
      if (label == 0) break;
      const bool is_last_possible =
          label >= 2 &&
          std::ranges::all_of(after.substr(length, label), is_letter);
      length += label;
      if (++labels >= 2) found = is_last_possible ? length : 0;
      if (length >= after.size() || after[length] != '.') break;
      ++length;
    }
    return found;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string result_;
};

Json redacted_member(const std::string& name, const Json& value) {
  const SecretName* secret = secret_name_in(name);
  const bool is_secret = secret != nullptr && value.is_string() &&
                         !value.get_ref<const std::string&>().empty();
  return is_secret ? Json(secret->placeholder) : redacted_json(value);
}

}  // namespace

std::string redacted(std::string_view text) {
  return Redactor(text).redacted();
}

Json redacted_json(const Json& json) {
  if (json.is_string()) return redacted(json.get_ref<const std::string&>());
  if (!json.is_structured()) return json;
  Json result = json.is_array() ? Json::array() : Json::object();
  if (json.is_array()) {
    for (const Json& entry : json) result.push_back(redacted_json(entry));
    return result;
  }
  for (const auto& [name, value] : json.items()) {
    result[name] = redacted_member(name, value);
  }
  return result;
}

}  // namespace lamarck::thought
