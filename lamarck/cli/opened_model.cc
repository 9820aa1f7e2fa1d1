#include "lamarck/cli/opened_model.h"

#include <utility>
#include <fmt/format.h>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/cli/evolve/run_folder.h"
#include "lamarck/evolution/network_graph.h"
#include "lamarck/table/table_prediction.h"

namespace lamarck::cli {
namespace {

using data::TableEncoding;

Result<OpenedModel> make_opened_model(SavedModel saved) {
  OpenedModel model{std::move(saved), std::nullopt, std::nullopt};
  if (!evolution::holds_network(model.saved)) return model;
  ASSIGN_OR_RETURN(model.evolved, evolution::make_network(model.saved));
  if (model.evolved->notes.contains("encoding")) {
    ASSIGN_OR_RETURN(model.encoding, table::read_encoding(*model.evolved));
  }
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
