// What a request asks, as a number that a repetition must have too.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "lamarck/base/hash.h"

namespace lamarck::thought::internal {

// Parts cannot run into each other: each is preceded by its length.
class RequestDigest {
 public:
  explicit RequestDigest(std::string_view tool) { add(tool); }

  RequestDigest& add(std::string_view part) {
    text_ += std::to_string(part.size());
    text_ += ':';
    text_ += part;
    return *this;
  }
  RequestDigest& add(std::int64_t part) { return add(std::to_string(part)); }
  // A double by its bits.
  RequestDigest& add_number(double part);
  template <class List>
  RequestDigest& add_all(const List& parts) {
    add(static_cast<std::int64_t>(parts.size()));
    for (const auto& part : parts) add(part);
    return *this;
  }

  std::string hex() const { return sha256_hex(text_); }

 private:
  std::string text_;
};

}  // namespace lamarck::thought::internal
