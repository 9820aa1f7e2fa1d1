// Secrets that are known by what stands before them: a name, an option, a user
// in an address.

#pragma once

#include "lamarck/thought/internal/secret_shapes.h"

namespace lamarck::thought::internal {

// All look for one behind the place, and find the value alone. What they look
// at in vain is bounded.

// password=VALUE, "token": "VALUE", at '=' or ':'.
MaybeSecret find_assigned(const TextPlace& place);
// --password VALUE, at the space.
MaybeSecret find_option_value(const TextPlace& place);
// scheme://USER:PASSWORD@host, at the ':'.
MaybeSecret find_url_password(const TextPlace& place);

}  // namespace lamarck::thought::internal
