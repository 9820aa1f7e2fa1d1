#include "lamarck/base/result.h"

namespace lamarck::internal {

void fail_no_value(const Error& error) {
  throw LogicError(error.within("a result was read without checking it"));
}

void fail_no_error() {
  throw LogicError(Error(ErrorCode::Internal,
                         "The error of a successful result was asked for."));
}

}  // namespace lamarck::internal
