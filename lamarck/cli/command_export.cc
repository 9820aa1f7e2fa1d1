#include <memory>
#include <string>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "lamarck/base/file.h"
#include "lamarck/base/one_line.h"
#include "lamarck/cli/command_table.h"
#include "lamarck/cli/opened_model.h"
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
};

Result<void> export_as_onnx(const OpenedModel& model, const std::string& path) {
  return export_onnx(path, results_of(model));
}

Result<void> export_as_cpp(const OpenedModel& model, const std::string& path) {
  if (!model.evolved) {
    return Error(ErrorCode::Unsupported,
                 "The model holds a graph but no evolved network, and only "
                 "those become C++; use --onnx or --safetensors.");
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
  return write_safetensors(path, weights_of(model.saved.graph));
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

// The one list of formats: flags, work and report walk it.
constexpr Format kFormats[] = {
    {"onnx", &ExportFlags::onnx, "Write an ONNX model", export_as_onnx},
    {"cpp", &ExportFlags::cpp, "Write C++ source that needs nothing else",
     export_as_cpp},
    {"safetensors", &ExportFlags::safetensors,
     "Write the weights as safetensors", export_as_safetensors},
    {"dot", &ExportFlags::dot, "Write a graph for Graphviz", export_as_dot},
};

Result<void> export_model(const ExportFlags& flags, CommandContext& context) {
  Json written = Json::object();
  for (const Format& format : kFormats) {
    const std::string& path = flags.*format.path;
    if (!path.empty()) written[format.name] = path;
  }
  if (written.empty()) {
    return Error(ErrorCode::InvalidArgument,
                 "Nothing to write; give at least one of --onnx, --cpp, "
                 "--safetensors and --dot with a file.");
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
  return {.name = "export",
          .summary = "Write a model in formats that others read",
          .description =
              "Writes a model as ONNX, as C++17 source that needs nothing but "
              "its standard library (evolved networks only), its weights as "
              "safetensors, or its nodes for Graphviz; several at once if "
              "wanted.",
          .example =
              "lamarck export iris.lamarck --onnx iris.onnx --cpp "
              "iris.cc",
          .configure = [](CLI::App& app) -> CommandAction {
            const auto flags = std::make_shared<ExportFlags>();
            app.add_option("MODEL", flags->model, "The model file")
                ->required()
                ->type_name("");
            for (const Format& format : kFormats) {
              app.add_option("--" + std::string(format.name),
                             (*flags).*format.path, format.what)
                  ->type_name("FILE");
            }
            return [flags](CommandContext& context) {
              return export_model(*flags, context);
            };
          }};
}

}  // namespace lamarck::cli
