#include <memory>
#include <string>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/interrupt.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/cli/command_option.h"
#include "lamarck/cli/command_table.h"
#include "lamarck/cli/evolve/fn_files.h"
#include "lamarck/cli/opened_law_run.h"
#include "lamarck/cli/opened_program_run.h"
#include "lamarck/report/report_text.h"

namespace lamarck::cli {
namespace {

// Opening a run replays its journal and fails at the first inconsistent line.
Result<void> replay_run(const std::filesystem::path& folder,
                        CommandContext& context) {
  const QuitOnInterrupt quits(kInterruptedReading);
  ASSIGN_OR_RETURN(const SearchRun run, read_search_run(folder));
  std::string text;
  Json json;
  if (run.kind == kFnKind) {
    ASSIGN_OR_RETURN(const OpenedLawRun opened, open_law_run(folder));
    text = law_run_text(opened);
    json = law_run_json(opened);
  } else {
    ASSIGN_OR_RETURN(const OpenedProgramRun opened, open_program_run(folder));
    text = program_run_text(opened);
    json = program_run_json(opened);
  }
  if (context.json) {
    context.out << dump_json(json) << "\n";
    return {};
  }
  context.out << fmt::format(
      "Replayed {} of {}; each is consistent with those before it.\n{}",
      report::counted(json.at("lines").get<std::int64_t>(), "line", "lines"),
      one_line((folder / kJournalFile).string(), 1000), safe_lines(text));
  return {};
}

}  // namespace

Command replay_command() {
  return {.name = "replay",
          .summary = "Rebuild a run from its journal and check it",
          .description =
              "Rebuilds a run of `lamarck evolve fn` or `lamarck evolve "
              "program` from journal.jsonl alone, without a model or random "
              "numbers, checks that every line is consistent with those before "
              "it, and shows what the run found.",
          .example = "lamarck replay planets-fn",
          .configure = [](CLI::App& app) -> CommandAction {
            const auto folder = std::make_shared<std::string>();
            add_option(app, "RUN_DIR", folder.get(), "Folder of the run",
                       {.is_required = true});
            return [folder](CommandContext& context) {
              return replay_run(*folder, context);
            };
          }};
}

}  // namespace lamarck::cli
