// The parameters of a URL.

#pragma once

#include <string_view>

#include "lamarck/base/json.h"
#include "lamarck/base/result.h"

namespace lamarck::server {

// Parses "status=approved&limit=20" to {"status": "approved", "limit": "20"}.
// Values are strings, with %XX and '+' decoded. A parameter that occurs twice
// is an error.
Result<Json> parse_query_string(std::string_view query);

}  // namespace lamarck::server
