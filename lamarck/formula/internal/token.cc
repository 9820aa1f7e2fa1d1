#include "lamarck/formula/internal/token.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include <fmt/format.h>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/unicode.h"

namespace lamarck::formula {
namespace {

constexpr std::array<std::string_view, 35> kKeywords = {
    "False",  "None",   "True",    "and",      "as",       "assert", "async",
    "await",  "break",  "class",   "continue", "def",      "del",    "elif",
    "else",   "except", "finally", "for",      "from",     "global", "if",
    "import", "in",     "is",      "lambda",   "nonlocal", "not",    "or",
    "pass",   "raise",  "return",  "try",      "while",    "with",   "yield"};

// Longer operators come first, so that the first match is the longest.
constexpr std::array<std::string_view, 47> kOperators = {
    "**=", "//=", ">>=", "<<=", "...", "**", "//", "==", "!=", "<=", ">=", "->",
    "+=",  "-=",  "*=",  "/=",  "%=",  "@=", "&=", "|=", "^=", ":=", "<<", ">>",
    "+",   "-",   "*",   "/",   "%",   "@",  "&",  "|",  "^",  "~",  "<",  ">",
    "(",   ")",   "[",   "]",   "{",   "}",  ",",  ":",  ".",  ";",  "="};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_ascii_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// Decodes UTF-8; returns 0 for lengths other than 2 and 3. REQUIRES: `bytes` is
// one valid character.
std::uint32_t code_point(std::string_view bytes) {
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i]));
  };
  if (bytes.size() == 2) return (byte(0) & 0x1f) << 6 | (byte(1) & 0x3f);
  if (bytes.size() == 3) {
    return (byte(0) & 0x0f) << 12 | (byte(1) & 0x3f) << 6 | (byte(2) & 0x3f);
  }
  return 0;
}

// Letters of the Latin, Greek and Cyrillic scripts, kana and common ideographs.
bool is_foreign_letter(std::uint32_t point) {
  if (point == 0xd7 || point == 0xf7) return false;
  const auto within = [&](std::uint32_t low, std::uint32_t high) {
    return point >= low && point <= high;
  };
  return within(0xc0, 0x24f) || within(0x370, 0x3ff) || within(0x400, 0x52f) ||
         within(0x3041, 0x30ff) || within(0x4e00, 0x9fff);
}

class Tokenizer {
 public:
  Tokenizer(std::string_view source, Layout layout)
      : rest_(source), layout_(layout) {}

  Result<std::vector<Token>> run() {
    while (!rest_.empty()) {
      if (is_line_start_ && has_lines()) {
        RETURN_IF_ERROR(read_indentation());
      } else {
        RETURN_IF_ERROR(read_one());
      }
    }
    if (!is_line_start_) end_line();
    for (; indents_.size() > 1; indents_.pop_back()) add(TokenKind::Dedent, "");
    add(TokenKind::End, "");
    return std::move(tokens_);
  }

 private:
  bool has_lines() const { return layout_ == Layout::Lines && brackets_ == 0; }

  Position here() const {
    return {layout_ == Layout::Lines ? line_ : 0, column_};
  }

  Token& add(TokenKind kind, std::string text) {
    tokens_.push_back(
        {.kind = kind, .text = std::move(text), .position = here()});
    return tokens_.back();
  }

  // Consumes `count` bytes of the current line.
  std::string_view take(std::size_t count) {
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(taken.size());
    column_ += static_cast<std::uint32_t>(taken.size());
    return taken;
  }

  void take_line_end() {
    take(1);
    ++line_;
    column_ = 1;
  }

  // Adds a Newline unless the line was empty.
  void end_line() {
    // One-line formulas have no Newline tokens.
    if (layout_ == Layout::OneLine) return;
    if (!tokens_.empty() && tokens_.back().kind != TokenKind::Newline &&
        tokens_.back().kind != TokenKind::Dedent &&
        tokens_.back().kind != TokenKind::Indent) {
      add(TokenKind::Newline, "");
    }
  }

