// Secrets that are known by their own look: what is marked as private, private
// keys, keys of services, tokens, e-mail addresses.

#pragma once

#include "lamarck/thought/internal/secret_shapes.h"

namespace lamarck::thought::internal {

// All look for one that begins at the place (an address: that has its '@'
// there). What they look at in vain is bounded, or a word that is not looked at
// again.

// From <private> to the </private> that belongs to it: they nest, case and
// spaces before the '>' do not matter. To the end of the text if none does.
MaybeSecret find_private(const TextPlace& place);
// A block of PEM with a private key; to the end of the text if it has no end.
MaybeSecret find_private_key(const TextPlace& place);
MaybeSecret find_key_or_token(const TextPlace& place);
MaybeSecret find_email(const TextPlace& place);

}  // namespace lamarck::thought::internal
