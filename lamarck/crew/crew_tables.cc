#include "lamarck/crew/crew_tables.h"

#include <fmt/format.h>

#include "lamarck/base/macros.h"

namespace lamarck::crew {
namespace {

// Held while tables are created, because IF NOT EXISTS can fail if two sessions
// run it at once.
constexpr const char* kLock = "SELECT pg_advisory_xact_lock(7245171)";

constexpr const char* kTables[] = {
    "CREATE SCHEMA IF NOT EXISTS lamarck_crew",
    "CREATE TABLE IF NOT EXISTS lamarck_crew.run ("
    "id bigserial PRIMARY KEY, kind text NOT NULL, flags text NOT NULL, "
    "version text NOT NULL, simd text NOT NULL, leader_pid int, "
    "leader_start timestamptz, created timestamptz NOT NULL DEFAULT now(), "
    "ended timestamptz, steps bigint NOT NULL DEFAULT 0, "
    "pieces bigint NOT NULL DEFAULT 0, lost_pieces bigint NOT NULL DEFAULT 0, "
    "lost_members bigint NOT NULL DEFAULT 0, "
    "bytes bigint NOT NULL DEFAULT 0)",
    "CREATE TABLE IF NOT EXISTS lamarck_crew.file ("
    "run bigint NOT NULL REFERENCES lamarck_crew.run ON DELETE CASCADE, "
    "place int NOT NULL, name text NOT NULL, bytes bytea NOT NULL, "
    "PRIMARY KEY (run, place))",
    "CREATE TABLE IF NOT EXISTS lamarck_crew.member ("
    "id bigserial PRIMARY KEY, "
    "run bigint NOT NULL REFERENCES lamarck_crew.run ON DELETE CASCADE, "
    "name text NOT NULL, cores bigint NOT NULL, pid int NOT NULL, "
    "started timestamptz NOT NULL, joined timestamptz NOT NULL DEFAULT now(), "
    "seen timestamptz NOT NULL DEFAULT now(), departed timestamptz, "
    "pieces bigint NOT NULL DEFAULT 0)"};

// The process of the server that serves this session.
constexpr const char* kOwnBackend =
    "(SELECT pid, backend_start FROM pg_stat_activity "
    "WHERE pid = pg_backend_pid())";

// Removes runs after a month, and the letters of those that ended some time ago
// or have lost their leader. Members may still read the last letters of others.
Result<void> remove_old_runs(PgSession& session) {
  RETURN_IF_ERROR(
      session.run("DELETE FROM lamarck_crew.run WHERE created < now() - "
                  "interval '30 days' AND ended IS NOT NULL"));
  ASSIGN_OR_RETURN(
      const PgRows rows,
      session.run(
          "SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = "
          "c.relnamespace WHERE n.nspname = 'lamarck_crew' AND c.relname "
          "LIKE 'mail\\_%' AND c.relkind = 'r' AND NOT EXISTS (SELECT 1 FROM "
          "lamarck_crew.run r WHERE c.relname = 'mail_' || r.id AND (r.ended "
          "> now() - interval '10 minutes' OR r.ended IS NULL AND (r.created "
          "> now() - interval '1 day' OR EXISTS (SELECT 1 FROM "
          "pg_stat_activity a WHERE a.pid = r.leader_pid AND "
          "a.backend_start = r.leader_start))))"));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    RETURN_IF_ERROR(
        session.run("DROP TABLE IF EXISTS lamarck_crew." + rows.text(i, 0)));
  }
  return {};
}

}  // namespace

std::string mail_table(std::int64_t run) {
  return fmt::format("lamarck_crew.mail_{}", run);
}

Result<void> create_crew_tables(PgSession& session) {
  RETURN_IF_ERROR(session.run("BEGIN"));
  Result<PgRows> done = session.run(kLock);
  for (const char* statement : kTables) {
    if (done) done = session.run(statement);
  }
  RETURN_IF_ERROR(session.run(done ? "COMMIT" : "ROLLBACK"));
  if (!done) return done.error();
  return {};
}

