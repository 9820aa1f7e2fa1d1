// Parses the base URL of a model server.

#pragma once

#include <string>
#include <string_view>

#include "lamarck/base/result.h"

namespace lamarck::llm::internal {

struct BaseUrl {
  std::string front;      // "https://host/v1", without a trailing slash.
  std::string query;      // "?api-version=1" or empty.
  std::string shown;      // For messages: without password and query.
  bool is_local = false;  // localhost, 127.0.0.1 or [::1].

  std::string with_path(std::string_view path) const;
};

// Fails unless the URL starts with http:// or https://. The error does not
// quote the URL, because it may contain a password.
Result<BaseUrl> parse_base_url(std::string_view text);

}  // namespace lamarck::llm::internal
