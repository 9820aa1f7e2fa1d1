#include <array>

#include "lamarck/base/macros.h"
#include "lamarck/store/postgres/internal/postgres_journal_rows.h"

namespace lamarck::store::internal {
namespace {

// Each query returns one sentence per problem.
constexpr std::array<const char*, 6> kPostgresChecks = {
    R"sql(
SELECT 'Run "' || coalesce(r.id, '?') || '" has ' || n.count ||
  ' events, numbered ' || n.first || ' to ' || n.last ||
  ', so some are missing.'
FROM (SELECT run, count(*) AS count, min(seq) AS first, max(seq) AS last
    FROM lamarck.events GROUP BY run) n
  LEFT JOIN lamarck.runs r ON r.number = n.run
WHERE n.first <> 1 OR n.last <> n.count LIMIT 100)sql",
    R"sql(
SELECT 'Event ' || e.id || ' does not belong to a run.' FROM lamarck.events e
WHERE NOT EXISTS (SELECT 1 FROM lamarck.runs r WHERE r.number = e.run)
LIMIT 100)sql",
    R"sql(
SELECT 'Event ' || e.id || ' of run "' || r.id || '" was pruned, but event ' ||
  n.seq || ' before it was not.'
FROM (SELECT run, min(seq) AS seq FROM lamarck.events WHERE NOT is_pruned
    GROUP BY run) n
  JOIN lamarck.events e ON e.run = n.run AND e.seq > n.seq AND e.is_pruned
  JOIN lamarck.runs r ON r.number = n.run LIMIT 100)sql",
    R"sql(
SELECT 'Event ' || e.id || ' has a parent that is not an earlier event of '
  || 'its run.'
FROM lamarck.events e, unnest(e.parent_ids) AS parent
  LEFT JOIN lamarck.events p ON p.id = parent
WHERE p.id IS NULL OR p.run <> e.run OR p.seq >= e.seq LIMIT 100)sql",
    R"sql(
SELECT 'A checkpoint of run "' || coalesce(r.id, '?') || '" at event ' ||
  c.seq || ' does not match an event of that run.'
FROM lamarck.checkpoints c LEFT JOIN lamarck.runs r ON r.number = c.run
  LEFT JOIN lamarck.events e ON e.run = c.run AND e.seq = c.seq
WHERE r.id IS NULL OR e.id IS DISTINCT FROM c.last_event_id LIMIT 100)sql",
    R"sql(
SELECT 'The answer of event ' || e.id || ' is missing.' FROM lamarck.events e
WHERE e.idempotency_key IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM lamarck.answers a
  WHERE a.idempotency_key = e.idempotency_key) LIMIT 100)sql",
};

}  // namespace

Result<std::vector<std::string>> check_postgres_journal(
    PostgresConnection& connection) {
  std::vector<std::string> problems;
  for (const char* check : kPostgresChecks) {
    ASSIGN_OR_RETURN(const PostgresRows rows, connection.query(check));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      problems.push_back(rows.text(i, 0));
    }
  }
  return problems;
}

}  // namespace lamarck::store::internal
