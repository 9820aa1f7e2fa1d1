#include "lamarck/schema/internal/uri_reference.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace lamarck::schema {
namespace {

bool is_scheme(std::string_view text) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  return !text.empty() && is_letter(text.front()) &&
         std::ranges::all_of(text, [&](char c) {
           return is_letter(c) || (c >= '0' && c <= '9') || c == '+' ||
                  c == '-' || c == '.';
         });
}

// Returns the part after the first `mark`, and removes it and the mark from
// `text`.
std::optional<std::string> cut_after(std::string_view& text, char mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string_view::npos) return std::nullopt;
  std::string after(text.substr(at + 1));
  text = text.substr(0, at);
  return after;
}

void drop_last_segment(std::string& path) {
  const std::size_t slash = path.rfind('/');
  path.resize(slash == std::string::npos ? 0 : slash);
}

// RFC 3986, 5.2.4.
std::string remove_dot_segments(std::string_view rest) {
  std::string path;
  while (!rest.empty()) {
    if (rest.starts_with("../")) {
      rest.remove_prefix(3);
    } else if (rest.starts_with("./") || rest.starts_with("/./")) {
      rest.remove_prefix(2);
    } else if (rest.starts_with("/../")) {
      rest.remove_prefix(3);
      drop_last_segment(path);
    } else if (rest == "/." || rest == "/..") {
      if (rest == "/..") drop_last_segment(path);
      rest = "/";
    } else if (rest == "." || rest == "..") {
      rest = {};
    } else {
      const std::size_t end = std::min(rest.find('/', 1), rest.size());
      path += rest.substr(0, end);
      rest.remove_prefix(end);
    }
  }
  return path;
}

std::string merge_paths(const UriReference& base, const std::string& path) {
  if (base.authority.has_value() && base.path.empty()) return "/" + path;
  const std::size_t slash = base.path.rfind('/');
  return slash == std::string::npos ? path
                                    : base.path.substr(0, slash + 1) + path;
}

}  // namespace

UriReference split_uri(std::string_view text) {
  UriReference uri;
  uri.fragment = cut_after(text, '#');
  uri.query = cut_after(text, '?');
  const std::size_t colon = text.find(':');
  if (colon != std::string_view::npos && is_scheme(text.substr(0, colon))) {
    uri.scheme = text.substr(0, colon);
    text.remove_prefix(colon + 1);
  }
  if (text.starts_with("//")) {
    text.remove_prefix(2);
    const std::size_t end = std::min(text.find('/'), text.size());
    uri.authority = text.substr(0, end);
    text.remove_prefix(end);
  }
  uri.path = text;
  return uri;
}

std::string join_uri(const UriReference& uri) {
  std::string text;
  if (uri.scheme.has_value()) text += *uri.scheme + ":";
  if (uri.authority.has_value()) text += "//" + *uri.authority;
  text += uri.path;
  if (uri.query.has_value()) text += "?" + *uri.query;
  if (uri.fragment.has_value()) text += "#" + *uri.fragment;
  return text;
}

// RFC 3986, 5.2.2.
UriReference resolve_uri(std::string_view base_text,
                         std::string_view reference) {
  UriReference uri = split_uri(reference);
  if (uri.scheme.has_value()) return uri;
  UriReference base = split_uri(base_text);
  uri.scheme = std::move(base.scheme);
  if (uri.authority.has_value()) return uri;
  uri.authority = base.authority;
  if (uri.path.empty()) {
    if (!uri.query.has_value()) uri.query = std::move(base.query);
    uri.path = std::move(base.path);
  } else if (uri.path.starts_with('/')) {
    uri.path = remove_dot_segments(uri.path);
  } else {
    uri.path = remove_dot_segments(merge_paths(base, uri.path));
  }
  return uri;
}

std::string percent_decode(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned byte = 0;
    const char* digits = text.data() + i + 1;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
      decoded += static_cast<char>(byte);
      i += 2;
    } else {
      decoded += text[i];
    }
  }
  return decoded;
}

}  // namespace lamarck::schema
