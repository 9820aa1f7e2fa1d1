// Which members of a schema hold schemas.

#pragma once

#include <string>
#include <vector>

#include "lamarck/base/json.h"

namespace lamarck::schema {

struct ChildSchema {
  const Json* schema = nullptr;  // Points into the parent.
  std::string location;          // "/properties/a".
};

// Whether it has the type of a schema.
bool is_schema(const Json& value);

// The schemas right below `schema`; what is not a schema where one should be is
// left out.
std::vector<ChildSchema> child_schemas(const Json& schema);

}  // namespace lamarck::schema
