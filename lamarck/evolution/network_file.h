// Saves evolved networks as model files. A file holds the graph, which any
// reader of models can run, and the network, so that evolution can continue.

#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "lamarck/evolution/network.h"
#include "lamarck/graph/graph_file.h"

namespace lamarck::evolution {

struct NetworkModel {
  Network network;
  // Additional texts by name: "encoding" describes how a table becomes inputs,
  // "facts" how the network was made. "network" is reserved for the topology.
  std::map<std::string, std::string> notes;
};

// Replaces the file atomically. Loading restores the network bit for bit.
Result<void> save_network(const std::filesystem::path& path,
                          const NetworkModel& model);

// The content of such a file; make_network(model_from_bytes(...)) reads it.
std::string network_to_bytes(const NetworkModel& model);

// Returns an Error of code Unsupported if the file holds only a graph.
Result<NetworkModel> load_network(const std::filesystem::path& path);

bool holds_network(const SavedModel& model);
// Extracts the network from a loaded model.
Result<NetworkModel> make_network(const SavedModel& model);

}  // namespace lamarck::evolution
