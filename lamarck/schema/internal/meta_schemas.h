// The built-in meta-schemas of JSON Schema 2020-12.

#pragma once

#include <map>
#include <string>
#include <string_view>

#include "lamarck/base/json.h"

namespace lamarck::schema {

inline constexpr std::string_view kMetaSchemaPrefix =
    "https://json-schema.org/draft/2020-12/";
inline constexpr std::string_view kMetaSchema =
    "https://json-schema.org/draft/2020-12/schema";

// The documents by URI; parsed once.
const std::map<std::string, Json>& meta_schemas();

}  // namespace lamarck::schema
