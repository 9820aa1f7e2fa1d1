// A network's topology as JSON; its parameters travel beside it.
//
//   {"head": "mean_squared", "next_id": 4, "nodes": [{"id": 0, "role":
//   "input", ...}], "edges": [[0, 2, 0, 1], ...]}
//
// An edge is [from, to, 1 if it is recurrent, where its weights begin]. Nodes
// and edges keep their order and their places among the parameters, so that a
// network that comes back goes on exactly as it would have.

#pragma once

#include "lamarck/base/json.h"
#include "lamarck/evolution/network.h"

namespace lamarck::evolution {

Json to_json(const Network& network);

// The JSON may come from anywhere: whatever is wrong with it, or does not fit
// the parameters, is an Error that names the node or edge.
Result<Network> network_from_json(const Json& json,
                                  NetworkParameters parameters);

}  // namespace lamarck::evolution
