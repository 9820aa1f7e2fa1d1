#include <memory>
#include <string>
#include <nlohmann/json.hpp>

#include "lamarck/base/file.h"
#include "lamarck/base/interrupt.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/cli/command_option.h"
#include "lamarck/cli/command_table.h"
#include "lamarck/cli/opened_law_run.h"
#include "lamarck/cli/opened_model.h"
#include "lamarck/cli/opened_program_run.h"
#include "lamarck/cli/output_file.h"
#include "lamarck/evolution/network_json.h"
#include "lamarck/graph/graph_picture.h"

namespace lamarck::cli {
namespace {

struct ShowFlags {
  std::string model;
  std::string svg;
  std::string dot;
  bool text = false;
  bool is_forced = false;
};

// The title is the file name without its extension.
std::string make_title(const ShowFlags& flags) {
  const std::filesystem::path path = flags.model;
  return (path.has_filename() ? path : path.parent_path()).stem().string();
}

std::string make_text(const OpenedModel& model, const ShowFlags& flags) {
  if (!model.evolved) return summary(model.saved.graph);
  std::string text = to_text(model.evolved->network,
                             picture_options(model, make_title(flags)));
  if (model.encoding) {
    text +=
        "\nNumbers are standardized: the network reads and returns (value - "
        "mean) / standard deviation. `lamarck export --cpp` lists these "
        "constants.\n";
  }
  return text;
}

std::string make_svg(const OpenedModel& model, const ShowFlags& flags) {
  if (!model.evolved) return to_svg(model.saved.graph);
  return to_svg(model.evolved->network,
                picture_options(model, make_title(flags)));
}

std::string make_dot(const OpenedModel& model, const ShowFlags& flags) {
  if (!model.evolved) return to_dot(model.saved.graph);
  return to_dot(model.evolved->network,
                picture_options(model, make_title(flags)));
}

// Describes an evolved network in detail and a plain graph by its counts.
Json model_report(const OpenedModel& model) {
  Json notes = Json::array();
  for (const auto& [name, text] : model.saved.extras.notes) {
    notes.push_back(name);
  }
  if (!model.evolved) {
    return {{"kind", "graph"},
            {"nodes", model.saved.graph.node_count()},
            {"parameters", model.saved.graph.parameter_count()},
            {"notes", notes}};
  }
  const evolution::Network& network = model.evolved->network;
  const auto names = picture_options(model, "");
  return {{"kind", "network"},
          {"inputs", network.input_width()},
          {"outputs", network.output_width()},
          {"hidden", network.hidden_count()},
          {"edges", network.edges().size()},
          {"recurrent_edges", network.recurrent_edge_count()},
          {"parameters", network.parameters().size()},
          {"input_names", names.input_names},
          {"output_names", names.output_names},
          {"network", evolution::to_json(network)},
          {"notes", notes}};
}

Result<void> show_run(const ShowFlags& flags, CommandContext& context) {
  if (!flags.svg.empty() || !flags.dot.empty()) {
    return Error(ErrorCode::InvalidArgument,
                 "--svg and --dot apply to networks, but " +
                     in_quotes(flags.model) +
                     " has a law or a program; its report.html has charts.");
  }
  const QuitOnInterrupt quits(kInterruptedReading);
  ASSIGN_OR_RETURN(const SearchRun run, read_search_run(flags.model));
  if (run.kind == kFnKind) {
    ASSIGN_OR_RETURN(const OpenedLawRun opened, open_law_run(flags.model));
    context.out << (context.json ? dump_json(law_run_json(opened), 2) + "\n"
                                 : safe_lines(law_run_text(opened)));
    return {};
  }
  ASSIGN_OR_RETURN(const OpenedProgramRun opened,
                   open_program_run(flags.model));
  context.out << (context.json ? dump_json(program_run_json(opened), 2) + "\n"
                               : safe_lines(program_run_text(opened)));
  return {};
}

Result<void> show_model(const ShowFlags& flags, CommandContext& context) {
  if (contains_search(flags.model)) return show_run(flags, context);
  RETURN_IF_ERROR(check_outputs({flags.svg, flags.dot}, flags.is_forced));
  ASSIGN_OR_RETURN(const OpenedModel model, open_model(flags.model));
  // Building the report is skipped unless it is printed.
  Json report = context.json ? model_report(model) : Json();
  const bool writes = !flags.svg.empty() || !flags.dot.empty();
  if (!flags.svg.empty()) {
    RETURN_IF_ERROR(
        write_output(flags.svg, make_svg(model, flags), flags.is_forced));
    report["svg"] = flags.svg;
  }
  if (!flags.dot.empty()) {
    RETURN_IF_ERROR(
        write_output(flags.dot, make_dot(model, flags), flags.is_forced));
    report["dot"] = flags.dot;
  }
  if (context.json) {
    context.out << dump_json(report, 2) << "\n";
    return {};
  }
  for (const std::string& path : {flags.svg, flags.dot}) {
    if (!path.empty()) context.out << "Wrote " << one_line(path) << ".\n";
  }
  if (!writes || flags.text) context.out << safe_lines(make_text(model, flags));
  return {};
}

}  // namespace

Command show_command() {
  return {
      .name = "show",
      .summary = "Describe or draw a model or the results of a run",
      .description =
          "Describes a model file: the nodes, edges and, if it is small, "
          "the formulas of an evolved network; the operations of any other "
          "model. --svg and --dot draw it. Given the folder of a run, shows "
          "the network, the laws or the program that the run found.",
      .example = "lamarck show iris-net --svg iris.svg",
      .configure = [](CLI::App& app) -> CommandAction {
        const auto flags = std::make_shared<ShowFlags>();
        add_option(app, "MODEL", &flags->model,
                   "Model file, or folder of a run", {.is_required = true});
        add_option(app, "--svg", &flags->svg,
                   "Write an SVG picture to this file", {.type = "FILE"});
        add_option(app, "--dot", &flags->dot,
                   "Write a Graphviz graph to this file", {.type = "FILE"});
        add_switch(app, "--text", flags->text,
                   "Print the description even when writing files");
        add_force(app, flags->is_forced);
        return [flags](CommandContext& context) {
          return show_model(*flags, context);
        };
      }};
}

}  // namespace lamarck::cli
