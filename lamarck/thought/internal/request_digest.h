// A hash of the content of a request. A repetition under the same key must have
// the same digest.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "lamarck/base/hash.h"

namespace lamarck::thought::internal {

// Each part is preceded by its length, so that ("ab", "c") and ("a", "bc")
// differ.
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
  // Uses the bits of the double.
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
