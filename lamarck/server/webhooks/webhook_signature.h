// Signatures of webhooks, as standardwebhooks.com defines them: a receiver can
// verify them with the libraries that exist for most languages.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lamarck::server {

// "whsec_" and 32 random bytes in Base64.
std::string make_webhook_secret();

// "v1," and the Base64 of HMAC-SHA-256 over "ID.TIMESTAMP.BODY". A secret that
// does not have the form above is used as the key itself.
std::string webhook_signature(std::string_view secret, std::string_view id,
                              std::int64_t timestamp, std::string_view body);

}  // namespace lamarck::server
