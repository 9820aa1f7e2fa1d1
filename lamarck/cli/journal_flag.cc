#include "lamarck/cli/journal_flag.h"

#include <filesystem>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/cli/command_option.h"
#include "lamarck/store/journal_place.h"
#include "lamarck/store/postgres/postgres_url.h"
#include "lamarck/store/read_only_journal.h"

namespace lamarck::cli {
namespace {

// SQLite would create a missing file.
Result<void> check_exists(const std::string& file) {
  std::error_code failure;
  if (std::filesystem::exists(file, failure)) return {};
  return Error(ErrorCode::NotFound,
               "There is no journal " + in_quotes(file) +
                   "; `lamarck evolve` and `lamarck mcp` create one, and --db "
                   "selects another.");
}

}  // namespace

void add_journal_flag(CLI::App& app, std::string& file) {
  add_option(
      app, "--db", &file,
      "Journal file or postgresql:// URL (default: in the data folder)",
      {.type = "FILE", .problem = [](const std::string& value) -> std::string {
         if (!value.empty()) return "";
         return "the file name must not be empty; leave out --db to use "
                "journal.db in the data folder";
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

Error memory_journal_lost() {
  return {
      ErrorCode::Cancelled,
      "Stopped by a signal; the journal was in memory and is lost. Use --db "
      "FILE to keep it."};
}

Result<std::unique_ptr<store::Journal>> open_journal(const std::string& file) {
  if (!store::is_postgres_url(file)) RETURN_IF_ERROR(check_exists(file));
  return store::open_journal_at({.place = file});
}

Result<std::unique_ptr<store::Journal>> open_journal_to_read(
    const std::string& file) {
  if (store::is_postgres_url(file)) return open_journal(file);
  RETURN_IF_ERROR(check_exists(file));
  std::error_code failure;
  if (std::filesystem::file_size(file, failure) == 0 && !failure) {
    // Opening it would turn it into a journal.
    return Error(ErrorCode::NotFound,
                 in_quotes(file) +
                     " is empty, so it has no sessions; choose "
                     "another journal with --db.");
  }
  if (store::can_write_journal(file)) return open_journal(file);
  return store::open_read_only_journal(file);
}

}  // namespace lamarck::cli
