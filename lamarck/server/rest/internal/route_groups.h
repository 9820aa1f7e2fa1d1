// The parts of the route table.

#pragma once

#include <span>
#include <nlohmann/json.hpp>

#include "lamarck/server/rest/route_table.h"

namespace lamarck::server {

std::span<const Route> run_routes();
std::span<const Route> skill_routes();
std::span<const Route> use_routes();
std::span<const Route> agent_routes();
std::span<const Route> webhook_routes();
std::span<const Route> thought_routes();
std::span<const Route> run_table_routes();
std::span<const Route> agent_task_routes();

// Values of a query or body that satisfied its schema.
std::size_t limit_of(const RouteCall& call, std::size_t otherwise = 20);

// Turns a list of rows into {"items": [...]}.
template <class Rows>
Json items_json(const Rows& rows) {
  Json items = Json::array();
  for (const auto& row : rows) items.push_back(to_json(row));
  return {{"items", std::move(items)}};
}

}  // namespace lamarck::server
