#include "lamarck/store/internal/journal_check.h"

#include <array>

#include "lamarck/base/macros.h"

namespace lamarck::store::internal {
namespace {

// Each query returns one sentence per problem.
constexpr std::array<const char*, 10> kChecks = {
    R"sql(
SELECT 'Run "' || r.id || '" has ' || n.count || ' events, numbered ' ||
  n.first || ' to ' || n.last || ', so some are missing.'
FROM (SELECT session_id, count(*) AS count, min(seq) AS first, max(seq) AS last
    FROM (SELECT session_id, seq FROM events UNION ALL
      SELECT session_id, seq FROM pruned_events) GROUP BY session_id) n
  JOIN runs r ON r.number = n.session_id
WHERE n.first <> 1 OR n.last <> n.count)sql",
    R"sql(
SELECT 'Event ' || n.id || ' does not belong to a run.' FROM event_names n
WHERE n.session_id NOT IN (SELECT number FROM runs))sql",
    R"sql(
SELECT 'Event ' || p.id || ' of run "' || r.id || '" was pruned, but event ' ||
  e.seq || ' before it was not.'
FROM (SELECT session_id, min(number) AS number, min(seq) AS seq FROM events
    GROUP BY session_id) e
  JOIN runs r ON r.number = e.session_id
  JOIN pruned_events q
    ON q.number BETWEEN e.number AND (r.number << 26) + 67108863
  JOIN event_names p ON p.number = q.number)sql",
    R"sql(
SELECT 'Edge ' || d.id || ' leads to an event that does not exist.' FROM edges d
WHERE d.to_id NOT IN (SELECT number FROM events))sql",
    R"sql(
SELECT 'Edge ' || d.id || ' is outside the edges of event ' || c.id || '.'
FROM edges d JOIN event_names c ON c.number = d.to_id
  JOIN events e ON e.number = d.to_id
WHERE coalesce(d.id < e.first_edge OR d.id >= e.first_edge + e.parent_count, 1)
UNION ALL
SELECT 'Event ' || n.id || ' should have ' || e.parent_count || ' parents.'
FROM events e JOIN event_names n ON n.number = e.number
WHERE e.parent_count <> (SELECT count(*) FROM edges d
  WHERE d.id >= e.first_edge AND d.id < e.first_edge + e.parent_count
    AND d.to_id = e.number))sql",
    R"sql(
SELECT 'Event ' || c.id || ' has a parent that is not an earlier event of '
  || 'its run.'
FROM edges d JOIN event_names c ON c.number = d.to_id
  LEFT JOIN event_names p ON p.number = d.from_id
WHERE p.number IS NULL OR p.session_id <> c.session_id OR p.seq >= c.seq)sql",
    R"sql(
SELECT 'A checkpoint of run "' || coalesce(r.id, '?') || '" at event ' ||
  c.seq || ' does not match an event of that run.'
FROM checkpoints c LEFT JOIN runs r ON r.number = c.session_id
  LEFT JOIN event_names n ON n.number = c.last_event_id
WHERE r.number IS NULL OR n.number IS NULL OR n.session_id <> c.session_id
  OR n.seq <> c.seq)sql",
    R"sql(
SELECT 'The idempotency key "' || idempotency_key || '" is stored ' ||
  count(*) || ' times.'
FROM answers GROUP BY idempotency_key HAVING count(*) > 1)sql",
    R"sql(
SELECT 'The answer to the key "' || idempotency_key || '" refers to an '
  || 'answer that is missing.'
FROM answers WHERE pattern IS NOT NULL
  AND pattern NOT IN (SELECT number FROM answers WHERE pattern IS NULL))sql",
    R"sql(
SELECT 'The answer of event ' || n.id || ' is missing.'
FROM events e JOIN event_names n ON n.number = e.number
WHERE e.idempotency_key IS NOT NULL
  AND e.idempotency_key NOT IN (SELECT number FROM answers))sql",
};
constexpr std::size_t kMaxMessages = 100;

Result<void> add_rows(SqliteConnection& connection, const char* sql,
                      std::vector<std::string>& problems) {
  Query query = connection.query(sql);
  for (std::size_t i = 0; i < kMaxMessages; ++i) {
    ASSIGN_OR_RETURN(const bool has_row, query.next());
    if (!has_row) break;
    problems.push_back(query.text_at(0));
  }
  return {};
}

Result<void> add_all(SqliteConnection& connection,
                     std::vector<std::string>& problems) {
  std::vector<std::string> pages;
  RETURN_IF_ERROR(add_rows(connection, "PRAGMA integrity_check(100)", pages));
  for (const std::string& line : pages) {
    if (line != "ok") problems.push_back("The file is damaged: " + line);
  }
  for (const char* check : kChecks) {
    RETURN_IF_ERROR(add_rows(connection, check, problems));
  }
  return {};
}

}  // namespace

Result<std::vector<std::string>> check_journal(SqliteConnection& connection) {
  std::vector<std::string> problems;
  const Result<void> outcome = add_all(connection, problems);
  if (outcome) return problems;
  if (outcome.error().code() != ErrorCode::DataDamaged) return outcome.error();
  problems.push_back(outcome.error().message());
  return problems;
}

}  // namespace lamarck::store::internal
