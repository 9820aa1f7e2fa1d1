// The tables of a journal file and their migrations. docs/formats/journal.md
// describes the format.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "lamarck/base/result.h"
#include "lamarck/store/sqlite_connection.h"

namespace lamarck::store::internal {

// Entry n migrates from version n to n + 1; version 0 is an empty file.
std::span<const char* const> journal_migrations();

// "LMKJ": marks a SQLite file as a journal (PRAGMA application_id).
inline constexpr std::int64_t kJournalApplication = 0x4c4d4b4a;

// Opens a journal file for writing. Creates the file and its folder, and
// migrates it to the current version, if needed.
Result<std::unique_ptr<SqliteConnection>> open_journal_file(
    const std::string& path, const std::string& vfs);

// Opens a journal file that this process cannot write; see
// SqliteConnection::open_read_only. Rejects an older version, which it cannot
// migrate.
Result<std::unique_ptr<SqliteConnection>> open_journal_read_only(
    const std::string& path);

// Migrates an open file to `version`. REQUIRES: the version exists.
Result<void> migrate_journal(SqliteConnection& connection,
                             std::int64_t version);

}  // namespace lamarck::store::internal
