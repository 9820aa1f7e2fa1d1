// What `lamarck serve` serves: the page, /mcp, /api/v1, /metrics and /healthz.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lamarck/base/clock.h"
#include "lamarck/base/result.h"
#include "lamarck/net/http_server.h"
#include "lamarck/server/access/token_access.h"
#include "lamarck/server/agents/agent_service.h"
#include "lamarck/server/organization_services.h"
#include "lamarck/server/rest/rest_api.h"
#include "lamarck/server/runs/run_service.h"
#include "lamarck/server/skill_service.h"

namespace lamarck::server {

struct HttpFrontOptions {
  ThoughtServiceOptions thoughts;
  SkillServiceOptions skills;
  std::string operator_token;      // Of the local administrator; "" = none.
  std::vector<std::string> names;  // Host names that clients may use.
  RunServiceOptions runs;          // The journal is that of `thoughts`.
  AgentServiceOptions agents;      // The journal is that of `thoughts`.
  RestApiOptions rest;
};

// Thread safety: all members may be called from any thread.
class HttpFront {
 public:
  // `clock` must outlive the object.
  static Result<std::unique_ptr<HttpFront>> open(HttpFrontOptions options,
                                                 Clock& clock);
  ~HttpFront();

  // Both for net::HttpServer::start.
  void handle(net::HttpRequest request,
              const std::shared_ptr<net::HttpExchange>& exchange);
  net::HttpServer::Gate gate();

  SkillService& skills();
  TokenAccess& access();

  // Ends streams and cancels handlers, so that connections can close in time.
  void stop();

 private:
  struct Parts;
  explicit HttpFront(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace lamarck::server
