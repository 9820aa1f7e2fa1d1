// The tables of the skill store.

#pragma once

#include "lamarck/base/result.h"
#include "lamarck/store/postgres/postgres_tables.h"
#include "lamarck/store/sqlite_connection.h"

namespace lamarck::skills::internal {

// Creates the tables, or checks that they have this version.
Result<void> create_skill_tables(store::SqliteConnection& connection);

extern const store::PostgresTables kPostgresSkillTables;

}  // namespace lamarck::skills::internal
