// A journal in one SQLite file (WAL).
//
// One thread writes: appends that wait together are committed together, with
// one fsync for all of them. Readers have connections of their own. Several
// processes may open one file.

#pragma once

#include <memory>
#include <string>

#include "lamarck/base/clock.h"
#include "lamarck/base/result.h"
#include "lamarck/store/journal.h"

namespace lamarck::store {

struct SqliteJournalOptions {
  std::string path;  // Made, with its folder, if it is not there.
  bool durable =
      true;  // synchronous=FULL; else OFF: a power cut may lose some.
  std::size_t max_group = 1024;  // Appends committed together at most.
  std::string vfs;               // Of SQLite; "" = its default. For tests.
};

// Migrates an older file forward; refuses one of a newer version, one that is
// not a journal, and one that is damaged, in a sentence that names the file.
Result<std::unique_ptr<Journal>> open_sqlite_journal(
    const SqliteJournalOptions& options);

}  // namespace lamarck::store
