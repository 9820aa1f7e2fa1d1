// A model file as the commands about models see it.

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
  std::optional<evolution::NetworkModel> evolved;  // Else it is a plain graph.
  std::optional<data::TableEncoding> encoding;     // If it reads a table.
};

// The error names the file.
Result<OpenedModel> open_model(const std::filesystem::path& path);

// The columns and classes that inputs and outputs stand for, as far as known.
report::PictureOptions picture_options(const OpenedModel& model,
                                       const std::string& title);

// How a row of a table becomes inputs and outputs become an answer, in lines.
std::string encoding_text(const data::TableEncoding& encoding);

// What it is run for: "output" of the graph of an evolved network, or else all
// that is computed and that nothing reads. May be empty.
std::vector<Var> results_of(const OpenedModel& model);

}  // namespace lamarck::cli
