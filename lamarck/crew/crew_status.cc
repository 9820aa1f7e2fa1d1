#include "lamarck/crew/crew_status.h"

#include "lamarck/base/macros.h"
#include "lamarck/crew/crew_tables.h"

namespace lamarck::crew {
namespace {

Result<std::vector<MemberStatus>> read_members(PgSession& session,
                                               std::int64_t run) {
  ASSIGN_OR_RETURN(
      const PgRows rows,
      session.run(
          "SELECT m.id, m.name, m.cores, m.pieces, extract(epoch FROM "
          "coalesce(m.departed, r.ended, now()) - m.joined), (m.departed IS "
          "NULL AND r.ended IS NULL AND EXISTS (SELECT 1 FROM "
          "pg_stat_activity a WHERE a.pid = m.pid AND a.backend_start = "
          "m.started))::int FROM lamarck_crew.member m JOIN lamarck_crew.run "
          "r ON r.id = m.run WHERE m.run = $1::bigint ORDER BY m.id",
          {run}));
  std::vector<MemberStatus> members;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    members.push_back({.id = rows.integer(i, 0),
                       .name = rows.text(i, 1),
                       .cores = rows.integer(i, 2),
                       .pieces = rows.integer(i, 3),
                       .seconds = rows.number(i, 4),
                       .is_here = rows.integer(i, 5) != 0});
  }
  return members;
}

}  // namespace

Result<std::vector<CrewStatus>> read_crew_status(PgSession& session,
                                                 std::int64_t max) {
  RETURN_IF_ERROR(create_crew_tables(session));
  ASSIGN_OR_RETURN(
      const PgRows rows,
      session.run(
          "SELECT r.id, r.kind, CASE WHEN r.ended IS NOT NULL THEN 'ended' "
          "WHEN a.pid IS NULL THEN 'lost' ELSE 'running' END, r.simd, "
          "r.steps, r.pieces, r.lost_pieces, r.lost_members, extract(epoch "
          "FROM coalesce(r.ended, now()) - r.created), r.bytes FROM "
          "lamarck_crew.run "
          "r LEFT JOIN pg_stat_activity a ON a.pid = r.leader_pid AND "
          "a.backend_start = r.leader_start ORDER BY r.id DESC LIMIT "
          "$1::bigint",
          {max}));
  std::vector<CrewStatus> runs;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CrewStatus status{.run = rows.integer(i, 0),
                      .kind = rows.text(i, 1),
                      .state = rows.text(i, 2),
                      .simd = rows.text(i, 3),
                      .steps = rows.integer(i, 4),
                      .pieces = rows.integer(i, 5),
                      .lost_pieces = rows.integer(i, 6),
                      .lost_members = rows.integer(i, 7),
                      .bytes = rows.integer(i, 9),
                      .seconds = rows.number(i, 8),
                      .members = {}};
    ASSIGN_OR_RETURN(status.members, read_members(session, status.run));
    runs.push_back(std::move(status));
  }
  return runs;
}

}  // namespace lamarck::crew
