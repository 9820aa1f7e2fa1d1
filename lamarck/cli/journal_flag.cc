#include "lamarck/cli/journal_flag.h"

#include <filesystem>

#include "lamarck/base/one_line.h"
#include "lamarck/cli/command_option.h"
#include "lamarck/store/sqlite_journal.h"

namespace lamarck::cli {

void add_journal_flag(CLI::App& app, std::string& file) {
  add_option(
      app, "--db", &file,
      "The journal; journal.db in the data folder if left out",
      {.type = "FILE", .problem = [](const std::string& value) -> std::string {
         if (!value.empty()) return "";
         return "it is empty; leave it out for journal.db in the data folder";
       }});
}

std::string journal_file(const std::string& flag, const Settings& settings) {
  if (!flag.empty()) return flag;
  return (std::filesystem::path(settings.text("data_dir")) / "journal.db")
      .string();
}

std::string served_journal(const std::string& flag, const Settings& settings) {
  return flag == kMemoryJournal ? "" : journal_file(flag, settings);
}

Error end_in_memory() {
  return {ErrorCode::Cancelled,
          "Ended by a signal; the journal was in memory and is gone, and --db "
          "FILE keeps one."};
}

Result<std::unique_ptr<store::Journal>> open_journal(const std::string& file) {
  std::error_code failure;
  if (!std::filesystem::exists(file, failure)) {
    return Error(ErrorCode::NotFound,
                 "There is no journal " + in_quotes(file) +
                     "; `lamarck mcp` makes one, and --db names another.");
  }
  return store::open_sqlite_journal({.path = file});
}

}  // namespace lamarck::cli
