#include "lamarck/evolution/network_file.h"

#include <array>
#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/evolution/network_graph.h"
#include "lamarck/evolution/network_json.h"

namespace lamarck::evolution {
namespace {

// The note that holds the topology as JSON. Its parameters are in the tensors
// below.
constexpr const char* kTopology = "network";

struct TensorEntry {
  const char* name;
  std::vector<float> NetworkParameters::*member;
};
constexpr std::array kTensors = {
    TensorEntry{"network.values", &NetworkParameters::values},
    TensorEntry{"network.means", &NetworkParameters::means},
    TensorEntry{"network.squares", &NetworkParameters::squares},
    TensorEntry{"network.ages", &NetworkParameters::ages},
};

Result<NetworkParameters> read_parameters(const ModelExtras& extras) {
  NetworkParameters parameters;
  for (const TensorEntry& entry : kTensors) {
    const auto found = extras.tensors.find(entry.name);
    if (found == extras.tensors.end()) {
      return Error(ErrorCode::DataDamaged,
                   "The model lacks the tensor '" + std::string(entry.name) +
                       "' of its evolved network. Save it again.");
    }
    parameters.*entry.member = found->second.to_vector();
  }
  return parameters;
}

ModelExtras make_extras(const NetworkModel& model) {
  ModelExtras extras{.tensors = {}, .notes = model.notes};
  extras.notes[kTopology] = dump_json(to_json(model.network));
  for (const TensorEntry& entry : kTensors) {
    const std::vector<float>& values = model.network.parameters().*entry.member;
    extras.tensors.emplace(
        entry.name,
        Tensor::from({static_cast<std::int64_t>(values.size())}, values));
  }
  return extras;
}

}  // namespace

Result<void> save_network(const std::filesystem::path& path,
                          const NetworkModel& model) {
  return save_model(path, to_graph(model.network), make_extras(model));
}

std::string network_to_bytes(const NetworkModel& model) {
  return model_to_bytes(to_graph(model.network), make_extras(model));
}

bool holds_network(const SavedModel& model) {
  return model.extras.notes.contains(kTopology);
}

Result<NetworkModel> make_network(const SavedModel& model) {
  const auto topology = model.extras.notes.find(kTopology);
  if (topology == model.extras.notes.end()) {
    return Error(ErrorCode::Unsupported,
                 "The model holds a graph but no evolved network; load it as a "
                 "graph, or evolve one.");
  }
  ASSIGN_OR_RETURN(const Json json, parse_json(topology->second));
  ASSIGN_OR_RETURN(NetworkParameters parameters, read_parameters(model.extras));
  ASSIGN_OR_RETURN(Network network,
                   network_from_json(json, std::move(parameters)));
  NetworkModel made{std::move(network), model.extras.notes};
  made.notes.erase(kTopology);
  return made;
}

Result<NetworkModel> load_network(const std::filesystem::path& path) {
  ASSIGN_OR_RETURN(const SavedModel model, load_model(path));
  return make_network(model).transform_error([&](const Error& error) {
    return error.within(in_quotes(path.string()));
  });
}

}  // namespace lamarck::evolution
