#include "lamarck/store/internal/journal_check.h"

#include <array>

#include "lamarck/base/macros.h"

namespace lamarck::store::internal {
namespace {

// Each gives one sentence for each thing that is wrong.
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
SELECT 'Event ' || n.id || ' belongs to no run.' FROM event_names n
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
SELECT 'Edge ' || d.id || ' leads to an event that is not there.' FROM edges d
WHERE d.to_id NOT IN (SELECT number FROM events))sql",
    R"sql(
SELECT 'Edge ' || d.id || ' is not among those that event ' || c.id || ' has.'
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
SELECT 'Event ' || c.id || ' names a parent that is not an earlier event of '
  || 'its run.'
FROM edges d JOIN event_names c ON c.number = d.to_id
  LEFT JOIN event_names p ON p.number = d.from_id
WHERE p.number IS NULL OR p.session_id <> c.session_id OR p.seq >= c.seq)sql",
    R"sql(
SELECT 'A checkpoint of run "' || coalesce(r.id, '?') || '" at event ' ||
  c.seq || ' is not of an event of that run.'
FROM checkpoints c LEFT JOIN runs r ON r.number = c.session_id
  LEFT JOIN event_names n ON n.number = c.last_event_id
WHERE r.number IS NULL OR n.number IS NULL OR n.session_id <> c.session_id
  OR n.seq <> c.seq)sql",
    R"sql(
SELECT 'The idempotency key "' || idempotency_key || '" is stored ' ||
  count(*) || ' times.'
FROM answers GROUP BY idempotency_key HAVING count(*) > 1)sql",
    R"sql(
SELECT 'The answer to the key "' || idempotency_key || '" needs another one '
  || 'that is not there.'
FROM answers WHERE pattern IS NOT NULL
  AND pattern NOT IN (SELECT number FROM answers WHERE pattern IS NULL))sql",
    R"sql(
SELECT 'The answer of event ' || n.id || ' is not there.'
FROM events e JOIN event_names n ON n.number = e.number
WHERE e.idempotency_key IS NOT NULL
  AND e.idempotency_key NOT IN (SELECT number FROM answers))sql",
};
constexpr std::size_t kMostMessages = 100;

Result<void> add_rows(SqliteConnection& connection, const char* sql,
                      std::vector<std::string>& complaints) {
  Query query = connection.query(sql);
  for (std::size_t i = 0; i < kMostMessages; ++i) {
    ASSIGN_OR_RETURN(const bool has_row, query.next());
    if (!has_row) break;
    complaints.push_back(query.text_at(0));
  }
  return {};
}

Result<void> add_all(SqliteConnection& connection,
                     std::vector<std::string>& complaints) {
  std::vector<std::string> pages;
  RETURN_IF_ERROR(add_rows(connection, "PRAGMA integrity_check(100)", pages));
  for (const std::string& words : pages) {
    if (words != "ok") complaints.push_back("The file is damaged: " + words);
  }
  for (const char* check : kChecks) {
    RETURN_IF_ERROR(add_rows(connection, check, complaints));
  }
  return {};
}

}  // namespace

Result<std::vector<std::string>> check_journal(SqliteConnection& connection) {
  std::vector<std::string> complaints;
  const Result<void> outcome = add_all(connection, complaints);
  if (outcome) return complaints;
  if (outcome.error().code() != ErrorCode::DataDamaged) return outcome.error();
  complaints.push_back(outcome.error().message());
  return complaints;
}

}  // namespace lamarck::store::internal
