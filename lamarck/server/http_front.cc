#include "lamarck/server/http_front.h"

#include <optional>
#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/server/mcp/internal/mcp_workers.h"
#include "lamarck/server/rest/rest_reply.h"

namespace lamarck::server {
namespace {

constexpr std::string_view kHealthPath = "/health";
constexpr std::string_view kMcpPath = "/mcp";
constexpr std::string_view kMetricsPath = "/metrics";
constexpr std::size_t kFrontWorkers = 8;

using Exchange = std::shared_ptr<net::HttpExchange>;

net::HttpReply typed_reply(int status, std::string type, std::string body) {
  net::HttpReply reply;
  reply.status = status;
  reply.headers.emplace("Content-Type", std::move(type));
  reply.body = std::move(body);
  return reply;
}

// In the form that the client of this path understands.
net::HttpReply failure_reply(std::string_view path, const Error& error) {
  if (path != kMcpPath) return error_reply(error);
  net::HttpReply reply =
      typed_reply(http_status(error.code()), "application/json",
                  R"({"jsonrpc":"2.0","error":{"code":-32600,"message":)" +
                      dump_json(Json(error.message())) + "}}");
  if (reply.status == 401) reply.headers.emplace("WWW-Authenticate", "Bearer");
  return reply;
}

Error nothing_at(std::string_view path) {
  return {ErrorCode::NotFound,
          "Nothing is served at " + in_quotes(path) +
              "; MCP is served at /mcp and the HTTP interface at /api/v1."};
}

}  // namespace

// In the order of dependency: members are destroyed in reverse order.
struct HttpFront::Parts {
  std::unique_ptr<SkillService> skills;
  std::unique_ptr<TokenAccess> access;
  std::unique_ptr<OrganizationServices> organizations;
  std::unique_ptr<RestApi> rest;
  net::HttpServer::Gate host_gate;
  std::unique_ptr<mcp::McpWorkers> workers;

  // Looks up the token; may block.
  void identify_and_answer(net::HttpRequest request, const Exchange& exchange) {
    const auto caller = access->identify(request.header("Authorization"));
    if (!caller) {
      exchange->reply(failure_reply(request.path, caller.error()));
    } else {
      answer(std::move(request), *caller, exchange);
    }
  }

  void answer(net::HttpRequest request, const Principal& caller,
              const Exchange& exchange) {
    if (request.path == kMcpPath) {
      const auto service = organizations->find(caller.org);
      if (service) {
        (*service)->protocol().serve_http(std::move(request), exchange);
      } else {
        exchange->reply(failure_reply(request.path, service.error()));
      }
    } else if (request.path == kMetricsPath) {
      exchange->reply(metrics_reply(caller));
    } else {
      exchange->reply(failure_reply(request.path, nothing_at(request.path)));
    }
  }

  // The counts are those of all organizations, so only the operator sees them.
  net::HttpReply metrics_reply(const Principal& caller) {
    if (caller.org != skills::kLocalOrganization || !caller.may(Role::Admin)) {
      return error_reply(
          Error(ErrorCode::PermissionDenied,
                "/metrics needs a token of the local organization with the "
                "role admin."));
    }
    return typed_reply(200, "text/plain; version=0.0.4; charset=utf-8",
                       skills->metrics().text());
  }
};

HttpFront::HttpFront(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
HttpFront::~HttpFront() = default;

Result<std::unique_ptr<HttpFront>> HttpFront::open(HttpFrontOptions options,
                                                   Clock& clock) {
  auto parts = std::make_unique<Parts>();
  ASSIGN_OR_RETURN(parts->skills, SkillService::open(options.skills, clock));
  parts->access = std::make_unique<TokenAccess>(parts->skills->store(),
                                                options.operator_token, clock);
  parts->organizations = std::make_unique<OrganizationServices>(
      std::move(options.thoughts), *parts->skills, clock);
  // Errors of the journal must appear now, not at the first request.
  RETURN_IF_ERROR(parts->organizations->find(skills::kLocalOrganization));
  ASSIGN_OR_RETURN(parts->rest, RestApi::create(*parts->skills, *parts->access,
                                                options.rest));
  parts->host_gate = mcp::http_gate(std::move(options.names), "");
  parts->workers = std::make_unique<mcp::McpWorkers>(kFrontWorkers);
  return std::unique_ptr<HttpFront>(new HttpFront(std::move(parts)));
}

void HttpFront::handle(net::HttpRequest request, const Exchange& exchange) {
  if (request.path == kHealthPath) {
    exchange->reply(typed_reply(200, "application/json",
                                dump_json(Json{{"status", "ok"}})));
    return;
  }
  if (is_api_path(request.path)) {
    parts_->rest->serve(std::move(request), exchange);
    return;
  }
  // A known client is passed on by this thread, which must not block.
  const auto known = parts_->access->known(request.header("Authorization"));
  ThoughtService* const service =
      known && request.path == kMcpPath
          ? parts_->organizations->opened(known->org)
          : nullptr;
  if (service != nullptr) {
    service->protocol().serve_http(std::move(request), exchange);
    return;
  }
  const auto shared = std::make_shared<net::HttpRequest>(std::move(request));
  const bool is_queued =
      parts_->workers->post([parts = parts_.get(), shared, exchange] {
        parts->identify_and_answer(std::move(*shared), exchange);
      });
  if (!is_queued) {
    exchange->reply(failure_reply(
        kMcpPath,
        Error(ErrorCode::Unavailable, "The server is busy; retry later.")));
  }
}

net::HttpServer::Gate HttpFront::gate() {
  return [parts = parts_.get()](
             const net::HttpRequest& request) -> std::optional<net::HttpReply> {
    if (auto refused = parts->host_gate(request)) return refused;
    if (request.path == kHealthPath || is_public_api_path(request.path) ||
        !parts->access->is_surely_refused(request.header("Authorization"))) {
      return std::nullopt;
    }
    // Before the body is read.
    return failure_reply(request.path,
                         Error(ErrorCode::Unauthenticated,
                               "The bearer token is missing or wrong."));
  };
}

SkillService& HttpFront::skills() { return *parts_->skills; }
TokenAccess& HttpFront::access() { return *parts_->access; }

void HttpFront::stop() {
  parts_->organizations->stop();
  parts_->rest->stop();
}

}  // namespace lamarck::server
