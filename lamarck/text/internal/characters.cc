#include "lamarck/text/internal/characters.h"

#include <array>
#include <vector>
#include <utf8proc.h>

#include "lamarck/base/ensure.h"

namespace lamarck::text {
namespace {

utf8proc_category_t category(char32_t code) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(code));
}

struct Range {
  char32_t first;
  char32_t last;
};

template <std::size_t N>
bool is_in(const std::array<Range, N>& ranges, char32_t code) {
  for (const Range& range : ranges) {
    if (code >= range.first && code <= range.last) return true;
  }
  return false;
}

}  // namespace

std::u32string decode_utf8(std::string_view text) {
  std::u32string codes;
  codes.reserve(text.size());
  while (!text.empty()) {
    utf8proc_int32_t code = -1;
    const utf8proc_ssize_t size =
        utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                         static_cast<utf8proc_ssize_t>(text.size()), &code);
    codes.push_back(size > 0 ? static_cast<char32_t>(code) : U'\uFFFD');
    text.remove_prefix(size > 0 ? static_cast<std::size_t>(size) : 1);
  }
  return codes;
}

void append_utf8(char32_t code, std::string& text) {
  std::array<utf8proc_uint8_t, 4> bytes{};
  const utf8proc_ssize_t size =
      utf8proc_encode_char(static_cast<utf8proc_int32_t>(code), bytes.data());
  ENSURE(size > 0, "append_utf8 gets a Unicode scalar value");
  text.append(reinterpret_cast<const char*>(bytes.data()),
              static_cast<std::size_t>(size));
}

std::string encode_utf8(std::u32string_view codes) {
  std::string text;
  for (const char32_t code : codes) append_utf8(code, text);
  return text;
}

std::u32string decompose(std::u32string_view codes) {
  const std::string text = encode_utf8(codes);
  // utf8proc_map allocates with malloc; a first call tells the size instead.
  const auto* const bytes =
      reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  const auto size = static_cast<utf8proc_ssize_t>(text.size());
  const auto options =
      static_cast<utf8proc_option_t>(UTF8PROC_DECOMPOSE | UTF8PROC_STABLE);
  const utf8proc_ssize_t count =
      utf8proc_decompose(bytes, size, nullptr, 0, options);
  ENSURE(count >= 0, "Valid UTF-8 can be decomposed");
  std::vector<utf8proc_int32_t> parts(static_cast<std::size_t>(count));
  utf8proc_decompose(bytes, size, parts.data(), count, options);
  return {parts.begin(), parts.end()};
}

char32_t lower_case(char32_t code) {
  return static_cast<char32_t>(
      utf8proc_tolower(static_cast<utf8proc_int32_t>(code)));
}

bool is_letter_or_digit(char32_t code) {
  const utf8proc_category_t kind = category(code);
  return (kind >= UTF8PROC_CATEGORY_LU && kind <= UTF8PROC_CATEGORY_LO) ||
         (kind >= UTF8PROC_CATEGORY_ND && kind <= UTF8PROC_CATEGORY_NO);
}

bool is_upper_case(char32_t code) {
  return category(code) == UTF8PROC_CATEGORY_LU;
}

bool is_nonspacing_mark(char32_t code) {
  return category(code) == UTF8PROC_CATEGORY_MN;
}

bool is_control(char32_t code) {
  return category(code) >= UTF8PROC_CATEGORY_CC;
}

bool is_punctuation_category(char32_t code) {
  const utf8proc_category_t kind = category(code);
  return kind >= UTF8PROC_CATEGORY_PC && kind <= UTF8PROC_CATEGORY_PO;
}

bool is_space_separator(char32_t code) {
  return category(code) == UTF8PROC_CATEGORY_ZS;
}

bool is_ideograph(char32_t code) {
  static constexpr std::array<Range, 8> kRanges = {
      Range{0x4E00, 0x9FFF},   Range{0x3400, 0x4DBF},   Range{0x20000, 0x2A6DF},
      Range{0x2A700, 0x2B73F}, Range{0x2B740, 0x2B81F}, Range{0x2B820, 0x2CEAF},
      Range{0xF900, 0xFAFF},   Range{0x2F800, 0x2FA1F}};
  return is_in(kRanges, code);
}

bool is_kana_or_hangul(char32_t code) {
  static constexpr std::array<Range, 3> kRanges = {
      Range{0x3041, 0x30FF}, Range{0x1100, 0x11FF}, Range{0xAC00, 0xD7AF}};
  return is_in(kRanges, code);
}

}  // namespace lamarck::text
