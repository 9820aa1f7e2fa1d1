// Code points of a text and the Unicode properties that tokenizers use.

#pragma once

#include <string>
#include <string_view>

namespace lamarck::text {

// The code points of `text`; each invalid byte becomes U+FFFD.
std::u32string decode_utf8(std::string_view text);

// Appends a code point. REQUIRES: it is a Unicode scalar value.
void append_utf8(char32_t code, std::string& text);
std::string encode_utf8(std::u32string_view codes);

// Canonical decomposition (NFD).
std::u32string decompose(std::u32string_view codes);
// The simple lower case of one code point.
char32_t lower_case(char32_t code);

bool is_letter_or_digit(char32_t code);       // Categories L and N.
bool is_upper_case(char32_t code);            // Category Lu.
bool is_nonspacing_mark(char32_t code);       // Category Mn.
bool is_control(char32_t code);               // Categories Cc, Cf, Cs and Co.
bool is_punctuation_category(char32_t code);  // Category P.
bool is_space_separator(char32_t code);       // Category Zs.

// Ideographs, which are written without spaces. The ranges are those of BERT.
bool is_ideograph(char32_t code);
// Kana and Hangul, for which character pairs work better than words.
bool is_kana_or_hangul(char32_t code);

}  // namespace lamarck::text
