// Finds the subschemas of a schema.

#pragma once

#include <string>
#include <vector>

#include "lamarck/base/json.h"

namespace lamarck::schema {

struct ChildSchema {
  const Json* schema = nullptr;  // Points into the parent.
  std::string location;          // "/properties/a".
};

// Whether the value has a type that a schema can have: object or boolean.
bool is_schema(const Json& value);

// The direct subschemas of `schema`. Ignores values that cannot be schemas.
std::vector<ChildSchema> child_schemas(const Json& schema);

}  // namespace lamarck::schema
