#include <memory>
#include <string>
#include <CLI/CLI.hpp>

#include "lamarck/cli/command_table.h"
#include "lamarck/cli/net_evolution.h"

namespace lamarck::cli {
namespace {

struct EvolveFlags {
  std::string kind;
  NetFlags net;
};

Result<void> run_evolve(const EvolveFlags& flags, CommandContext& context) {
  if (flags.kind == "net") return evolve_net(flags.net, context);
  return Error(ErrorCode::InvalidArgument,
               "'" + flags.kind +
                   "' is nothing that evolves here; say `lamarck evolve net "
                   "DATA.csv --target COLUMN`.");
}

void add_net_flags(CLI::App& app, NetFlags& flags) {
  const auto add = [&](const char* name, auto& value, const char* what,
                       const char* type) {
    app.add_option(name, value, what)->type_name(type);
  };
  app.add_option("DATA", flags.data, "A CSV file")->type_name("");
  add("--target", flags.target, "The column to predict", "COLUMN");
  add("--ignore", flags.ignore, "Columns to leave out, with commas between",
      "COLUMNS");
  add("--task", flags.task, "What the target is (default: auto)",
      "auto|classify|regress");
  app.add_flag("--series", flags.is_series,
               "Rows are steps in time, in this order");
  add("--horizon", flags.horizon,
      "Rows ahead to predict, with --series (default: 1)", "N");
  add("--grain", flags.grain, "What grows (default: both)",
      "neuron|layer|both");
  add("--strategy", flags.strategy, "How it evolves (default: cascade)",
      "cascade|hill_climb");
  add("--metric", flags.metric,
      "What is good: accuracy, f1, r2, rmse... (default: by the target)",
      "NAME");
  add("--goal", flags.goal,
      "Stop when the metric is this good on the rows to compare by", "X");
  add("--budget", flags.budget,
      "Stop after 60s, 500gen or 10000eval (default: 30s)", "LIMIT");
  add("--test", flags.test, "A CSV file to judge the result by", "FILE");
  add("--test-split", flags.test_split,
      "Or the share of the rows to keep apart for that (default: 0.2)",
      "SHARE");
  add("--islands", flags.islands,
      "Populations that evolve side by side (default: 1)", "N");
  add("--seed", flags.seed, "Decides all that is random (default: 1)", "N");
  add("--seeds", flags.seeds, "Run the seeds 1 to K and sum them up", "K");
  add("--out", flags.out,
      "Folder for the model and the report (default: DATA-net)", "DIR");
  add("--resume", flags.resume,
      "Go on with the run in this folder; --budget and --goal may differ",
      "DIR");
}

}  // namespace

Command evolve_command() {
  return {
      .name = "evolve",
      .summary = "Evolve a network that predicts a column of a table",
      .description =
          "`lamarck evolve net DATA.csv --target COLUMN` evolves a small "
          "network that predicts the column from the others, judges it on "
          "rows it has not seen, and writes model.lmk, network.svg and "
          "report.html. Ctrl-C ends it and keeps the best so far; --resume "
          "goes on. `lamarck predict` uses the model on other rows.",
      .example = "lamarck evolve net iris.csv --target species --budget 10s",
      .configure = [](CLI::App& app) -> CommandAction {
        const auto flags = std::make_shared<EvolveFlags>();
        app.add_option("KIND", flags->kind, "What evolves: net")
            ->required()
            ->type_name("");
        add_net_flags(app, flags->net);
        return [flags](CommandContext& context) {
          return run_evolve(*flags, context);
        };
      }};
}

}  // namespace lamarck::cli
