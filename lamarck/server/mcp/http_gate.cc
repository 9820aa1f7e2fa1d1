// Access control for a server that listens on a socket. The Host and Origin
// checks prevent DNS rebinding: a web page must not reach a local server.

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "lamarck/server/mcp/internal/constant_time.h"
#include "lamarck/server/mcp/mcp_server.h"

namespace lamarck::mcp {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) {
    return static_cast<char>(std::tolower(c));
  });
  return result;
}

// "[::1]:80" -> "[::1]", "localhost:80" -> "localhost"; "" if the port is
// invalid.
std::string_view without_port(std::string_view host) {
  const std::size_t bracket = host.find(']');
  const std::size_t colon =
      host.find(':', bracket == std::string_view::npos ? 0 : bracket);
  if (colon == std::string_view::npos) return host;
  const bool has_port = std::ranges::all_of(
      host.substr(colon + 1), [](char c) { return c >= '0' && c <= '9'; });
  return has_port ? host.substr(0, colon) : "";
}

// The host of "http://localhost:3000"; "" unless the scheme is http or https,
// the only ones that web pages come from.
std::string_view origin_host(std::string_view origin) {
  const std::size_t scheme = origin.find("://");
  if (scheme == std::string_view::npos) return "";
  const std::string name = lower(origin.substr(0, scheme));
  if (name != "http" && name != "https") return "";
  return without_port(origin.substr(scheme + 3));
}

class HostList {
 public:
  explicit HostList(std::vector<std::string> names) : names_(std::move(names)) {
    for (std::string& name : names_) name = lower(name);
  }

  bool has(std::string_view host) const {
    constexpr std::array<std::string_view, 3> kLocal = {"localhost",
                                                        "127.0.0.1", "[::1]"};
    const std::string name = lower(host);
    if (name.empty()) return false;  // Whatever the list contains.
    return std::ranges::find(kLocal, name) != kLocal.end() ||
           std::ranges::find(names_, name) != names_.end();
  }

 private:
  std::vector<std::string> names_;
};

net::HttpReply refusal(int status, std::string_view message) {
  net::HttpReply reply;
  reply.status = status;
  reply.headers.emplace("Content-Type", "application/json");
  reply.body = R"({"jsonrpc":"2.0","error":{"code":-32600,"message":")" +
               std::string(message) + "\"}}";
  return reply;
}

net::HttpReply ask_for_token() {
  auto reply = refusal(401, "The bearer token is missing or wrong.");
  reply.headers.emplace("WWW-Authenticate", "Bearer");
  return reply;
}

bool has_token(const net::HttpRequest& request, std::string_view token) {
  constexpr std::string_view kBearer = "bearer ";
  const std::string_view given = request.header("Authorization");
  // In constant time, so that the token cannot be guessed byte by byte.
  return lower(given.substr(0, kBearer.size())) == kBearer &&
         is_equal_in_constant_time(given.substr(kBearer.size()), token);
}

}  // namespace

net::HttpServer::Gate http_gate(std::vector<std::string> names,
                                std::string token, std::string open_path) {
  return [hosts = HostList(std::move(names)), token = std::move(token),
          open_path = std::move(open_path)](
             const net::HttpRequest& request) -> std::optional<net::HttpReply> {
    if (!hosts.has(without_port(request.header("Host")))) {
      return refusal(403, "The Host header is not allowed.");
    }
    const std::string_view origin = request.header("Origin");
    if (!origin.empty() && !hosts.has(origin_host(origin))) {
      return refusal(403, "The Origin header is not allowed.");
    }
    const bool is_open =
        token.empty() || (!open_path.empty() && request.path == open_path);
    if (!is_open && !has_token(request, token)) return ask_for_token();
    return std::nullopt;
  };
}

}  // namespace lamarck::mcp
