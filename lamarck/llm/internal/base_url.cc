#include "lamarck/llm/internal/base_url.h"

#include <algorithm>

namespace lamarck::llm::internal {
namespace {

bool is_printable(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c > ' ' && c < 127; });
}

bool is_local_host(std::string_view host) {
  if (host.starts_with("[::1]")) return true;
  host = host.substr(0, host.find(':'));
  return host == "localhost" || host == "127.0.0.1";
}

}  // namespace

std::string BaseUrl::with_path(std::string_view path) const {
  return front + std::string(path) + query;
}

Result<BaseUrl> parse_base_url(std::string_view text) {
  const std::size_t scheme_end = text.find("://");
  const std::string_view scheme = text.substr(0, scheme_end);
  if ((scheme != "http" && scheme != "https") || !is_printable(text) ||
      text.size() <= scheme.size() + 3) {
    return Error(
        ErrorCode::InvalidArgument,
        "The URL of the model server must begin with http:// or https://, as "
        "in "
        "http://localhost:8080/v1; set llm.base_url or OPENAI_BASE_URL.");
  }
  BaseUrl url;
  const std::size_t end = std::min(text.find_first_of("?#"), text.size());
  url.query = text.substr(end, text.find('#', end) - end);
  std::string_view front = text.substr(0, end);
  while (front.ends_with('/')) front.remove_suffix(1);
  url.front = front;
  std::string_view rest = front.substr(scheme.size() + 3);
  const std::string_view authority = rest.substr(0, rest.find('/'));
  url.is_local = is_local_host(authority.substr(authority.rfind('@') + 1));
  // A password may contain a slash, so the last '@' of the whole URL ends it.
  rest.remove_prefix(rest.rfind('@') + 1);
  url.shown = std::string(scheme) + "://" + std::string(rest);
  return url;
}

}  // namespace lamarck::llm::internal
