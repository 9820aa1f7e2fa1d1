// Evolved networks as model files: the graph that any reader of models runs,
// and beside it what evolution needs to go on.

#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "lamarck/evolution/network.h"
#include "lamarck/graph/graph_file.h"

namespace lamarck::evolution {

struct NetworkModel {
  Network network;
  // What travels with it, by name: "encoding", how a table becomes its inputs;
  // "facts", how it came to be. "network" is the file's own.
  std::map<std::string, std::string> notes;
};

// Replaces the file in one step. Everything comes back bit by bit.
Result<void> save_network(const std::filesystem::path& path,
                          const NetworkModel& model);

// A model that holds a graph but no evolved network is an Error of code
// Unsupported that says so.
Result<NetworkModel> load_network(const std::filesystem::path& path);

bool holds_network(const SavedModel& model);
// Of a model that is loaded already.
Result<NetworkModel> network_of(const SavedModel& model);

}  // namespace lamarck::evolution
