// A journal in a PostgreSQL database.
//
// Concurrent appends of this process share one transaction, and so one flush of
// the server's log. Several processes may use the same database. A call
// survives a restart of the server: what was acknowledged is neither lost nor
// stored twice.

#pragma once

#include <memory>

#include "lamarck/base/result.h"
#include "lamarck/store/journal.h"
#include "lamarck/store/postgres/postgres_connection.h"

namespace lamarck::store {

struct PostgresJournalOptions {
  PostgresOptions server;
  // False: a crash of the server may lose recent appends.
  bool durable = true;
  std::size_t max_group = 256;  // Maximum number of appends per commit.
};

// Creates the tables, or upgrades them. Rejects tables of a newer version.
Result<std::unique_ptr<Journal>> open_postgres_journal(
    const PostgresJournalOptions& options);

}  // namespace lamarck::store
