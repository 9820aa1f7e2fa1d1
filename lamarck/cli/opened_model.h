// A model file, as `show`, `predict` and `export` use it.

#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lamarck/data/table_encoding.h"
#include "lamarck/evolution/network_file.h"
#include "lamarck/report/network_picture.h"

namespace lamarck::cli {

struct OpenedModel {
  SavedModel saved;
  std::optional<evolution::NetworkModel> evolved;  // Empty for a plain graph.
  std::optional<data::TableEncoding> encoding;     // If it takes tables.
};

// Opens a model file, or that of a run's folder. Errors name the file.
Result<OpenedModel> open_model(const std::filesystem::path& given);

// Names the inputs and outputs after columns
// and classes if the model has an encoding.
report::PictureOptions picture_options(const OpenedModel& model,
                                       const std::string& title);

// Describes, line by line, how a row of a table becomes inputs and how outputs
// become a prediction.
std::string encoding_text(const data::TableEncoding& encoding);

// Returns the results of the model: the node "output" of an evolved network, or
// all computed nodes of a plain graph that no other node reads. May be empty.
std::vector<Var> find_results(const OpenedModel& model);

}  // namespace lamarck::cli
