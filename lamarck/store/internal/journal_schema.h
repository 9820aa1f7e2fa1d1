// The tables of a journal's file, and how older files become newer ones. They
// are described in docs/formats/journal.md.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "lamarck/base/result.h"
#include "lamarck/store/internal/sqlite_connection.h"

namespace lamarck::store::internal {

// The n-th leads from version n to n + 1; version 0 is an empty file.
std::span<const char* const> journal_migrations();

// "LMKJ": tells a journal from any other SQLite file (PRAGMA application_id).
inline constexpr std::int64_t kJournalApplication = 0x4c4d4b4a;

// A connection that can be written to, to a file of the present version. Makes
// the file and its folder, and migrates, where needed.
Result<std::unique_ptr<SqliteConnection>> open_journal_file(
    const std::string& path, const std::string& vfs);

// Brings an open file to `version`. REQUIRES: one that there is.
Result<void> migrate_journal(SqliteConnection& connection,
                             std::int64_t version);

}  // namespace lamarck::store::internal
