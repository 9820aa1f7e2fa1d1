// Errors for resources.

#pragma once

#include <string>

#include "lamarck/base/result.h"
#include "lamarck/server/mcp/call_context.h"
#include "lamarck/server/mcp/outcome.h"

namespace lamarck::mcp {

// The error of this era for a resource that cannot be read; `data` has its URI.
Failure resource_failure(Era era, const Error& error, const std::string& uri);
// The error for a URI that no resource or template matches.
Failure unknown_resource(Era era, const std::string& uri);

}  // namespace lamarck::mcp
