// Splits URIs and resolves relative references (RFC 3986), as schemas need it.
// Does not validate characters.

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lamarck::schema {

struct UriReference {
  std::optional<std::string> scheme;
  std::optional<std::string> authority;
  std::string path;
  std::optional<std::string> query;
  std::optional<std::string> fragment;
};

UriReference split_uri(std::string_view text);
std::string join_uri(const UriReference& uri);

// Resolves `reference` against `base` and keeps the fragment. The base needs no
// scheme, so that plain file names can refer to each other.
UriReference resolve_uri(std::string_view base, std::string_view reference);

// Decodes %41 to A; leaves a percent sign without two hex digits unchanged.
std::string percent_decode(std::string_view text);

}  // namespace lamarck::schema
