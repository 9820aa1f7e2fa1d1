// Serves /api/v1: finds the route, checks who calls and what they send, runs
// the handler on a thread that may block, and replies.

#pragma once

#include <memory>
#include <string_view>

#include "lamarck/base/result.h"
#include "lamarck/net/http_server.h"
#include "lamarck/server/access/token_access.h"
#include "lamarck/server/agents/agent_service.h"
#include "lamarck/server/runs/run_service.h"
#include "lamarck/server/skill_service.h"

namespace lamarck::server {

class OrganizationServices;

struct RestApiOptions {
  std::size_t workers = 16;    // Handlers that may block concurrently.
  std::size_t max_depth = 64;  // Nesting of JSON in a body.
  // Replies 500 if a handler's data violates the schema of its route; for
  // tests.
  bool checks_replies = false;
  // For the routes of thoughts; must outlive the interface. Null = none.
  OrganizationServices* organizations = nullptr;
  FindAgents find_agents;  // Empty = agents' tasks are only shown.
};

// Thread safety: all members may be called from any thread.
class RestApi {
 public:
  // `service` and `access` must outlive the object.
  static Result<std::unique_ptr<RestApi>> create(SkillService& service,
                                                 TokenAccess& access,
                                                 FindRuns find_runs,
                                                 const RestApiOptions& options);
  // Waits for the handlers that run.
  virtual ~RestApi() = default;

  // REQUIRES: is_api_path(request.path).
  virtual void serve(net::HttpRequest request,
                     std::shared_ptr<net::HttpExchange> exchange) = 0;
  // Runs the whole request on this thread.
  virtual net::HttpReply reply(const net::HttpRequest& request) = 0;
  // Cancels the handlers that run.
  virtual void stop() = 0;
};

// Whether the path is /api/v1 or below it.
bool is_api_path(std::string_view path);
// Whether the path needs no token: the OpenAPI document.
bool is_public_api_path(std::string_view path);
// Whether the body may be larger than that of other requests.
bool is_upload_path(std::string_view path);

}  // namespace lamarck::server
