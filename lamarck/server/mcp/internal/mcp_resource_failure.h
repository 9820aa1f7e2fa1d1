// Refusals of addresses.

#pragma once

#include <string>

#include "lamarck/base/result.h"
#include "lamarck/server/mcp/call_context.h"
#include "lamarck/server/mcp/outcome.h"

namespace lamarck::mcp {

// The era's error for a resource that cannot be had, with its address in data.
Failure resource_failure(Era era, const Error& error, const std::string& uri);
// That of an address which nothing here matches.
Failure unknown_resource(Era era, const std::string& uri);

}  // namespace lamarck::mcp
