// A network's topology as JSON. Its parameters are stored separately.
//
//   {"head": "mean_squared", "next_id": 4, "nodes": [{"id": 0, "role":
//   "input", ...}], "edges": [[0, 2, 0, 1], ...]}
//
// An edge is [from, to, 1 if it is recurrent, index of its first weight]. Nodes
// and edges keep their order and their indices into the parameters, so a loaded
// network evolves exactly as the original would have.

#pragma once

#include "lamarck/base/json.h"
#include "lamarck/evolution/network.h"

namespace lamarck::evolution {

Json to_json(const Network& network);

// The JSON may be untrusted. Returns an Error that names the node or edge if
// anything is invalid or does not match the parameters.
Result<Network> network_from_json(const Json& json,
                                  NetworkParameters parameters);

}  // namespace lamarck::evolution
