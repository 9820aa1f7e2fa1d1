// Graphs as files: the topology as JSON and the raw weights in one container,
// with a version and a checksum. docs/formats/model.md describes the format.

#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "lamarck/base/json.h"
#include "lamarck/graph/graph.h"

namespace lamarck {

// Data that is stored with a model: the state of an optimizer, how to normalize
// inputs, the names of classes.
struct ModelExtras {
  std::map<std::string, Tensor> tensors;
  std::map<std::string, std::string> notes;
};

struct SavedModel {
  Graph graph;
  ModelExtras extras;
};

// Replaces the file atomically.
Result<void> save_model(const std::filesystem::path& path, const Graph& graph,
                        const ModelExtras& extras = {});
// Returns an Error that states the reason if the file is damaged, truncated,
// not a model, or of a later version. Computed values are not stored; run the
// graph to get them.
Result<SavedModel> load_model(const std::filesystem::path& path);

// The same file format in memory.
std::string model_to_bytes(const Graph& graph, const ModelExtras& extras = {});
Result<SavedModel> model_from_bytes(std::string_view bytes);

}  // namespace lamarck
