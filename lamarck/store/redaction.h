// Removes what must not leave the process: keys, tokens, passwords, e-mail
// addresses and text marked as private.

#pragma once

#include <string>
#include <string_view>

#include "lamarck/base/json.h"

namespace lamarck::store {

// Replaces each secret by "[key]", "[token]", "[email]", "[password]" or
// "[private]" (from <private> to its </private>, or to the end of the text).
// Linear in the length of the text.
std::string redacted(std::string_view text);

// Redacts every string in `json`, including member names, and the string value
// of any member whose name denotes a secret ("password"). If two names become
// equal, the second gets a number: "[email]", "[email] (2)".
Json redacted_json(const Json& json);

}  // namespace lamarck::store