  Result<void> read_indentation() {
    std::size_t width = 0;
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\t')) {
      // A tab advances to the next multiple of 8, as in Python.
      width = rest_[0] == '\t' ? (width / 8 + 1) * 8 : width + 1;
      take(1);
    }
    is_line_start_ = false;
    if (rest_.empty() || rest_[0] == '\n' || rest_[0] == '\r' ||
        rest_[0] == '#') {
      return {};  // Blank lines do not change the indentation.
    }
    if (width > indents_.back()) {
      indents_.push_back(width);
      add(TokenKind::Indent, "");
    }
    while (width < indents_.back()) {
      indents_.pop_back();
      add(TokenKind::Dedent, "");
    }
    if (width == indents_.back()) return {};
    return error_at(here(),
                    "the indentation does not match any line above; indent "
                    "each block by four spaces.");
  }

  Result<void> read_one() {
    const char c = rest_[0];
    if (c == '\n') {
      if (has_lines()) end_line();
      take_line_end();
      is_line_start_ = true;
      return {};
    }
    if (c == ' ' || c == '\t' || c == '\r' || c == '\f') {
      take(1);
      return {};
    }
    if (c == '#') {
      take(std::min(rest_.find('\n'), rest_.size()));
      return {};
    }
    if (c == '\\') return read_continuation();
    if (is_digit(c) || (c == '.' && rest_.size() > 1 && is_digit(rest_[1]))) {
      return read_number();
    }
    // Before names, because r"..." starts with a letter.
    if (const std::size_t prefix = string_prefix(); prefix < rest_.size()) {
      return read_string(prefix);
    }
    if (letter_size(rest_) > 0) return read_name();
    return read_operator();
  }

  Result<void> read_continuation() {
    const Position start = here();
    take(1);
    if (rest_.starts_with("\r\n")) take(1);
    if (!rest_.starts_with("\n")) {
      return error_at(start,
                      "a backslash must be the last character of its line.");
    }
    take_line_end();
    return {};
  }

  // The length of a string prefix, such as the r of r"..."; the length of the
  // remaining source if no string starts here.
  std::size_t string_prefix() const {
    std::size_t i = 0;
    while (i < rest_.size() && i < 3 && is_ascii_letter(rest_[i])) ++i;
    const std::string_view letters = rest_.substr(0, i);
    const bool is_prefix =
        letters.size() <= 2 &&
        letters.find_first_not_of("rRbBuUfF") == std::string_view::npos;
    const bool is_string =
        i < rest_.size() && (rest_[i] == '"' || rest_[i] == '\'');
    return is_prefix && is_string ? i : rest_.size();
  }

  Result<void> read_string(std::size_t prefix) {
    const Position start = here();
    const bool is_raw =
        take(prefix).find_first_of("rR") != std::string_view::npos;
    const std::string quote(
        rest_.substr(0, 3) == std::string(3, rest_[0]) ? 3 : 1, rest_[0]);
    take(quote.size());
    std::string content;
    while (!rest_.starts_with(quote)) {
      if (rest_.empty() || (rest_[0] == '\n' && quote.size() == 1)) {
        return error_at(
            start,
            fmt::format("this string is not closed; end it with {}.", quote));
      }
      content += rest_[0] == '\\' && !is_raw ? read_escape() : read_plain();
    }
    take(quote.size());
    tokens_.push_back({.kind = TokenKind::String,
                       .text = std::move(content),
                       .position = start});
    return {};
  }

  std::string read_plain() {
    std::string c(1, rest_[0]);
    if (c == "\n") {
      take_line_end();
    } else {
      take(1);
    }
    return c;
  }

  std::string read_escape() {
    take(1);
    if (rest_.empty()) return "\\";
    std::string c = read_plain();
    if (c == "n") return "\n";
    if (c == "t") return "\t";
    if (c == "\n") return "";
    if (c == "\\" || c == "'" || c == "\"") return c;
    return "\\" + c;
  }

  Result<void> read_name() {
    const Position start = here();
    std::string name;
    while (!rest_.empty()) {
      const std::size_t size = is_digit(rest_[0]) ? 1 : letter_size(rest_);
      if (size == 0) break;
      name += take(size);
    }
    tokens_.push_back(
        {.kind = TokenKind::Name, .text = std::move(name), .position = start});
    return {};
  }

  Result<void> read_operator() {
    for (const std::string_view each : kOperators) {
      if (!rest_.starts_with(each)) continue;
      count_bracket(each);
      add(TokenKind::Operator, std::string(each));
      take(each.size());
      return {};
    }
    const std::size_t size = first_character_size(rest_);
    return error_at(
        here(),
        fmt::format("unexpected character {}; write formulas in Python syntax.",
                    in_quotes(rest_.substr(0, size))));
  }

  void count_bracket(std::string_view text) {
    if (text == "(" || text == "[" || text == "{") ++brackets_;
    if ((text == ")" || text == "]" || text == "}") && brackets_ > 0) {
      --brackets_;
    }
  }

  Result<void> read_number() {
    const Position start = here();
    std::size_t size = 0;
    const auto at = [&](std::size_t i) {
      return i < rest_.size() ? rest_[i] : '\0';
    };
    while (is_digit(at(size)) || is_ascii_letter(at(size)) || at(size) == '.' ||
           ((at(size) == '+' || at(size) == '-') && is_exponent(size))) {
      ++size;
    }
    std::string text(take(size));
    Token token{.kind = TokenKind::Number, .text = text, .position = start};
    if (!read_value(token)) {
      return error_at(start, fmt::format("{} is not a number; numbers look "
                                         "like 12, 0.5 or 1e-3.",
                                         in_quotes(text, 40)));
    }
    tokens_.push_back(std::move(token));
    return {};
  }

  // Whether the sign at `place` belongs to the exponent of a number. In
  // hexadecimal, e is a digit.
  bool is_exponent(std::size_t place) const {
    if (place == 0 || (rest_[place - 1] != 'e' && rest_[place - 1] != 'E')) {
      return false;
    }
    return rest_[0] != '0' || rest_.size() < 2 ||
           (rest_[1] != 'x' && rest_[1] != 'X');
  }

  static bool read_value(Token& token) {
    std::string digits;
    for (std::size_t i = 0; i < token.text.size(); ++i) {
      if (token.text[i] != '_') {
        digits += token.text[i];
      } else if (i + 1 == token.text.size() || token.text[i + 1] == '_') {
        return false;
      }
    }
    if (digits.size() > 2 && digits[0] == '0' && is_ascii_letter(digits[1]) &&
        digits[1] != 'e' && digits[1] != 'E') {
      return read_based(digits, token);
    }
    token.is_integer = digits.find_first_of(".eE") == std::string::npos;
    return read_decimal(digits, token.value);
  }

  static bool read_based(std::string_view digits, Token& token) {
    const char letter = static_cast<char>(digits[1] | 0x20);
    const int base = letter == 'x' ? 16 : letter == 'o' ? 8 : 2;
    if (letter != 'x' && letter != 'o' && letter != 'b') return false;
    std::uint64_t value = 0;
    const char* end = digits.data() + digits.size();
    const auto [stop, code] =
        std::from_chars(digits.data() + 2, end, value, base);
    token.value = static_cast<double>(value);
    token.is_integer = true;
    return stop == end && code == std::errc();
  }

  static bool read_decimal(std::string_view digits, double& value) {
    const char* end = digits.data() + digits.size();
    const auto [stop, code] = std::from_chars(digits.data(), end, value);
    if (code == std::errc::result_out_of_range && stop == end) {
      // from_chars does not say whether the number overflowed or underflowed.
      const bool is_small = digits.find('-') != std::string_view::npos ||
                            digits.starts_with("0") || digits.starts_with(".");
      value = is_small ? 0 : std::numeric_limits<double>::infinity();
      return true;
    }
    return stop == end && code == std::errc();
  }

  std::string_view rest_;
  Layout layout_;
  std::vector<Token> tokens_;
  std::vector<std::size_t> indents_ = {0};
  std::size_t brackets_ = 0;
  bool is_line_start_ = true;
  std::uint32_t line_ = 1;
  std::uint32_t column_ = 1;
};

}  // namespace

Result<std::vector<Token>> tokenize(std::string_view source, Layout layout) {
  return Tokenizer(source, layout).run();
}

bool is_keyword(std::string_view word) {
  return std::find(kKeywords.begin(), kKeywords.end(), word) != kKeywords.end();
}

std::size_t letter_size(std::string_view text) {
  if (text.empty()) return 0;
  if (is_ascii_letter(text[0])) return 1;
  const std::size_t size = first_character_size(text);
  if (size < 2 || size > 3) return 0;
  return is_foreign_letter(code_point(text.substr(0, size))) ? size : 0;
}

bool is_identifier(std::string_view word) {
  if (letter_size(word) == 0 || is_keyword(word)) return false;
  while (!word.empty()) {
    const std::size_t size = is_digit(word[0]) ? 1 : letter_size(word);
    if (size == 0) return false;
    word.remove_prefix(size);
  }
  return true;
}

}  // namespace lamarck::formula
