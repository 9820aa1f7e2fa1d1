#include "lamarck/base/result.h"

namespace lamarck::internal {

void fail_no_value(const Error& error) {
  throw LogicError(error.within(
      "Result::value: called on an error; check has_value() first"));
}

void fail_no_error() {
  throw LogicError(
      invalid_argument("Result::error: called on a successful result; check "
                       "has_value() first."));
}

}  // namespace lamarck::internal
