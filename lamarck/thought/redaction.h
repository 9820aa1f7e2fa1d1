// What must not leave: keys, tokens, addresses, and what is marked private.

#pragma once

#include <string>
#include <string_view>

#include "lamarck/base/json.h"

namespace lamarck::thought {

// Each secret replaced by "[key]", "[token]", "[email]", "[password]" or
// "[private]" (between <private> and its </private>, or to the end of the
// text). Takes time in proportion to the text.
std::string redacted(std::string_view text);

// Every text in it, names of members among them; also what a member has whose
// name says that it is a secret ("password"). Of names that become equal the
// second gets a number: "[email]", "[email] (2)".
Json redacted_json(const Json& json);

}  // namespace lamarck::thought
