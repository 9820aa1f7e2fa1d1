// A journal in a SQLite file that this process cannot write, such as one on a
// read-only mount.

#pragma once

#include <memory>
#include <string>

#include "lamarck/base/result.h"
#include "lamarck/store/journal.h"

namespace lamarck::store {

// Returns whether a journal can be opened with open_sqlite_journal: it needs to
// write the file and, for its log, the folder.
bool can_write_journal(const std::string& path);

// Also reads a journal that other processes write. All members that write fail
// with PermissionDenied.
Result<std::unique_ptr<Journal>> open_read_only_journal(
    const std::string& path);

}  // namespace lamarck::store
