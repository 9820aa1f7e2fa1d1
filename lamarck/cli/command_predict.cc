#include <memory>
#include <string>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/file.h"
#include "lamarck/base/interrupt.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/cli/command_option.h"
#include "lamarck/cli/command_table.h"
#include "lamarck/cli/table_prediction.h"
#include "lamarck/data/csv.h"

namespace lamarck::cli {
namespace {

struct PredictFlags {
  std::string model;
  std::string data;
  std::string out;
};

Json prediction_report(const TablePrediction& prediction,
                       const PredictFlags& flags) {
  Json report = {{"rows", prediction.table.row_count()},
                 {"path", flags.out.empty() ? Json() : Json(flags.out)},
                 {"columns", prediction.table.column_names()},
                 {"remarks", prediction.remarks}};
  if (prediction.score) {
    report["metric"] = prediction.metric;
    report["score"] = *prediction.score;
    report["scored_rows"] = prediction.scored_rows;
  }
  return report;
}

void print_prediction(const TablePrediction& prediction,
                      const PredictFlags& flags, CommandContext& context) {
  for (const std::string& remark : prediction.remarks) {
    context.err << "lamarck: " << one_line(remark, 200) << "\n";
  }
  std::string score;
  if (prediction.score) {
    score = fmt::format("{} {:.4g} on {} rows with targets", prediction.metric,
                        *prediction.score, prediction.scored_rows);
  }
  // Standard output holds only the table, so that it can be piped. Names and
  // classes are those of the file, which a terminal must not obey.
  if (flags.out.empty()) {
    const std::string csv = data::to_csv(prediction.table);
    context.out << (context.out_is_terminal ? safe_lines(csv) : csv);
    if (!score.empty()) context.err << "lamarck: " << score << ".\n";
    return;
  }
  context.out << fmt::format("Wrote {} predictions to {}{}.\n",
                             prediction.table.row_count(), one_line(flags.out),
                             score.empty() ? "" : "; " + score);
}

Result<void> predict_rows(const PredictFlags& flags, CommandContext& context) {
  std::optional<QuitOnInterrupt> quits(kInterruptedReading);
  ASSIGN_OR_RETURN(const OpenedModel model, open_model(flags.model));
  ASSIGN_OR_RETURN(const data::Table table, data::read_csv(flags.data));
  ASSIGN_OR_RETURN(const TablePrediction prediction,
                   predict_table(model, table));
  quits.reset();
  if (!flags.out.empty()) {
    RETURN_IF_ERROR(write_file(flags.out, data::to_csv(prediction.table)));
  }
  if (context.json) {
    context.out << dump_json(prediction_report(prediction, flags), 2) << "\n";
  } else {
    print_prediction(prediction, flags, context);
  }
  return {};
}

}  // namespace

Command predict_command() {
  return {
      .name = "predict",
      .summary = "Predict the target for the rows of a CSV file",
      .description =
          "Reads a CSV file with the columns that the model was evolved from "
          "and writes a CSV file with a column `prediction` and, for classes, "
          "the probability of each class. A model of a series predicts the "
          "future target for every row, including the last one. If the file "
          "has the target column, the predictions are scored against it.",
      .example = "lamarck predict iris-net/model.lmk new.csv --out answers.csv",
      .configure = [](CLI::App& app) -> CommandAction {
        const auto flags = std::make_shared<PredictFlags>();
        add_option(app, "MODEL", &flags->model, "Model file",
                   {.is_required = true});
        add_option(app, "DATA", &flags->data, "CSV file",
                   {.is_required = true});
        add_option(app, "--out", &flags->out,
                   "Write the predictions to this file instead of stdout",
                   {.type = "FILE"});
        return [flags](CommandContext& context) {
          return predict_rows(*flags, context);
        };
      }};
}

}  // namespace lamarck::cli
