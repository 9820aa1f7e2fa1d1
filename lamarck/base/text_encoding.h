// Converts text in other encodings to UTF-8.

#pragma once

#include <string>
#include <string_view>

#include "lamarck/base/result.h"

namespace lamarck {

// Converts the whole text. `encoding` is a name that iconv knows, in any letter
// case, such as latin1, windows-1252, utf-16 or shift_jis. Fails for an unknown
// name and for bytes that are not valid in the encoding.
Result<std::string> to_utf8(std::string_view bytes,
                            const std::string& encoding);

// Guesses the encoding of bytes that are not UTF-8 text: utf-16, utf-16le,
// utf-16be, utf-32, windows-1252 or latin1.
std::string guess_encoding(std::string_view bytes);

}  // namespace lamarck
