// URIs as far as schemas need them: splitting, and RFC 3986's resolution of a
// relative reference. No character is checked here.

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

// What `reference` means in a document at `base`; the fragment is kept. A base
// without a scheme works too, so that plain file names can refer to each other.
UriReference resolve_uri(std::string_view base, std::string_view reference);

// %41 becomes A; a percent sign without two hex digits stays.
std::string percent_decode(std::string_view text);

}  // namespace lamarck::schema
