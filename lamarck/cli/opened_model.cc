#include "lamarck/cli/opened_model.h"

#include <utility>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/cli/evolve/run_folder.h"
#include "lamarck/evolution/network_graph.h"

namespace lamarck::cli {
namespace {

using data::TableEncoding;
using evolution::NetworkModel;

Result<std::optional<TableEncoding>> read_encoding(const NetworkModel& model) {
  // `lamarck evolve net` stores the encoding as a note in the model file.
  const auto note = model.notes.find("encoding");
  if (note == model.notes.end()) return std::optional<TableEncoding>();
  ASSIGN_OR_RETURN(const Json json, parse_json(note->second));
  ASSIGN_OR_RETURN(TableEncoding encoding, TableEncoding::from_json(json));
  // One output suffices for two classes: the probability of the second.
  const bool fits =
      encoding.input_count() == model.network.input_width() &&
      (encoding.output_count() == model.network.output_width() ||
       (encoding.output_count() == 2 && model.network.output_width() == 1));
  if (fits) return std::optional<TableEncoding>(std::move(encoding));
  return Error(
      ErrorCode::DataDamaged,
      fmt::format("The model's encoding has {} inputs and {} outputs, but its "
                  "network has {} and {}; save the model again.",
                  encoding.input_count(), encoding.output_count(),
                  model.network.input_width(), model.network.output_width()));
}

Result<OpenedModel> make_opened_model(SavedModel saved) {
  OpenedModel model{std::move(saved), std::nullopt, std::nullopt};
  if (!evolution::holds_network(model.saved)) return model;
  ASSIGN_OR_RETURN(model.evolved, evolution::make_network(model.saved));
  ASSIGN_OR_RETURN(model.encoding, read_encoding(*model.evolved));
  return model;
}

// Describes the inputs of one column; a
// categorical column has one per category.
std::string input_text(const data::InputColumn& column, std::size_t at) {
  const std::string name = one_line(column.name, 60);
  if (column.categories.empty()) {
    return fmt::format("  [{}] ({} - {}) / {}, or 0 if it is missing\n", at,
                       name, column.mean, column.deviation);
  }
  std::string text;
  for (const std::string& category : column.categories) {
    text += fmt::format("  [{}] 1 if {} is {}, else 0\n", at++, name,
                        one_line(category, 60));
  }
  return text;
}

}  // namespace

Result<OpenedModel> open_model(const std::filesystem::path& given) {
  ASSIGN_OR_RETURN(const std::filesystem::path path, find_model_file(given));
  ASSIGN_OR_RETURN(SavedModel saved, load_model(path));
  return make_opened_model(std::move(saved))
      .transform_error([&](const Error& error) {
        return error.within(in_quotes(path.string()));
      });
}

report::PictureOptions picture_options(const OpenedModel& model,
                                       const std::string& title) {
  report::PictureOptions options{.title = title};
  if (!model.encoding) return options;
  options.input_names = model.encoding->input_names();
  const data::TargetColumn& target = model.encoding->target();
  const bool has_one_output = model.evolved->network.output_width() == 1;
  if (!target.has_classes()) {
    options.output_names = {target.name};
  } else if (has_one_output) {
    options.output_names = {target.name + " is " + target.classes.back()};
  } else {
    options.output_names = target.classes;
  }
  return options;
}

std::string encoding_text(const TableEncoding& encoding) {
  std::string text = "Inputs from the columns of a table:\n";
  std::size_t at = 0;
  for (const data::InputColumn& column : encoding.inputs()) {
    text += input_text(column, at);
    at += column.categories.empty() ? 1 : column.categories.size();
  }
  const data::TargetColumn& target = encoding.target();
  const std::string name = one_line(target.name, 60);
  if (target.has_classes()) {
    return text + "The outputs are the probabilities of the classes of " +
           name + ".";
  }
  return text + fmt::format("{} is the output * {} + {}.", name,
                            target.deviation, target.mean);
}

std::vector<Var> find_results(const OpenedModel& model) {
  if (model.evolved) {
    return {evolution::to_graph(model.evolved->network).named("output")};
  }
  const Graph& graph = model.saved.graph;
  std::vector<Var> results;
  for (const NodeId id : graph.node_ids()) {
    const Var node = graph.node(id);
    if (!node.operation().empty() && graph.consumers_of(node).empty()) {
      results.push_back(node);
    }
  }
  return results;
}

}  // namespace lamarck::cli
