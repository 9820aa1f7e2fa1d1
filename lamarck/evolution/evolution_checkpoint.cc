#include "lamarck/evolution/evolution_checkpoint.h"

#include <cmath>
#include <cstdlib>
#include <string>
#include <nlohmann/json.hpp>

#include "lamarck/base/json.h"
#include "lamarck/base/macros.h"
#include "lamarck/evolution/network_json.h"
#include "lamarck/graph/graph_file.h"

namespace lamarck::evolution {
namespace {

// A checkpoint is a model file with an empty graph: the state is JSON in this
// note, and the parameters of all networks are tensors named by number.
constexpr const char* kNote = "evolution";

// JSON cannot represent infinity, which is the loss of failed candidates.
Json number_to_json(double value) {
  if (std::isfinite(value)) return value;
  return value > 0 ? "inf" : "-inf";
}

double number_from_json(const Json& json) {
  if (json.is_number()) return json.get<double>();
  const double infinity = std::numeric_limits<double>::infinity();
  return json.get<std::string>() == "inf" ? infinity : -infinity;
}

Tensor as_tensor(const std::vector<float>& values) {
  return Tensor::from({static_cast<std::int64_t>(values.size())}, values);
}

class CheckpointWriter {
 public:
  Json candidate(const Candidate& candidate) {
    Json networks = Json::array();
    for (const Network& network : candidate.networks) {
      const std::string name = std::to_string(count_++);
      networks.push_back({{"topology", to_json(network)}, {"tensors", name}});
      const NetworkParameters& parameters = network.parameters();
      extras_.tensors[name + ".values"] = as_tensor(parameters.values);
      extras_.tensors[name + ".means"] = as_tensor(parameters.means);
      extras_.tensors[name + ".squares"] = as_tensor(parameters.squares);
      extras_.tensors[name + ".ages"] = as_tensor(parameters.ages);
    }
    return {{"networks", std::move(networks)},
            {"loss", number_to_json(candidate.loss)},
            {"score", number_to_json(candidate.score)},
            {"reaches_target", candidate.reaches_target},
            {"mutation", candidate.mutation}};
  }

  Json island(const Island& island) {
    Json population = Json::array();
    for (const Candidate& each : island.population) {
      population.push_back(candidate(each));
    }
    Json tried = Json::array();
    for (const auto& [hash, times] : island.tried) {
      tried.push_back({hash, times});
    }
    return {{"index", island.index},
            {"generation", island.generation},
            {"since_gain", island.since_gain},
            {"lives", island.lives},
            {"population", std::move(population)},
            {"best", candidate(island.best)},
            {"tried", std::move(tried)},
            {"evaluations", island.counts.evaluations},
            {"gradient_steps", island.counts.gradient_steps},
            {"dropped", island.counts.dropped},
            {"hopeless", island.counts.stopped_early},
            {"repeated", island.counts.repeated},
            {"infeasible", island.counts.infeasible},
            {"restarts", island.counts.restarts}};
  }

  ModelExtras finish(const Json& state) {
    extras_.notes[kNote] = dump_json(state);
    return std::move(extras_);
  }

 private:
  ModelExtras extras_;
  std::size_t count_ = 0;
};

// Throws Json::exception or LogicError if the checkpoint is invalid;
// load_checkpoint turns both into an Error.
class CheckpointReader {
 public:
  explicit CheckpointReader(const ModelExtras& extras) : extras_(extras) {}

  Candidate candidate(const Json& json) const {
    Candidate candidate{.loss = number_from_json(json.at("loss")),
                        .score = number_from_json(json.at("score")),
                        .reaches_target = json.at("reaches_target"),
                        .mutation = json.at("mutation")};
    for (const Json& each : json.at("networks")) {
      const std::string name = each.at("tensors");
      auto network = network_from_json(each.at("topology"),
                                       {.values = tensor(name + ".values"),
                                        .means = tensor(name + ".means"),
                                        .squares = tensor(name + ".squares"),
                                        .ages = tensor(name + ".ages")});
      if (!network) throw LogicError(network.error());
      candidate.networks.push_back(std::move(*network));
    }
    return candidate;
  }

