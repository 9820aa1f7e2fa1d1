// Which journal a command works with.

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

// What --db says; else journal.db in the data folder.
std::string journal_file(const std::string& flag, const Settings& settings);

// The same for a server; "" if it is to keep all in memory.
inline constexpr std::string_view kMemoryJournal = ":memory:";
std::string served_journal(const std::string& flag, const Settings& settings);

// Why a server that kept all in memory ended on a signal: Cancelled, and that
// nothing is left of it.
Error end_in_memory();

// Only one that is there: NotFound says how one comes to be.
Result<std::unique_ptr<store::Journal>> open_journal(const std::string& file);

}  // namespace lamarck::cli
