// The headers of a modern POST repeat parts of its body so that proxies can
// route it. The server checks that they agree.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/json.h"
#include "lamarck/base/result.h"
#include "lamarck/net/http_server.h"
#include "lamarck/server/mcp/outcome.h"

namespace lamarck::mcp {

// A property of an input schema that is marked with x-mcp-header.
struct HeaderMark {
  std::vector<std::string> path;  // Names of properties, from the root.
  std::string header;             // "Mcp-Param-Region".
};

// The marks of an input schema. A mark must be a header token, unique, on a
// string, integer or boolean, and reachable through `properties` alone.
Result<std::vector<HeaderMark>> find_header_marks(const Json& schema);

// Each returns -32020 unless the header agrees with the body.
std::optional<Failure> check_version_header(const net::HttpHeaders& headers,
                                            std::string_view version);
std::optional<Failure> check_method_header(const net::HttpHeaders& headers,
                                           std::string_view method);
std::optional<Failure> check_name_header(const net::HttpHeaders& headers,
                                         std::string_view name);
std::optional<Failure> check_marked_headers(
    const net::HttpHeaders& headers, const std::vector<HeaderMark>& marks,
    const Json& arguments);

// The value of a header; "=?base64?...?=" encodes UTF-8 text. nullopt if the
// encoding is invalid.
std::optional<std::string> decoded_header(std::string_view value);

}  // namespace lamarck::mcp
