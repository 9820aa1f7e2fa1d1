#include "lamarck/server/webhooks/webhook_signature.h"

#include <cstddef>
#include <optional>

#include "lamarck/base/entropy.h"
#include "lamarck/base/hash.h"
#include "lamarck/net/base64.h"

namespace lamarck::server {
namespace {

constexpr std::string_view kSecretPrefix = "whsec_";

int hex_digit(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

std::string bytes_from_hex(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(hex_digit(hex[i]) * 16 + hex_digit(hex[i + 1]));
  }
  return bytes;
}

std::string signing_key(std::string_view secret) {
  if (secret.starts_with(kSecretPrefix)) {
    auto key = net::base64_decoded(secret.substr(kSecretPrefix.size()));
    if (key) return *key;
  }
  return std::string(secret);
}

}  // namespace

std::string make_webhook_secret() {
  std::string hex;
  for (int i = 0; i < 4; ++i) hex += to_hex64(entropy_seed());
  return std::string(kSecretPrefix) + net::base64_encoded(bytes_from_hex(hex));
}

std::string webhook_signature(std::string_view secret, std::string_view id,
                              std::int64_t timestamp, std::string_view body) {
  std::string message(id);
  message += '.';
  message += std::to_string(timestamp);
  message += '.';
  message += body;
  return "v1," + net::base64_encoded(bytes_from_hex(
                     hmac_sha256_hex(signing_key(secret), message)));
}

}  // namespace lamarck::server
