#include "lamarck/base/json_parse.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/base/unicode.h"

namespace lamarck {
namespace {

// A recursive-descent parser. Every member returns false on invalid text, and
// the parse ends there.
class ValidReader {
 public:
  ValidReader(std::string_view text, std::size_t max_depth)
      : at_(text.data()), end_(at_ + text.size()), levels_left_(max_depth) {}

  bool read_all(Json& value) {
    if (!read_value(value)) return false;
    skip_space();
    return at_ == end_;
  }

 private:
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  bool is_next(char c) const { return at_ != end_ && *at_ == c; }
  bool take(char c) {
    if (!is_next(c)) return false;
    ++at_;
    return true;
  }
  bool take_word(std::string_view word) {
    const auto left = static_cast<std::size_t>(end_ - at_);
    if (!std::string_view(at_, left).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  void skip_space() {
    while (at_ != end_ &&
           (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) {
      ++at_;
    }
  }

  bool read_value(Json& value) {
    skip_space();
    if (at_ == end_) return false;
    switch (*at_) {
      case '{':
        return read_object(value);
      case '[':
        return read_array(value);
      case '"': {
        std::string text;
        if (!read_string(text)) return false;
        value = std::move(text);
        return true;
      }
      case 't':
        value = true;
        return take_word("true");
      case 'f':
        value = false;
        return take_word("false");
      case 'n':
        value = nullptr;
        return take_word("null");
      default:
        return read_number(value);
    }
  }

  bool enter() {
    if (levels_left_ == 0) return false;
    --levels_left_;
    ++at_;
    skip_space();
    return true;
  }

  // NOLINTNEXTLINE(misc-no-recursion): as deep as there are levels left.
  bool read_object(Json& value) {
    if (!enter()) return false;
    value = Json::object();
    auto& members = value.get_ref<Json::object_t&>();
    if (!is_next('}')) {
      do {
        skip_space();
        std::string name;
        if (!is_next('"') || !read_string(name)) return false;
        skip_space();
        if (!take(':') || !read_value(members[std::move(name)])) return false;
        skip_space();
      } while (take(','));
    }
    ++levels_left_;
    return take('}');
  }

  // NOLINTNEXTLINE(misc-no-recursion): as deep as there are levels left.
  bool read_array(Json& value) {
    if (!enter()) return false;
    value = Json::array();
    auto& items = value.get_ref<Json::array_t&>();
    if (!is_next(']')) {
      do {
        items.emplace_back();
        if (!read_value(items.back())) return false;
        skip_space();
      } while (take(','));
    }
    ++levels_left_;
    return take(']');
  }

  bool read_string(std::string& text) {
    ++at_;  // The quotation mark.
    for (;;) {
      const char* const begin = at_;
      while (at_ != end_ && *at_ != '"' && *at_ != '\\' &&
             static_cast<unsigned char>(*at_) >= ' ') {
        ++at_;
      }
      text.append(begin, at_);
      if (take('"')) return is_valid_utf8(text);
      if (!take('\\') || at_ == end_ || !read_escape(text)) return false;
    }
  }

  bool read_escape(std::string& text) {
    constexpr std::string_view kNames = "\"\\/bfnrt";
    constexpr std::string_view kCharacters = "\"\\/\b\f\n\r\t";
    const char name = *at_++;
    if (name == 'u') return read_code(text);
    const std::size_t index = kNames.find(name);
    if (index == std::string_view::npos) return false;
    text += kCharacters[index];
    return true;
  }

  bool read_hex(std::uint32_t& code) {
    constexpr int kDigits = 4;
    if (end_ - at_ < kDigits) return false;
    const auto [stop, failure] = std::from_chars(at_, at_ + kDigits, code, 16);
    if (failure != std::errc() || stop != at_ + kDigits) return false;
    at_ = stop;
    return true;
  }

  // Reads the digits after "\u". A surrogate pair encodes one character.
  bool read_code(std::string& text) {
    std::uint32_t code = 0;
    if (!read_hex(code)) return false;
    if (code >= 0xDC00 && code <= 0xDFFF) return false;
    if (code >= 0xD800 && code <= 0xDBFF) {
      std::uint32_t low = 0;
      if (!take_word("\\u") || !read_hex(low)) return false;
      if (low < 0xDC00 || low > 0xDFFF) return false;
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    append_utf8(text, code);
    return true;
  }

  static void append_utf8(std::string& text, std::uint32_t code) {
    const auto add = [&](std::uint32_t byte) {
      text += static_cast<char>(byte);
    };
    if (code < 0x80) return add(code);
    if (code < 0x800) {
      add(0xC0 | code >> 6);
    } else if (code < 0x10000) {
      add(0xE0 | code >> 12);
      add(0x80 | (code >> 6 & 0x3F));
    } else {
      add(0xF0 | code >> 18);
      add(0x80 | (code >> 12 & 0x3F));
      add(0x80 | (code >> 6 & 0x3F));
    }
    add(0x80 | (code & 0x3F));
  }

  bool take_digits() {
    const char* const begin = at_;
    while (at_ != end_ && is_digit(*at_)) ++at_;
    return at_ != begin;
  }

  bool read_number(Json& value) {
    const char* const begin = at_;
    const bool is_negative = take('-');
    if (!take('0') && !take_digits()) return false;
    bool is_whole = true;
    if (take('.')) {
      is_whole = false;
      if (!take_digits()) return false;
    }
    if (take('e') || take('E')) {
      is_whole = false;
      if (!take('+')) take('-');
      if (!take_digits()) return false;
    }
    if (is_whole) {
      // Like nlohmann: unsigned, unless there is a minus sign.
      return is_negative ? convert_number<std::int64_t>(begin, value)
                         : convert_number<std::uint64_t>(begin, value);
    }
    return convert_number<double>(begin, value);
  }

  template <class T>
  bool convert_number(const char* begin, Json& value) const {
    T number{};
    const auto [stop, failure] = std::from_chars(begin, at_, number);
    if (failure != std::errc() || stop != at_) return false;
    value = number;
    return true;
  }

  const char* at_;
  const char* const end_;
  std::size_t levels_left_;
};

}  // namespace

std::optional<Json> parse_valid_json(std::string_view text,
                                     std::size_t max_depth) {
  // Bounds the recursion; deeper texts go to nlohmann's iterative parser.
  constexpr std::size_t kMaxDepth = 1000;
  Json value;
  ValidReader reader(text, std::min(max_depth, kMaxDepth));
  if (!reader.read_all(value)) return std::nullopt;
  return value;
}

}  // namespace lamarck
