#include "lamarck/cli/run_export.h"

#include <optional>
#include <sstream>
#include <utility>
#include <vector>
#include <nlohmann/json.hpp>

#include "lamarck/archipelago/export_jsonl.h"
#include "lamarck/archipelago/search_journal.h"
#include "lamarck/base/interrupt.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/cli/command_option.h"
#include "lamarck/cli/evolve/fn_files.h"
#include "lamarck/cli/opened_law_run.h"
#include "lamarck/cli/opened_program_run.h"
#include "lamarck/cli/output_file.h"

namespace lamarck::cli {
namespace {

namespace fs = std::filesystem;

// A file to write, with its contents.
struct ExportedFile {
  const char* format;
  std::string path;
  std::string text;
};

Result<ExportedFile> jsonl_file(const fs::path& folder,
                                const std::string& path) {
  std::ostringstream lines;
  RETURN_IF_ERROR(archipelago::export_jsonl(folder / kJournalFile, lines,
                                            {.include_failed = true}));
  return ExportedFile{"jsonl", path, std::move(lines).str()};
}

// Whether the lines of the journal have hashes. Others have read it before, so
// it can be read.
bool is_verified(const fs::path& folder) {
  const auto end = archipelago::read_journal(
      folder / kJournalFile,
      [](const Json& /*line*/) { return Result<void>(); });
  return end && end->is_hashed;
}

Result<std::vector<ExportedFile>> law_files(const fs::path& folder,
                                            const RunExport& wanted) {
  ASSIGN_OR_RETURN(const OpenedLawRun opened, open_law_run(folder));
  const law::Law& law = opened.outcome.best();
  return std::vector<ExportedFile>{
      {"python", wanted.python, law_python(law, opened.problem)},
      {"latex", wanted.latex, law_latex(law, opened.problem)},
      {"cpp", wanted.cpp, formula::to_cpp(law.formula, &law.params)}};
}

Result<std::vector<ExportedFile>> program_files(const fs::path& folder,
                                                const RunExport& wanted) {
  if (!wanted.latex.empty() || !wanted.cpp.empty()) {
    return Error(ErrorCode::InvalidArgument,
                 "A run of `lamarck evolve program` has a program, not a law; "
                 "use --python or --jsonl.");
  }
  ASSIGN_OR_RETURN(const OpenedProgramRun opened, open_program_run(folder));
  return std::vector<ExportedFile>{{"python", wanted.python, opened.program}};
}

Result<std::vector<ExportedFile>> make_files(const fs::path& folder,
                                             const RunExport& wanted) {
  const QuitOnInterrupt quits(kInterruptedReading);
  ASSIGN_OR_RETURN(const SearchRun run, read_search_run(folder));
  std::vector<ExportedFile> files;
  // Rebuilding the run is slow, so do it only if a format needs it.
  const bool wants_best =
      !wanted.python.empty() || !wanted.latex.empty() || !wanted.cpp.empty();
  if (wants_best) {
    ASSIGN_OR_RETURN(files, run.kind == kFnKind
                                ? law_files(folder, wanted)
                                : program_files(folder, wanted));
  }
  if (!wanted.jsonl.empty()) {
    ASSIGN_OR_RETURN(ExportedFile lines, jsonl_file(folder, wanted.jsonl));
    files.push_back(std::move(lines));
  }
  // An empty path means that the format was not requested.
  std::erase_if(files,
                [](const ExportedFile& file) { return file.path.empty(); });
  return files;
}

}  // namespace

void add_run_formats(CLI::App& app, RunExport& wanted) {
  const auto add = [&](const char* name, std::string& path, const char* what) {
    add_option(app, name, &path, what, {.type = "FILE"});
  };
  add("--jsonl", wanted.jsonl,
      "Runs: write all stored functions as JSON lines");
  add("--python", wanted.python, "Runs: write the law or program as Python");
  add("--latex", wanted.latex, "Runs: write the law as LaTeX");
}

Result<void> export_run(const fs::path& folder, const RunExport& wanted,
                        CommandContext& context) {
  RETURN_IF_ERROR(
      check_outputs({wanted.jsonl, wanted.python, wanted.latex, wanted.cpp},
                    wanted.is_forced));
  ASSIGN_OR_RETURN(const std::vector<ExportedFile> files,
                   make_files(folder, wanted));
  if (files.empty()) {
    return Error(ErrorCode::InvalidArgument,
                 "Nothing to export; give at least one of --jsonl, --python, "
                 "--latex and --cpp with a file name.");
  }
  if (!is_verified(folder)) {
    context.err << "lamarck: " << kUnverified << "\n";
  }
  Json written = Json::object();
  for (const ExportedFile& file : files) {
    RETURN_IF_ERROR(write_output(file.path, file.text, wanted.is_forced));
    written[file.format] = file.path;
    if (!context.json) context.out << "Wrote " << one_line(file.path) << ".\n";
  }
  if (context.json) {
    context.out << dump_json({{"run", folder.string()}, {"written", written}},
                             2)
                << "\n";
  }
  return {};
}

}  // namespace lamarck::cli
