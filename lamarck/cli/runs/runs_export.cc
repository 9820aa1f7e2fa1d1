// `lamarck runs export`.

#include <memory>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/cli/command_option.h"
#include "lamarck/cli/output_file.h"
#include "lamarck/cli/runs/runs_commands.h"
#include "lamarck/runs/run_tracker_export.h"

namespace lamarck::cli {
namespace {

struct RunsExportFlags {
  RunsFlags run;
  std::string mlflow;
  std::string tensorboard;
  std::string csv;
  bool is_forced = false;
};

Result<void> export_recorded(const RunsExportFlags& flags,
                             CommandContext& context) {
  if (flags.mlflow.empty() && flags.tensorboard.empty() && flags.csv.empty()) {
    return Error(ErrorCode::InvalidArgument,
                 "Give at least one of --mlflow DIR, --tensorboard DIR and "
                 "--csv FILE.");
  }
  RETURN_IF_ERROR(check_output(flags.csv, flags.is_forced));
  ASSIGN_OR_RETURN(const OpenedRuns opened,
                   open_runs(flags.run.db, false, context));
  ASSIGN_OR_RETURN(const runs::RunView run,
                   opened.catalog->find_by_prefix(flags.run.run));
  ASSIGN_OR_RETURN(const auto series,
                   runs::read_run_series(*opened.journal, run.id));
  Json written = Json::object();
  if (!flags.csv.empty()) {
    RETURN_IF_ERROR(
        write_output(flags.csv, runs::series_csv(series), flags.is_forced));
    written["csv"] = flags.csv;
  }
  if (!flags.mlflow.empty()) {
    ASSIGN_OR_RETURN(written["mlflow"],
                     runs::export_mlflow(flags.mlflow, run, series));
  }
  if (!flags.tensorboard.empty()) {
    ASSIGN_OR_RETURN(written["tensorboard"],
                     runs::export_tensorboard(flags.tensorboard, run, series));
  }
  if (context.json) {
    context.out << dump_json(written) << "\n";
    return {};
  }
  for (const auto& [name, path] : written.items()) {
    context.out << fmt::format("Wrote {} to {}.\n", run.id,
                               one_line(path.get<std::string>(), 300));
  }
  return {};
}

}  // namespace

Command runs_export_command() {
  return {.name = "export",
          .summary = "Export the curves of a run to a tracker",
          .description =
              "Writes the options, curves and files of a run as MLflow's file "
              "store, as event files of TensorBoard, or as CSV.",
          .example =
              "lamarck runs export last --mlflow mlruns --tensorboard "
              "logs",
          .configure = [](CLI::App& app) -> CommandAction {
            const auto flags = std::make_shared<RunsExportFlags>();
            add_run_argument(app, flags->run);
            add_option(app, "--mlflow", &flags->mlflow,
                       "Folder of an MLflow file store, such as mlruns",
                       {.type = "DIR"});
            add_option(app, "--tensorboard", &flags->tensorboard,
                       "Folder for TensorBoard, such as logs", {.type = "DIR"});
            add_option(app, "--csv", &flags->csv, "CSV file for the curves",
                       {.type = "FILE"});
            add_force(app, flags->is_forced);
            return [flags](CommandContext& context) {
              return export_recorded(*flags, context);
            };
          }};
}

}  // namespace lamarck::cli
