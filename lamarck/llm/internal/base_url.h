// The address of a model's server, taken apart.

#pragma once

#include <string>
#include <string_view>

#include "lamarck/base/result.h"

namespace lamarck::llm::internal {

struct BaseUrl {
  std::string front;      // "https://host/v1", without a slash at its end.
  std::string query;      // "?api-version=1" or empty.
  std::string shown;      // Without password and query.
  bool is_local = false;  // This machine's own: localhost, 127.0.0.1, [::1].

  std::string with_path(std::string_view path) const;
};

// An address that does not begin with http:// or https:// is an error, which
// does not repeat it: it may carry a password.
Result<BaseUrl> parse_base_url(std::string_view text);

}  // namespace lamarck::llm::internal
