// Hashes: SHA-256 for files and untrusted input, a fast 64-bit hash for names
// and keys. Both are stable across machines and versions.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace lamarck {

// 64 lower-case hex digits.
std::string sha256_hex(std::string_view bytes);

// HMAC-SHA-256 (RFC 2104) in hex, for signing messages.
std::string hmac_sha256_hex(std::string_view key, std::string_view message);

// Incremental SHA-256, for input that arrives in pieces.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;

  Sha256& update(std::string_view bytes);
  // Returns the digest in hex. REQUIRES: no other call follows.
  std::string finish();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

// A 64-bit hash. Not for untrusted input: collisions are easy to construct.
std::uint64_t stable_hash(std::string_view bytes);

// Mixes the bits of x: SplitMix64's finalizer, a bijection.
constexpr std::uint64_t mix64(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// 16 lower-case hex digits.
std::string to_hex64(std::uint64_t value);

}  // namespace lamarck
