// Hashes: SHA-256 where strangers or files are involved, a fast 64-bit one for
// names and keys. Both give the same on every machine and in every version.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace lamarck {

// 64 lower-case hex digits.
std::string sha256_hex(std::string_view bytes);

// HMAC-SHA-256 (RFC 2104) in hex, for signatures of messages.
std::string hmac_sha256_hex(std::string_view key, std::string_view message);

// SHA-256 of what arrives in pieces, such as a large file.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;

  Sha256& update(std::string_view bytes);
  // The digest in hex. REQUIRES: called once, and nothing after it.
  std::string finish();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

// Not for strangers' input where collisions would hurt.
std::uint64_t stable_hash(std::string_view bytes);

// A bijection that scatters neighbouring numbers (SplitMix64's finalizer).
constexpr std::uint64_t mix64(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// 16 lower-case hex digits.
std::string to_hex64(std::uint64_t value);

}  // namespace lamarck
