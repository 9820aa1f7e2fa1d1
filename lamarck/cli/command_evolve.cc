#include <memory>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/cli/command_table.h"
#include "lamarck/cli/evolve/evolve_flags.h"
#include "lamarck/cli/evolve/fn_evolution.h"
#include "lamarck/cli/evolve/net_evolution.h"
#include "lamarck/cli/evolve/program_evolution.h"

namespace lamarck::cli {
namespace {

Result<void> run_evolve(const EvolveFlags& flags, CommandContext& context) {
  const bool is_known = flags.kind() == "net" || flags.kind() == kFnKind ||
                        flags.kind() == kProgramKind;
  if (!is_known) {
    return Error(ErrorCode::InvalidArgument, "Unknown kind " +
                                                 in_quotes(flags.kind()) +
                                                 "; use net, fn or program.");
  }
  // A flag of another kind would be ignored silently, so reject it.
  RETURN_IF_ERROR(flags.check_kind());
  if (flags.kind() == "net") return evolve_net(flags.net_flags(), context);
  return flags.kind() == kFnKind
             ? evolve_fn(flags.search_flags(), context)
             : evolve_program(flags.search_flags(), context);
}

}  // namespace

Command evolve_command() {
  return {
      .name = "evolve",
      .summary = "Evolve a network, a formula or a program",
      .description =
          "`lamarck evolve net DATA.csv --target COLUMN` evolves a small "
          "network that predicts the column from the others, tests it on "
          "held-out rows, and writes model.lmk, network.svg and report.html. "
          "`lamarck evolve fn DATA.csv --target COLUMN` finds formulas for the "
          "column, from short to exact, and writes law.py, law.tex, front.csv "
          "and report.html. `lamarck evolve program DIR` improves the marked "
          "function of DIR/program.py, as scored by DIR/evaluate.py. Ctrl-C "
          "stops the run and keeps the best result so far; --resume continues "
          "it.",
      .example =
          "lamarck evolve net iris.csv --target species --budget 10s\n"
          "  lamarck evolve fn orbits.csv --target period",
      .configure = [](CLI::App& app) -> CommandAction {
        const auto flags = std::make_shared<EvolveFlags>();
        flags->add_to(app);
        return [flags](CommandContext& context) {
          return run_evolve(*flags, context);
        };
      }};
}

}  // namespace lamarck::cli
