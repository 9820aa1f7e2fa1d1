// The journal's tables in PostgreSQL.

#pragma once

#include "lamarck/store/postgres/postgres_tables.h"

namespace lamarck::store::internal {

extern const PostgresTables kPostgresJournalTables;

}  // namespace lamarck::store::internal
