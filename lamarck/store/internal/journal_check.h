// Whether everything in a journal's file hangs together.

#pragma once

#include <string>
#include <vector>

#include "lamarck/base/result.h"
#include "lamarck/store/internal/sqlite_connection.h"

namespace lamarck::store::internal {

// A sentence for each thing that is wrong, a hundred of each kind at most.
// REQUIRES: called in a transaction, so that it looks at one moment.
Result<std::vector<std::string>> check_journal(SqliteConnection& connection);

}  // namespace lamarck::store::internal
