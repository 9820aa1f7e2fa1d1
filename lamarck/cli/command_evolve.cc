#include <memory>

#include "lamarck/cli/command_table.h"
#include "lamarck/cli/evolve/evolve_flags.h"
#include "lamarck/cli/evolve/fn_evolution.h"
#include "lamarck/cli/evolve/net_evolution.h"
#include "lamarck/cli/evolve/program_evolution.h"

namespace lamarck::cli {
namespace {

Command net_command() {
  return {
      .name = "net",
      .summary = "Evolve a network that predicts a column of a table",
      .description =
          "Evolves a small neural network that predicts a column of a CSV "
          "file from the others, tests it on held-out rows, and writes "
          "model.lmk, network.svg and report.html. Ctrl-C stops the run and "
          "keeps the best result so far; --resume continues it.",
      .example = "lamarck evolve net iris.csv --target species --budget 10s",
      .has_crew = true,
      .configure = [](CLI::App& app) -> CommandAction {
        const auto flags = std::make_shared<EvolveFlags>(EvolveKind::Net);
        flags->add_to(app);
        return [flags](CommandContext& context) {
          return evolve_net(flags->net_flags(), flags->record_flags(), context);
        };
      }};
}

Command fn_command() {
  return {
      .name = "fn",
      .summary = "Find formulas for a column of a table",
      .description =
          "Finds formulas that compute a column of a CSV file from the others, "
          "from short to exact, and writes law.py, law.tex, front.csv and "
          "report.html. Ctrl-C stops the run and keeps the best result so far; "
          "--resume continues it.",
      .example = "lamarck evolve fn planets.csv --target period",
      .has_model = true,
      .has_crew = true,
      .configure = [](CLI::App& app) -> CommandAction {
        const auto flags = std::make_shared<EvolveFlags>(EvolveKind::Fn);
        flags->add_to(app);
        return [flags](CommandContext& context) {
          return evolve_fn(flags->search_flags(), flags->record_flags(),
                           context);
        };
      }};
}

Command program_command() {
  return {.name = "program",
          .summary = "Improve a function of a Python program",
          .description =
              "Improves the marked functions of DIR/program.py, as scored by "
              "DIR/evaluate.py or by the command in DIR/problem.toml. Programs "
              "run in a sandbox. Ctrl-C stops the "
              "run and "
              "keeps the best result so far; --resume continues it.",
          .example =
              "lamarck evolve program examples/programs/job_order --budget 10s",
          .has_model = true,
          .has_crew = true,
          .configure = [](CLI::App& app) -> CommandAction {
            const auto flags =
                std::make_shared<EvolveFlags>(EvolveKind::Program);
            flags->add_to(app);
            return [flags](CommandContext& context) {
              return evolve_program(flags->search_flags(),
                                    flags->record_flags(), context);
            };
          }};
}

}  // namespace

Command evolve_command() {
  return {.name = "evolve",
          .summary = "Evolve a network, a formula or a program",
          .description =
              "Evolves a network (net) or a formula (fn) from a table, or a "
              "function of a Python program (program). Each has its own flags: "
              "`lamarck evolve net --help`.",
          .example =
              "lamarck evolve net iris.csv --target species --budget 10s\n"
              "  lamarck evolve fn planets.csv --target period",
          .subcommands = {net_command(), fn_command(), program_command()}};
}

}  // namespace lamarck::cli
