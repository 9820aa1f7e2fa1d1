// Graphs as files: JSON topology and raw weights in one container, with a
// version and a checksum. docs/formats/model.md says how they look inside.

#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "lamarck/base/json.h"
#include "lamarck/graph/graph.h"

namespace lamarck {

// What travels with a model: an optimizer's state, how to normalise inputs, the
// names of classes.
struct ModelExtras {
  std::map<std::string, Tensor> tensors;
  std::map<std::string, std::string> notes;
};

struct SavedModel {
  Graph graph;
  ModelExtras extras;
};

// Replaces the file in one step.
Result<void> save_model(const std::filesystem::path& path, const Graph& graph,
                        const ModelExtras& extras = {});
// A damaged, truncated or foreign file, or one of a later version, is an Error
// that says so. What was computed is not kept: run it.
Result<SavedModel> load_model(const std::filesystem::path& path);

// The same in memory.
std::string model_to_bytes(const Graph& graph, const ModelExtras& extras = {});
Result<SavedModel> model_from_bytes(std::string_view bytes);

}  // namespace lamarck
