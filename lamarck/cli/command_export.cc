#include <memory>
#include <string>
#include <nlohmann/json.hpp>

#include "lamarck/base/file.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/cli/command_option.h"
#include "lamarck/cli/command_table.h"
#include "lamarck/cli/evolve/search_flags.h"
#include "lamarck/cli/opened_model.h"
#include "lamarck/cli/output_file.h"
#include "lamarck/cli/run_export.h"
#include "lamarck/evolution/network_cpp.h"
#include "lamarck/graph/graph_picture.h"
#include "lamarck/graph/onnx_export.h"
#include "lamarck/graph/weights.h"

namespace lamarck::cli {
namespace {

struct ExportFlags {
  std::string model;
  std::string onnx;
  std::string cpp;
  std::string safetensors;
  std::string dot;
  RunExport run;
  bool is_forced = false;
};

Result<void> export_as_onnx(const OpenedModel& model, const std::string& path) {
  const std::vector<Var> results = find_results(model);
  if (results.empty()) {
    return Error(
        ErrorCode::Unsupported,
        "The model has no computed results, so it cannot be exported as "
        "ONNX.");
  }
  return export_onnx(path, results);
}

Result<void> export_as_cpp(const OpenedModel& model, const std::string& path) {
  if (!model.evolved) {
    return Error(ErrorCode::Unsupported,
                 "Only evolved networks can be exported as C++, and this model "
                 "is a plain graph; use --onnx or --safetensors.");
  }
  const auto names = picture_options(model, "");
  return write_file(
      path, to_cpp(model.evolved->network,
                   {.input_names = names.input_names,
                    .output_names = names.output_names,
                    .comment = model.encoding ? encoding_text(*model.encoding)
                                              : std::string()}));
}

Result<void> export_as_safetensors(const OpenedModel& model,
                                   const std::string& path) {
  return write_safetensors(path, named_weights(model.saved.graph));
}

Result<void> export_as_dot(const OpenedModel& model, const std::string& path) {
  return write_file(path, model.evolved ? to_dot(model.evolved->network,
                                                 picture_options(model, ""))
                                        : to_dot(model.saved.graph));
}

struct Format {
  const char* name;
  std::string ExportFlags::*path;
  const char* what;
  Result<void> (*write)(const OpenedModel& model, const std::string& path);
};

// The list of formats, from which flags, exports and reports are made.
constexpr Format kFormats[] = {
    {"onnx", &ExportFlags::onnx, "Write an ONNX model", export_as_onnx},
    {"cpp", &ExportFlags::cpp, "Write self-contained C++17 source",
     export_as_cpp},
    {"safetensors", &ExportFlags::safetensors,
     "Write the weights as safetensors", export_as_safetensors},
    {"dot", &ExportFlags::dot, "Write a Graphviz graph", export_as_dot},
};

Result<void> check_no_run_formats(const RunExport& run) {
  if (run.jsonl.empty() && run.python.empty() && run.latex.empty()) return {};
  return Error(
      ErrorCode::InvalidArgument,
      "--jsonl, --python and --latex apply to laws and programs; give the "
      "folder of a run of `lamarck evolve fn` or `lamarck evolve program`.");
}

Result<void> export_from_run(const ExportFlags& flags,
                             CommandContext& context) {
  if (!flags.onnx.empty() || !flags.safetensors.empty() || !flags.dot.empty()) {
    return Error(ErrorCode::InvalidArgument,
                 "--onnx, --safetensors and --dot apply to networks, but " +
                     in_quotes(flags.model) +
                     " has a law or a program; use --jsonl, --python, --latex "
                     "or --cpp.");
  }
  // --cpp is shared by models and laws, so it is parsed with the model formats.
  RunExport wanted = flags.run;
  wanted.cpp = flags.cpp;
  wanted.is_forced = flags.is_forced;
  return export_run(flags.model, wanted, context);
}

Result<void> export_model(const ExportFlags& flags, CommandContext& context) {
  if (contains_search(flags.model)) return export_from_run(flags, context);
  RETURN_IF_ERROR(find_model_file(flags.model));
  RETURN_IF_ERROR(check_no_run_formats(flags.run));
  // Check the flags before reading the model, so that mistakes show at once.
  RETURN_IF_ERROR(check_outputs(
      {flags.onnx, flags.cpp, flags.safetensors, flags.dot}, flags.is_forced));
  Json written = Json::object();
  for (const Format& format : kFormats) {
    const std::string& path = flags.*format.path;
    if (!path.empty()) written[format.name] = path;
  }
  if (written.empty()) {
    return Error(ErrorCode::InvalidArgument,
                 "Nothing to export; give at least one of --onnx, --cpp, "
                 "--safetensors and --dot with a file name.");
  }
  ASSIGN_OR_RETURN(const OpenedModel model, open_model(flags.model));
  for (const Format& format : kFormats) {
    const std::string& path = flags.*format.path;
    if (path.empty()) continue;
    RETURN_IF_ERROR(format.write(model, path));
    if (!context.json) context.out << "Wrote " << one_line(path) << ".\n";
  }
  if (context.json) {
    context.out << dump_json({{"model", flags.model}, {"written", written}}, 2)
                << "\n";
  }
  return {};
}

}  // namespace

Command export_command() {
  return {
      .name = "export",
      .summary = "Export a model or the results of a run",
      .description =
          "Exports a model as ONNX, as C++17 source that needs only the "
          "standard library (evolved networks only), as safetensors "
          "weights or as a Graphviz graph; several formats can be combined. "
          "Given the folder of a run, exports the law or the program as "
          "Python, a law as LaTeX or C++, and all stored functions with "
          "their prompts as JSON lines.",
      .example =
          "lamarck export iris-net --onnx iris.onnx --cpp iris.cc\n"
          "  lamarck export planets-fn --python law.py --jsonl laws.jsonl",
      .configure = [](CLI::App& app) -> CommandAction {
        const auto flags = std::make_shared<ExportFlags>();
        add_option(app, "MODEL", &flags->model,
                   "Model file, or folder of a run", {.is_required = true});
        for (const Format& format : kFormats) {
          add_option(app, "--" + std::string(format.name),
                     &((*flags).*format.path), format.what, {.type = "FILE"});
        }
        add_run_formats(app, flags->run);
        add_force(app, flags->is_forced);
        return [flags](CommandContext& context) {
          return export_model(*flags, context);
        };
      }};
}

}  // namespace lamarck::cli
