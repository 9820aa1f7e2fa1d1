#include <memory>
#include <optional>
#include <string>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/error.h"
#include "lamarck/base/interrupt.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/cli/command_option.h"
#include "lamarck/cli/command_table.h"
#include "lamarck/cli/evolve/fn_targets.h"
#include "lamarck/cli/evolve/search_flags.h"
#include "lamarck/cli/kept_columns.h"
#include "lamarck/cli/law_prediction.h"
#include "lamarck/cli/model_prediction.h"
#include "lamarck/cli/output_file.h"
#include "lamarck/cli/reading_progress.h"
#include "lamarck/data/csv.h"
#include "lamarck/report/report_text.h"

namespace lamarck::cli {
namespace {

using report::counted;

constexpr double kDefaultLevel = 0.9;

struct PredictFlags {
  std::string model;
  std::string data;
  std::string out;
  std::string encoding;
  std::optional<std::string> keep;
  bool has_intervals = false;
  std::optional<double> level;
  bool is_safe = false;
  bool is_forced = false;
};

Json prediction_report(const TablePrediction& prediction,
                       const PredictFlags& flags) {
  Json report = {{"rows", prediction.table.row_count()},
                 {"path", flags.out.empty() ? Json() : Json(flags.out)},
                 {"columns", prediction.table.column_names()},
                 {"predictions", rows_json(prediction.table)},
                 {"remarks", prediction.remarks}};
  if (prediction.score) {
    report["metric"] = prediction.metric;
    report["score"] = *prediction.score;
    report["scored_rows"] = prediction.scored_rows;
  }
  return report;
}

void print_prediction(const TablePrediction& prediction, const std::string& csv,
                      const PredictFlags& flags, CommandContext& context) {
  for (const std::string& remark : prediction.remarks) {
    context.err << "lamarck: " << one_line(remark, 200) << "\n";
  }
  std::string score;
  if (prediction.score) {
    score = fmt::format("{} {:.4g} on {} with targets", prediction.metric,
                        *prediction.score,
                        counted(prediction.scored_rows, "row", "rows"));
  }
  // Standard output holds only the table, so that it can be piped. Names and
  // classes are those of the file, which a terminal must not obey.
  if (flags.out.empty()) {
    context.out << (context.out_is_terminal ? safe_lines(csv) : csv);
    if (!score.empty()) context.err << "lamarck: " << score << ".\n";
    return;
  }
  context.out << fmt::format(
      "Wrote {} to {}{}.\n",
      counted(prediction.table.row_count(), "prediction", "predictions"),
      one_line(flags.out), score.empty() ? "" : "; " + score);
}

// Errors name the file at fault: the model or the data.
Result<TablePrediction> predict_any(const PredictFlags& flags,
                                    const data::Table& table) {
  const auto in_data = [&](const Error& error) {
    return error.code() == ErrorCode::Unsupported
               ? error
               : error.within(data::csv_name(flags.data));
  };
  if (contains_search(flags.model) || contains_targets(flags.model)) {
    if (flags.has_intervals) {
      return Error(ErrorCode::Unsupported,
                   "--intervals is for networks of `evolve net`; leave it out "
                   "for a law.");
    }
    if (!contains_search(flags.model)) {
      return predict_by_laws(flags.model, table).transform_error(in_data);
    }
    ASSIGN_OR_RETURN(const LawModel law, open_law_model(flags.model));
    return predict_by_law(law, table).transform_error(in_data);
  }
  ASSIGN_OR_RETURN(const OpenedModel model, open_model(flags.model));
  std::optional<double> level;
  if (flags.has_intervals) level = flags.level.value_or(kDefaultLevel);
  return predict_table(model, table, level).transform_error(in_data);
}

Result<void> check_level(const PredictFlags& flags) {
  if (!flags.level) return {};
  if (!flags.has_intervals) {
    return invalid_argument(
        "--level requires --intervals; add it, or leave out --level.");
  }
  if (*flags.level > 0 && *flags.level < 1) return {};
  return invalid_argument(fmt::format(
      "--level must be above 0 and below 1, got {}.", *flags.level));
}

Result<void> predict_rows(PredictFlags flags, CommandContext& context) {
  RETURN_IF_ERROR(check_level(flags));
  if (flags.out == "-") flags.out.clear();  // Standard output.
  RETURN_IF_ERROR(check_output(flags.out, flags.is_forced));
  std::optional<QuitOnInterrupt> quits(kInterruptedReading);
  const data::CsvOptions options{.encoding = flags.encoding,
                                 .cancel = context.cancel,
                                 .watch = watch_reading(context, flags.data)};
  ASSIGN_OR_RETURN(const std::string text,
                   data::read_csv_text(flags.data, options));
  const auto in_file = [&](const Error& error) {
    return error.within(data::csv_name(flags.data));
  };
  ASSIGN_OR_RETURN(const data::Table table,
                   data::parse_csv(text, options).transform_error(in_file));
  ASSIGN_OR_RETURN(const KeptColumns kept, parse_kept_columns(flags.keep));
  ASSIGN_OR_RETURN(TablePrediction prediction, predict_any(flags, table));
  ASSIGN_OR_RETURN(
      prediction.table,
      with_kept_columns(kept, text, prediction.table).transform_error(in_file));
  const std::string csv =
      data::to_csv(prediction.table, {.is_safe = flags.is_safe});
  quits.reset();
  if (!flags.out.empty()) {
    RETURN_IF_ERROR(write_output(flags.out, csv, flags.is_forced));
  }
  if (context.json) {
    context.out << dump_json(prediction_report(prediction, flags), 2) << "\n";
  } else {
    print_prediction(prediction, csv, flags, context);
  }
  return {};
}

void add_predict_flags(CLI::App& app, PredictFlags& flags) {
  add_option(app, "MODEL", &flags.model,
             "Model file, or folder of a run of `evolve net` or `evolve fn`",
             {.is_required = true});
  add_option(app, "DATA", &flags.data,
             "CSV file, also .gz or .zst; - for standard input",
             {.is_required = true});
  add_option(app, "--out", &flags.out,
             "Write the predictions to this file instead of stdout",
             {.type = "FILE"});
  add_option(app, "--keep", &flags.keep,
             "Columns of DATA to write too, or all, or none (default: ids)",
             {.type = "COLUMNS"});
  add_switch(app, "--intervals", flags.has_intervals,
             "Add intervals or sets of classes that contain the truth");
  add_option(app, "--level", &flags.level,
             "How often --intervals contain the truth (default: 0.9)",
             {.type = "SHARE"});
  add_switch(app, "--safe-csv", flags.is_safe,
             "Put a ' before text that a spreadsheet would run as a formula");
  add_option(app, "--encoding", &flags.encoding,
             "Encoding of DATA, such as latin1 (default: utf-8)",
             {.type = "NAME"});
  add_force(app, flags.is_forced);
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
      .example = "lamarck predict iris-net iris.csv --out answers.csv",
      .configure = [](CLI::App& app) -> CommandAction {
        const auto flags = std::make_shared<PredictFlags>();
        add_predict_flags(app, *flags);
        return [flags](CommandContext& context) {
          return predict_rows(*flags, context);
        };
      }};
}

}  // namespace lamarck::cli