Result<std::int64_t> add_crew_run(PgSession& session, const CrewRun& run) {
  RETURN_IF_ERROR(create_crew_tables(session));
  RETURN_IF_ERROR(remove_old_runs(session));
  // Members must not see the run before its files.
  RETURN_IF_ERROR(session.run("BEGIN"));
  // The run itself must survive a restart of the server.
  RETURN_IF_ERROR(session.run("SET LOCAL synchronous_commit = on"));
  ASSIGN_OR_RETURN(
      const PgRows rows,
      session.run(fmt::format("INSERT INTO lamarck_crew.run (kind, flags, "
                              "version, simd, leader_pid, leader_start) "
                              "SELECT $1, $2, $3, $4, pid, backend_start "
                              "FROM {} b RETURNING id",
                              kOwnBackend),
                  {run.kind, run.flags, run.version, run.simd}));
  const std::int64_t id = rows.integer(0, 0);
  for (std::size_t i = 0; i < run.files.size(); ++i) {
    RETURN_IF_ERROR(session.run(
        "INSERT INTO lamarck_crew.file VALUES ($1::bigint, $2::int, $3, $4)",
        {id, static_cast<std::int64_t>(i), run.files[i].name,
         PgValue::binary(run.files[i].bytes)}));
  }
  // Not logged: letters that are lost with the server are sent again.
  RETURN_IF_ERROR(session.run(fmt::format(
      "CREATE UNLOGGED TABLE {} (receiver bigint, seq bigserial, sender "
      "bigint, body bytea, PRIMARY KEY (receiver, seq)) WITH "
      "(autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = "
      "1000, autovacuum_vacuum_cost_delay = 0)",
      mail_table(id))));
  RETURN_IF_ERROR(session.run("COMMIT"));
  return id;
}

Result<void> take_crew_lead(PgSession& session, std::int64_t run) {
  RETURN_IF_ERROR(
      session.run("UPDATE lamarck_crew.member SET departed = now() "
                  "WHERE run = $1::bigint AND departed IS NULL",
                  {run}));
  RETURN_IF_ERROR(session.run("DELETE FROM " + mail_table(run)));
  RETURN_IF_ERROR(
      session.run(fmt::format("UPDATE lamarck_crew.run SET leader_pid = b.pid, "
                              "leader_start = b.backend_start FROM {} b "
                              "WHERE id = $1::bigint",
                              kOwnBackend),
                  {run}));
  return {};
}

Result<void> end_crew_run(PgSession& session, std::int64_t run) {
  RETURN_IF_ERROR(session.run(
      "UPDATE lamarck_crew.run SET ended = now() WHERE id = $1::bigint",
      {run}));
  return {};
}

Result<std::optional<std::int64_t>> find_crew_run(PgSession& session,
                                                  std::int64_t above) {
  ASSIGN_OR_RETURN(
      const PgRows rows,
      session.run("SELECT r.id FROM lamarck_crew.run r JOIN pg_stat_activity "
                  "a ON a.pid = r.leader_pid AND a.backend_start = "
                  "r.leader_start WHERE r.ended IS NULL AND r.id > "
                  "$1::bigint ORDER BY r.id DESC LIMIT 1",
                  {above}));
  if (rows.size() == 0) return std::optional<std::int64_t>();
  return std::optional<std::int64_t>(rows.integer(0, 0));
}

Result<CrewRun> read_crew_run(PgSession& session, std::int64_t run) {
  ASSIGN_OR_RETURN(const PgRows rows,
                   session.run("SELECT kind, flags, version, simd FROM "
                               "lamarck_crew.run WHERE id = $1::bigint",
                               {run}));
  if (rows.size() == 0) {
    return Error(ErrorCode::NotFound,
                 fmt::format("There is no run {} in this database.", run));
  }
  CrewRun found{.kind = rows.text(0, 0),
                .flags = rows.text(0, 1),
                .version = rows.text(0, 2),
                .simd = rows.text(0, 3)};
  ASSIGN_OR_RETURN(const PgRows files,
                   session.run("SELECT name, bytes FROM lamarck_crew.file "
                               "WHERE run = $1::bigint ORDER BY place",
                               {run}));
  for (std::size_t i = 0; i < files.size(); ++i) {
    found.files.push_back({files.text(i, 0), files.bytes(i, 1)});
  }
  return found;
}

Result<MemberId> add_crew_member(PgSession& session, std::int64_t run,
                                 const std::string& name, std::size_t cores) {
  ASSIGN_OR_RETURN(
      const PgRows rows,
      session.run(fmt::format("INSERT INTO lamarck_crew.member (run, name, "
                              "cores, pid, started) SELECT $1::bigint, $2, "
                              "$3::bigint, pid, backend_start FROM {} b "
                              "RETURNING id",
                              kOwnBackend),
                  {run, name, static_cast<std::int64_t>(cores)}));
  return rows.integer(0, 0);
}

}  // namespace lamarck::crew
