// The flag --db and the journal that it selects.

#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "lamarck/base/result.h"
#include "lamarck/cli/command.h"
#include "lamarck/store/journal.h"

namespace lamarck::cli {

// Adds --db.
void add_journal_flag(CLI::App& app, std::string& file);

// Returns `flag` if it is not empty, else journal.db in the data folder.
std::string journal_file(const std::string& flag, const Settings& settings);

// The value of --db that keeps a server's journal in memory.
inline constexpr std::string_view kMemoryJournal = ":memory:";

// Like journal_file, for a server: returns "" for a journal in memory.
std::string served_journal(const std::string& flag, const Settings& settings);

// The Cancelled error of a server that was stopped by a signal and whose
// journal was in memory and is lost.
Error memory_journal_lost();

// Opens an existing journal. Returns NotFound
// if there is none; never creates one.
Result<std::unique_ptr<store::Journal>> open_journal(const std::string& file);
// The same for a caller that only reads: also opens a journal that it cannot
// write, such as one on a read-only mount.
Result<std::unique_ptr<store::Journal>> open_journal_to_read(
    const std::string& file);

}  // namespace lamarck::cli
