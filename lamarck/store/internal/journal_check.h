// Consistency checks of a journal file.

#pragma once

#include <string>
#include <vector>

#include "lamarck/base/result.h"
#include "lamarck/store/sqlite_connection.h"

namespace lamarck::store::internal {

// Returns one sentence per problem, at most a hundred of each kind.
// REQUIRES: called in a transaction, so that it sees one consistent snapshot.
Result<std::vector<std::string>> check_journal(SqliteConnection& connection);

}  // namespace lamarck::store::internal