  Island island(const Json& json) const {
    Island island{.index = json.at("index"),
                  .generation = json.at("generation"),
                  .since_gain = json.at("since_gain"),
                  .lives = json.at("lives"),
                  .best = candidate(json.at("best"))};
    for (const Json& each : json.at("population")) {
      island.population.push_back(candidate(each));
    }
    for (const Json& each : json.at("tried")) {
      island.tried[each.at(0)] = each.at(1);
    }
    island.counts = {.evaluations = json.at("evaluations"),
                     .gradient_steps = json.at("gradient_steps"),
                     .dropped = json.at("dropped"),
                     .stopped_early = json.at("hopeless"),
                     .repeated = json.at("repeated"),
                     .infeasible = json.value("infeasible", std::int64_t{0}),
                     .restarts = json.at("restarts")};
    return island;
  }

 private:
  std::vector<float> tensor(const std::string& name) const {
    const auto found = extras_.tensors.find(name);
    if (found == extras_.tensors.end()) {
      throw LogicError(Error(ErrorCode::DataDamaged,
                             "The tensor '" + name + "' is missing."));
    }
    return found->second.to_vector();
  }

  const ModelExtras& extras_;
};

Json record_to_json(const GrowthRecord& record) {
  return {{"generation", record.generation},
          {"evaluations", record.evaluations},
          {"seconds", record.seconds},
          {"mutation", record.mutation},
          {"loss", number_to_json(record.loss)},
          {"score", number_to_json(record.score)},
          {"hidden_nodes", record.hidden_nodes},
          {"edges", record.edges},
          {"recurrent_edges", record.recurrent_edges}};
}

GrowthRecord record_from_json(const Json& json) {
  return {.generation = json.at("generation"),
          .evaluations = json.at("evaluations"),
          .seconds = json.at("seconds"),
          .mutation = json.at("mutation"),
          .loss = number_from_json(json.at("loss")),
          .score = number_from_json(json.at("score")),
          .hidden_nodes = json.at("hidden_nodes"),
          .edges = json.at("edges"),
          .recurrent_edges = json.at("recurrent_edges")};
}

EvolutionState state_from(const Json& json, const ModelExtras& extras) {
  const CheckpointReader reader(extras);
  EvolutionState state{.generation = json.at("generation"),
                       .since_gain = json.at("since_gain"),
                       .seconds_before = json.at("seconds"),
                       .best = reader.candidate(json.at("best"))};
  for (const Json& each : json.at("islands")) {
    state.islands.push_back(reader.island(each));
  }
  for (const Json& each : json.at("history")) {
    state.history.push_back(record_from_json(each));
  }
  return state;
}

}  // namespace

Result<void> save_checkpoint(const std::filesystem::path& path,
                             const EvolutionState& state) {
  CheckpointWriter writer;
  Json islands = Json::array();
  for (const Island& island : state.islands) {
    islands.push_back(writer.island(island));
  }
  Json history = Json::array();
  for (const GrowthRecord& record : state.history) {
    history.push_back(record_to_json(record));
  }
  const Json json = {
      {"generation", state.generation},  {"since_gain", state.since_gain},
      {"seconds", state.seconds_before}, {"best", writer.candidate(state.best)},
      {"islands", std::move(islands)},   {"history", std::move(history)}};
  return save_model(path, Graph(), writer.finish(json));
}

Result<EvolutionState> load_checkpoint(const std::filesystem::path& path) {
  ASSIGN_OR_RETURN(const SavedModel saved, load_model(path));
  const auto note = saved.extras.notes.find(kNote);
  if (note == saved.extras.notes.end()) {
    return Error(ErrorCode::InvalidArgument,
                 path.string() +
                     " is a model without a checkpoint; give a file that a run "
                     "wrote as its checkpoint.");
  }
  ASSIGN_OR_RETURN(const Json json, parse_json(note->second));
  try {
    return state_from(json, saved.extras);
  } catch (const std::exception& failure) {
    return Error(
        ErrorCode::DataDamaged,
        path.string() + " is damaged and cannot be resumed: " + failure.what());
  }
}

}  // namespace lamarck::evolution
