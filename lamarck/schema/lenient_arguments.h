// Arguments as models send them: "3" for 3, "true" for true.

#pragma once

#include "lamarck/base/json.h"

namespace lamarck::schema {

// `arguments` with each member that `schema` (an object's, read through its
// `properties`, also nested ones and the items of arrays) wants as a number,
// an integer or a boolean, and that is a string spelling exactly one, replaced
// by what it spells; likewise a string that spells a JSON array or object where
// one is wanted and a string is not. Everything else stays as it is.
Json lenient_arguments(const Json& arguments, const Json& schema);

}  // namespace lamarck::schema
