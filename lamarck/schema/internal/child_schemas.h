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

// The schemas right below `schema`; what is not a schema where one should be is
// left out.
std::vector<ChildSchema> child_schemas(const Json& schema);

}  // namespace lamarck::schema
