// The URI formats of RFC 3986 and the templates of RFC 6570.

#pragma once

#include <string_view>

namespace lamarck::schema {

bool is_uri(std::string_view text);
bool is_uri_reference(std::string_view text);
bool is_uri_template(std::string_view text);

}  // namespace lamarck::schema
