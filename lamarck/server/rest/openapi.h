// The OpenAPI 3.1 document of the HTTP interface, written from the route table.

#pragma once

#include "lamarck/base/json.h"

namespace lamarck::server {

Json openapi_document();

// The schema of a route with everything that it refers to, so that it can be
// compiled by itself.
Json self_contained_schema(const Json& schema);

}  // namespace lamarck::server
