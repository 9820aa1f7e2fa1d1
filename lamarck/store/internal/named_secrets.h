// Finds secrets by what precedes them: a name, a command-line option, or the
// user of a URL.

#pragma once

#include "lamarck/store/internal/secret_shapes.h"

namespace lamarck::store::internal {

// Each function looks for a secret after the place and returns the range of the
// value alone. The text examined without success is bounded, so redaction stays
// linear.

// password=VALUE, "token": "VALUE", at '=' or ':'.
MaybeSecret find_assigned(const TextPlace& place);
// --password VALUE, at the space.
MaybeSecret find_option_value(const TextPlace& place);
// scheme://USER:PASSWORD@host, at the ':'.
MaybeSecret find_url_password(const TextPlace& place);

}  // namespace lamarck::store::internal
