#include "lamarck/store/postgres/postgres_tables.h"

#include <fmt/format.h>

#include "lamarck/base/macros.h"
#include "lamarck/store/postgres/postgres_pool.h"

namespace lamarck::store {
namespace {

// A fixed number, the same for all versions of this program.
constexpr std::string_view kLockMigrations =
    "BEGIN; SELECT pg_advisory_xact_lock(7812044913375812)";

constexpr const char* kCommonTables = R"sql(
CREATE SCHEMA IF NOT EXISTS lamarck;
CREATE TABLE IF NOT EXISTS lamarck.versions (
  tables text PRIMARY KEY,
  version bigint NOT NULL
);
CREATE TABLE IF NOT EXISTS lamarck.commits (
  token uuid PRIMARY KEY,
  at timestamptz NOT NULL DEFAULT now()
);
)sql";

// Opening a table makes the server notice what others created since;
// to_regclass alone would not.
Result<std::int64_t> stored_version(PostgresConnection& connection,
                                    const PostgresTables& tables) {
  ASSIGN_OR_RETURN(
      const PostgresRows exists,
      connection.query("SELECT to_regclass('lamarck.versions') IS NOT NULL "
                       "FROM pg_catalog.pg_namespace LIMIT 1"));
  if (!exists.boolean(0, 0)) return 0;
  ASSIGN_OR_RETURN(
      const PostgresRows rows,
      connection.query("SELECT version FROM lamarck.versions WHERE tables = $1",
                       std::move(PostgresParameters().text(tables.name))));
  return rows.empty() ? 0 : rows.integer(0, 0);
}

Error too_new(const PostgresConnection& connection,
              const PostgresTables& tables, std::int64_t version) {
  return {ErrorCode::Unsupported,
          fmt::format("The {} in {} has version {}, but this program knows "
                      "versions up to {}; use a newer program.",
                      tables.name, connection.shown_url(), version,
                      tables.migrations.size())};
}

Result<void> run_migrations(PostgresConnection& connection,
                            const PostgresTables& tables) {
  RETURN_IF_ERROR(connection.execute(std::string(kLockMigrations)));
  ASSIGN_OR_RETURN(const std::int64_t version,
                   stored_version(connection, tables));
  RETURN_IF_ERROR(connection.execute(kCommonTables));
  const auto known = static_cast<std::int64_t>(tables.migrations.size());
  for (std::int64_t i = version; i < known; ++i) {
    RETURN_IF_ERROR(
        connection.execute(tables.migrations[static_cast<std::size_t>(i)]));
  }
  RETURN_IF_ERROR(connection.query(
      "INSERT INTO lamarck.versions (tables, version) VALUES ($1, $2) "
      "ON CONFLICT (tables) DO UPDATE SET version = excluded.version",
      std::move(PostgresParameters().text(tables.name).integer(known))));
  return connection.execute("COMMIT");
}

Result<void> migrate_once(PostgresConnection& connection,
                          const PostgresTables& tables) {
  ASSIGN_OR_RETURN(const std::int64_t version,
                   stored_version(connection, tables));
  const auto known = static_cast<std::int64_t>(tables.migrations.size());
  if (version > known) return too_new(connection, tables, version);
  if (version == known) return {};
  Result<void> outcome = run_migrations(connection, tables);
  if (!outcome && connection.is_open()) {
    static_cast<void>(connection.execute("ROLLBACK"));
  }
  return outcome;
}

}  // namespace

// Repeating is safe: a migration that has happened is seen by its version.
Result<void> migrate(PostgresPool& pool, const PostgresTables& tables) {
  return pool.read([&](PostgresConnection& connection) {
    return migrate_once(connection, tables);
  });
}

std::string commit_token_statement(std::string_view token) {
  return fmt::format("INSERT INTO lamarck.commits (token) VALUES ('{}'); ",
                     token);
}

Result<bool> claim_commit_token(PostgresConnection& connection,
                                const std::string& token) {
  ASSIGN_OR_RETURN(
      const PostgresRows rows,
      connection.query("INSERT INTO lamarck.commits (token) VALUES ($1) "
                       "ON CONFLICT DO NOTHING RETURNING token",
                       std::move(PostgresParameters().uuid(token))));
  return !rows.empty();
}

Result<void> remove_old_commit_tokens(PostgresConnection& connection) {
  return connection.execute(
      "DELETE FROM lamarck.commits WHERE at < now() - interval '1 day'");
}

}  // namespace lamarck::store
