// Accepts arguments as language models send them: "3" for 3, "true" for true.

#pragma once

#include "lamarck/base/json.h"

namespace lamarck::schema {

// Returns `arguments` with strings converted to the types that `schema` asks
// for. A string is converted if it contains exactly a number, integer, boolean,
// JSON array or JSON object, and the schema's `type` names that type but not
// "string". Descends into `properties` and `items`; everything else is
// unchanged.
Json lenient_arguments(const Json& arguments, const Json& schema);

}  // namespace lamarck::schema
