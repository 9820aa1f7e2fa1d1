#include "lamarck/thought/internal/request_digest.h"

#include <bit>

namespace lamarck::thought::internal {

RequestDigest& RequestDigest::add_number(double part) {
  return add(to_hex64(std::bit_cast<std::uint64_t>(part)));
}

}  // namespace lamarck::thought::internal
