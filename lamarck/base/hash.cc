#include "lamarck/base/hash.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <limits>
#include <span>

#include "lamarck/base/ensure.h"

namespace lamarck {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";

std::string to_hex(std::span<const unsigned char> bytes) {
  std::string text;
  text.reserve(2 * bytes.size());
  for (const unsigned char byte : bytes) {
    text += kHexDigits[byte >> 4];
    text += kHexDigits[byte & 15];
  }
  return text;
}

using Digest = std::array<unsigned char, EVP_MAX_MD_SIZE>;

}  // namespace

struct Sha256::Context {
  struct Free {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  };
  std::unique_ptr<EVP_MD_CTX, Free> evp{EVP_MD_CTX_new()};
};

Sha256::Sha256() : context_(std::make_unique<Context>()) {
  ENSURE(EVP_DigestInit_ex(context_->evp.get(), EVP_sha256(), nullptr) == 1,
         "libcrypto provides SHA-256");
}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

Sha256& Sha256::update(std::string_view bytes) {
  REQUIRE(context_ != nullptr,
          "Sha256::update: the digest is already finished; start a new one.");
  ENSURE(EVP_DigestUpdate(context_->evp.get(), bytes.data(), bytes.size()) == 1,
         "libcrypto accepts the bytes");
  return *this;
}

std::string Sha256::finish() {
  REQUIRE(context_ != nullptr,
          "Sha256::finish: the digest is already finished; start a new one.");
  Digest digest{};
  unsigned int size = 0;
  ENSURE(EVP_DigestFinal_ex(context_->evp.get(), digest.data(), &size) == 1,
         "libcrypto finishes the digest");
  context_ = nullptr;
  return to_hex({digest.data(), size});
}

std::string sha256_hex(std::string_view bytes) {
  return Sha256().update(bytes).finish();
}

std::string hmac_sha256_hex(std::string_view key, std::string_view message) {
  Digest digest{};
  unsigned int size = 0;
  // HMAC() rejects the null pointer that an empty view may hold.
  const char* key_data = key.empty() ? "" : key.data();
  const char* message_data = message.empty() ? "" : message.data();
  REQUIRE(key.size() <= std::numeric_limits<int>::max(),
          "hmac_sha256_hex: the key must fit in an int, got {} bytes.",
          key.size());
  ENSURE(HMAC(EVP_sha256(), key_data, static_cast<int>(key.size()),
              reinterpret_cast<const unsigned char*>(message_data),
              message.size(), digest.data(), &size) != nullptr,
         "libcrypto provides HMAC");
  return to_hex({digest.data(), size});
}

std::uint64_t stable_hash(std::string_view bytes) {
  // FNV-1a, mixed once more because its low bits are weak.
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : bytes) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  return mix64(hash ^ bytes.size());
}

std::string to_hex64(std::uint64_t value) {
  std::string text(16, '0');
  for (std::size_t i = 16; i-- > 0; value >>= 4) {
    text[i] = kHexDigits[value & 15];
  }
  return text;
}

}  // namespace lamarck
