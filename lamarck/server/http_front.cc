#include "lamarck/server/http_front.h"

#include <atomic>
#include <charconv>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/server/mcp/internal/mcp_workers.h"
#include "lamarck/server/page/page_reply.h"
#include "lamarck/server/rest/rest_reply.h"

namespace lamarck::server {
namespace {

constexpr std::string_view kReadyPath = "/readyz";
constexpr std::string_view kMcpPath = "/mcp";
constexpr std::string_view kMetricsPath = "/metrics";
constexpr std::size_t kFrontWorkers = 8;
constexpr std::uint64_t kMaxMessage = std::uint64_t{4} << 20;

using Exchange = std::shared_ptr<net::HttpExchange>;

bool is_health_path(std::string_view path) {
  return path == "/health" || path == "/healthz";
}

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

// Whether a browser was sent to an address where nothing is served.
bool is_unknown_address(const net::HttpRequest& request) {
  return request.path != kMcpPath && request.path != kMetricsPath &&
         !is_api_path(request.path) && wants_page(request);
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
  std::atomic<bool> is_stopping = false;
  RunServiceOptions run_options;
  AgentServiceOptions agent_options;
  Clock* clock = nullptr;
  std::mutex runs_mutex;
  // Guarded by runs_mutex. Outlive the handlers of the organizations; their
  // threads end before the journals.
  std::map<std::string, std::unique_ptr<RunService>, std::less<>> runs;
  std::map<std::string, std::unique_ptr<AgentService>, std::less<>> agents;
  std::unique_ptr<OrganizationServices> organizations;
  std::unique_ptr<RestApi> rest;
  net::HttpServer::Gate host_gate;
  std::unique_ptr<mcp::McpWorkers> workers;

  ~Parts() { stop_runs(); }

  // Opens the runs of an organization at the first call.
  Result<RunService*> find_runs(std::string_view org) {
    if (is_stopping) {
      return Error(ErrorCode::Unavailable, "The server is stopping.");
    }
    ASSIGN_OR_RETURN(ThoughtService* const service, organizations->find(org));
    const std::lock_guard lock(runs_mutex);
    auto& found = runs[std::string(org)];
    if (found == nullptr) {
      RunServiceOptions options = run_options;
      options.journal = organizations->journal_file(org);
      found = std::make_unique<RunService>(options, service->journal(), *clock);
    }
    return found.get();
  }

  // Opens the agents of an organization at the first call.
  Result<AgentService*> find_agents(std::string_view org) {
    if (is_stopping) {
      return Error(ErrorCode::Unavailable, "The server is stopping.");
    }
    ASSIGN_OR_RETURN(ThoughtService* const service, organizations->find(org));
    const std::lock_guard lock(runs_mutex);
    auto& found = agents[std::string(org)];
    if (found == nullptr) {
      AgentServiceOptions options = agent_options;
      options.journal = organizations->journal_file(org);
      found = std::make_unique<AgentService>(
          std::move(options), AgentServices{.org = std::string(org),
                                            .thoughts = *service,
                                            .skills = *skills,
                                            .clock = *clock});
    }
    return found.get();
  }

  void stop_runs() {
    is_stopping = true;
    const std::lock_guard lock(runs_mutex);
    for (const auto& [org, service] : agents) service->stop();
    for (const auto& [org, service] : runs) service->stop();
  }

  // Only uploads may be large. Bodies without a stated length are checked when
  // they are complete.
  static std::optional<net::HttpReply> refuse_large(
      const net::HttpRequest& request) {
    const std::string_view length = request.header("Content-Length");
    std::uint64_t bytes = 0;
    std::from_chars(length.data(), length.data() + length.size(), bytes);
    if (bytes <= kMaxMessage || is_upload_path(request.path)) {
      return std::nullopt;
    }
    net::HttpReply reply = failure_reply(
        request.path, Error(ErrorCode::InvalidArgument,
                            "The body must have at most " +
                                std::to_string(kMaxMessage) + " bytes."));
    reply.status = 413;
    return reply;
  }

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
        request.identity = token_identity(request.header("Authorization"));
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
      std::move(options.thoughts), *parts->skills,
      [parts = parts.get()](std::string_view org) {
        return parts->find_runs(org);
      },
      clock);
  // Errors of the journal must appear now, not at the first request.
  RETURN_IF_ERROR(parts->organizations->find(skills::kLocalOrganization));
  parts->run_options = options.runs;
  parts->agent_options = std::move(options.agents);
  options.rest.find_agents = [parts = parts.get()](std::string_view org) {
    return parts->find_agents(org);
  };
  options.rest.organizations = parts->organizations.get();
  parts->clock = &clock;
  ASSIGN_OR_RETURN(parts->rest,
                   RestApi::create(
                       *parts->skills, *parts->access,
                       [parts = parts.get()](std::string_view org) {
                         return parts->find_runs(org);
                       },
                       options.rest));
  // Now, because they resume unfinished runs and tasks.
  RETURN_IF_ERROR(parts->find_runs(skills::kLocalOrganization));
  RETURN_IF_ERROR(parts->find_agents(skills::kLocalOrganization));
  parts->host_gate = mcp::http_gate(std::move(options.names), "");
  parts->workers = std::make_unique<mcp::McpWorkers>(kFrontWorkers);
  return std::unique_ptr<HttpFront>(new HttpFront(std::move(parts)));
}

void HttpFront::handle(net::HttpRequest request, const Exchange& exchange) {
  if (is_health_path(request.path)) {
    exchange->reply(typed_reply(200, "application/json",
                                dump_json(Json{{"status", "ok"}})));
    return;
  }
  if (request.path == kReadyPath) {
    const bool is_ready = !parts_->is_stopping;
    exchange->reply(typed_reply(
        is_ready ? 200 : 503, "application/json",
        dump_json(Json{{"status", is_ready ? "ready" : "stopping"}})));
    return;
  }
  if (is_page_path(request.path)) {
    exchange->reply(page_reply(request));
    return;
  }
  if (is_api_path(request.path)) {
    parts_->rest->serve(std::move(request), exchange);
    return;
  }
  if (is_unknown_address(request)) {
    exchange->reply(page_reply(request));
    return;
  }
  // A known client is passed on by this thread, which must not block.
  const auto known = parts_->access->known(request.header("Authorization"));
  ThoughtService* const service =
      known && request.path == kMcpPath
          ? parts_->organizations->opened(known->org)
          : nullptr;
  if (service != nullptr) {
    request.identity = token_identity(request.header("Authorization"));
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
    if (auto refused = parts->refuse_large(request)) return refused;
    if (is_health_path(request.path) || request.path == kReadyPath ||
        is_page_path(request.path) || is_public_api_path(request.path) ||
        is_unknown_address(request) ||
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
  parts_->stop_runs();
  parts_->organizations->stop();
  parts_->rest->stop();
}

}  // namespace lamarck::server
