// Creates and upgrades tables in the schema `lamarck` of a database.

#pragma once

#include <span>
#include <string>
#include <string_view>

#include "lamarck/base/result.h"
#include "lamarck/store/postgres/postgres_connection.h"

namespace lamarck::store {

class PostgresPool;

// A set of tables with its own version number. The version is the number of
// migrations that were run.
struct PostgresTables {
  std::string_view name;                    // "journal".
  std::span<const char* const> migrations;  // SQL statements, oldest first.
};

// Brings the tables to the current version, in one transaction under a lock, so
// that several processes may start at the same time. Writes nothing if they are
// current. Rejects newer tables.
Result<void> migrate(PostgresPool& pool, const PostgresTables& tables);

// Every write transaction inserts a random token, by which the outcome of a
// commit whose reply was lost can be found out.
std::string commit_token_statement(std::string_view token);
// Inserts the token of a lost transaction. Returns false if the lost
// transaction had inserted it, and so has happened.
Result<bool> claim_commit_token(PostgresConnection& connection,
                                const std::string& token);
// Outcomes are asked for within a minute, so tokens of yesterday are of no use.
Result<void> remove_old_commit_tokens(PostgresConnection& connection);

}  // namespace lamarck::store
