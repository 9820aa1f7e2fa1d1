// Networks as JSON for people and pages: what a picture shows, without the
// weights of wide layers.
//
//   {"nodes": [{"id": 0, "kind": "input", "label": "x", "activation": "",
//               "width": 1, "bias": null}],
//    "edges": [{"from": 0, "to": 2, "weight": 0.5, "count": 1,
//               "recurrent": false}], "edges_total": 1}

#pragma once

#include <string>
#include <vector>

#include "lamarck/base/json.h"
#include "lamarck/evolution/network.h"
#include "lamarck/neat/neat_genome.h"

namespace lamarck::runs {

struct NetworkLabels {
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
};

// Keeps the strongest edges of a network with very many.
Json network_view(const evolution::Network& network,
                  const NetworkLabels& labels);
// Leaves out disabled connections.
Json network_view(const neat::Genome& genome, const NetworkLabels& labels);

// Adds "x" and "y" between 0 and 1 to each node, from left to right.
void place_nodes(Json& network);

}  // namespace lamarck::runs
