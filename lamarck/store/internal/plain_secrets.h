// Finds secrets by their own form: text marked as private, private keys, API
// keys, tokens and e-mail addresses.

#pragma once

#include "lamarck/store/internal/secret_shapes.h"

namespace lamarck::store::internal {

// Each function looks for a secret that begins at the place; find_email looks
// for an address whose '@' is there. The text examined without success is
// bounded, or is a word that is not examined again.

// From <private> to the matching </private>, or to the end of the text. Tags
// nest; case and spaces before the '>' do not matter.
MaybeSecret find_private(const TextPlace& place);
// A PEM block with a private key; extends to the end of the text if the block
// is not closed.
MaybeSecret find_private_key(const TextPlace& place);
MaybeSecret find_key_or_token(const TextPlace& place);
MaybeSecret find_email(const TextPlace& place);

}  // namespace lamarck::store::internal
