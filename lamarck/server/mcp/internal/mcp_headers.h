// Headers of a modern POST repeat parts of its body, so that what lies between
// can route it; a server checks that they agree.

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

// A property of a tool's input schema that is marked with x-mcp-header.
struct HeaderMark {
  std::vector<std::string> path;  // Names of properties, from the root.
  std::string header;             // "Mcp-Param-Region".
};

// The marks of an input schema. The error says which mark is illegal: not a
// token, used twice, of another type than string, integer or boolean, or at a
// place that `properties` alone do not lead to.
Result<std::vector<HeaderMark>> find_header_marks(const Json& schema);

// Each is nothing if the header agrees, else -32020.
std::optional<Failure> check_version_header(const net::HttpHeaders& headers,
                                            std::string_view version);
std::optional<Failure> check_method_header(const net::HttpHeaders& headers,
                                           std::string_view method);
std::optional<Failure> check_name_header(const net::HttpHeaders& headers,
                                         std::string_view name);
std::optional<Failure> check_marked_headers(
    const net::HttpHeaders& headers, const std::vector<HeaderMark>& marks,
    const Json& arguments);

// What a header says: "=?base64?...?=" stands for the UTF-8 text in it. Nothing
// if that is not well formed.
std::optional<std::string> decoded_header(std::string_view value);

}  // namespace lamarck::mcp
