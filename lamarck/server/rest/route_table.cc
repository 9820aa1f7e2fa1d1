#include "lamarck/server/rest/route_table.h"

#include "lamarck/server/internal/tool_arguments.h"
#include "lamarck/server/rest/internal/route_groups.h"

namespace lamarck::server {

std::span<const Route> routes() {
  static const std::vector<Route> kRoutes = [] {
    std::vector<Route> all;
    for (const auto& group :
         {run_routes(), skill_routes(), use_routes(), agent_routes(),
          webhook_routes(), thought_routes(), run_table_routes(),
          agent_task_routes()}) {
      all.insert(all.end(), group.begin(), group.end());
    }
    return all;
  }();
  return kRoutes;
}

Result<RunService*> RouteCall::runs() const {
  if (find_runs) return find_runs(caller.org);
  return Error(ErrorCode::Unsupported, "This server has no runs.");
}

Result<AgentService*> RouteCall::agents() const {
  if (find_agents) return find_agents(caller.org);
  return Error(ErrorCode::Unsupported, "This server starts no agents.");
}

std::size_t limit_of(const RouteCall& call, std::size_t otherwise) {
  return static_cast<std::size_t>(
      get_count(call.query, "limit", static_cast<std::int64_t>(otherwise)));
}

}  // namespace lamarck::server
