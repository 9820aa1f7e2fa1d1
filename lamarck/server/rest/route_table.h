// The one list of routes of the HTTP interface: dispatch, authorization, the
// OpenAPI document, the documentation and the tests walk it. A route is an
// entry in one of the *_routes.cc files.

#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/cancel_token.h"
#include "lamarck/base/json.h"
#include "lamarck/base/result.h"
#include "lamarck/server/access/principal.h"
#include "lamarck/server/agents/agent_service.h"
#include "lamarck/server/runs/run_service.h"
#include "lamarck/server/skill_service.h"

namespace lamarck::server {

class OrganizationServices;

// The call that a handler answers. Path, query and body satisfy the schemas of
// the route.
struct RouteCall {
  SkillService& service;
  const Principal& caller;
  std::map<std::string, std::string, std::less<>> path;  // {"id", "..."}.
  Json query;                                            // An object.
  Json body;                                             // Null without one.
  const CancelToken& cancel;
  const FindRuns& find_runs;
  const FindAgents& find_agents;
  OrganizationServices* organizations = nullptr;  // Null without thoughts.
  std::string_view text = "";                     // A body that is not JSON.
  std::string last_event_id = "";                 // The header Last-Event-ID.

  // The runs of the caller's organization.
  Result<RunService*> runs() const;
  // The agents of the caller's organization.
  Result<AgentService*> agents() const;

  skills::SkillStore& store() const { return service.store(); }
  const std::string& org() const { return caller.org; }
  const std::string& id() const { return path.find("id")->second; }
};

struct Route {
  std::string_view method;
  std::string_view path;       // Below /api/v1; "/agents/{id}".
  std::string_view operation;  // "list_agents".
  std::string_view summary;    // One sentence.
  Role role = Role::Member;    // At least needed.
  // JSON Schemas as text. They may refer to #/components/schemas/NAME.
  std::string_view query = "";    // An object with a property per parameter.
  std::string_view request = "";  // "" = no JSON body.
  std::string_view request_type = "";  // Media type of another body.
  std::string_view response = "";      // Of `data`.
  int status = 200;                    // Of a success.
  // The handler returns {"path", "type", "name"} of a file to reply with.
  bool replies_file = false;
  // The reply depends only on the organization, the path, the query and the
  // store, so it can be sent again until the store changes.
  bool is_cached = false;
  // May block. Errors become replies; see rest_reply.h.
  Result<Json> (*handle)(const RouteCall& call) = nullptr;
  // Called after the handler instead of a reply, if it is set.
  void (*stream)(const RouteCall& call,
                 std::shared_ptr<net::HttpExchange> exchange) = nullptr;
};

std::span<const Route> routes();

// The schemas that routes refer to.
struct NamedSchema {
  std::string_view name;
  std::string_view schema;
};
std::span<const NamedSchema> route_schemas();

inline constexpr std::string_view kApiPrefix = "/api/v1";

}  // namespace lamarck::server
