#include "lamarck/server/mcp/internal/mcp_resource_failure.h"

#include <nlohmann/json.hpp>

#include "lamarck/base/one_line.h"
#include "lamarck/server/mcp/internal/mcp_message.h"

namespace lamarck::mcp {

Failure resource_failure(Era era, const Error& error, const std::string& uri) {
  const std::string data = dump_json({{"uri", uri}});
  switch (error.code()) {
    case ErrorCode::NotFound:
      return {era == Era::Modern ? kInvalidParams : kLegacyResourceNotFound,
              error.message(), data};
    case ErrorCode::InvalidArgument:
      return {kInvalidParams, error.message(), data};
    default:
      return {kInternalError, error.message(), data};
  }
}

Failure unknown_resource(Era era, const std::string& uri) {
  return resource_failure(
      era,
      Error(ErrorCode::NotFound, "Unknown resource " + in_quotes(uri) +
                                     "; resources/list lists all resources."),
      uri);
}

}  // namespace lamarck::mcp
