#include "lamarck/server/mcp/internal/mcp_status.h"

#include "lamarck/server/mcp/internal/mcp_message.h"

namespace lamarck::mcp {

int http_status(Era era, int code, FailureOrigin origin) {
  if (code == kParseError || code == kInvalidRequest) return 400;
  // Legacy clients read the body of a 200 only.
  if (era == Era::Legacy) return 200;
  switch (code) {
    case kMethodNotFound:
      return 404;
    case kHeaderMismatch:
    case kMissingCapability:
    case kUnsupportedVersion:
      return 400;
    case kInvalidParams:
      return origin == FailureOrigin::Envelope ? 400 : 200;
    default:
      return 200;
  }
}

}  // namespace lamarck::mcp
