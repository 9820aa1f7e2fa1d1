// A journal in a SQLite file in WAL mode.
//
// One thread at a time writes: concurrent appends are committed together, with
// one fsync for all of them. Readers have their own connections. Several
// processes may open the same file.

#pragma once

#include <memory>
#include <string>

#include "lamarck/base/clock.h"
#include "lamarck/base/result.h"
#include "lamarck/store/journal.h"

namespace lamarck::store {

struct SqliteJournalOptions {
  std::string path;  // Created, with its folder, if it does not exist.
  // True: synchronous=FULL. False: OFF; a power cut may lose recent appends.
  bool durable = true;
  std::size_t max_group = 1024;  // Maximum number of appends per commit.
  std::string vfs;               // SQLite VFS; "" = default. For tests.
};

// Migrates an older file to the current version. Rejects a newer version, a
// file that is not a journal and a damaged file; the error names the file.
Result<std::unique_ptr<Journal>> open_sqlite_journal(
    const SqliteJournalOptions& options);

}  // namespace lamarck::store
