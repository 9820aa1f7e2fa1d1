#include "lamarck/store/internal/journal_check.h"

#include <array>

namespace lamarck::store::internal {
namespace {

// Each gives one sentence for each thing that is wrong.
constexpr std::array<const char*, 8> kChecks = {
    R"sql(
SELECT 'Run "' || r.id || '" has ' || count(n.seq) || ' events, numbered ' ||
  coalesce(min(n.seq), 0) || ' to ' || coalesce(max(n.seq), 0) ||
  ', but should have 1 to ' || r.head || '.'
FROM runs r LEFT JOIN (SELECT session_id, seq FROM events UNION ALL
  SELECT session_id, seq FROM pruned_events) n ON n.session_id = r.number
GROUP BY r.number HAVING count(n.seq) <> r.head
  OR (r.head > 0 AND (min(n.seq) <> 1 OR max(n.seq) <> r.head)))sql",
    R"sql(
SELECT 'Event ' || n.id || ' belongs to no run.' FROM event_names n
WHERE n.session_id NOT IN (SELECT number FROM runs))sql",
    R"sql(
SELECT 'Event ' || p.id || ' of run "' || r.id || '" was pruned, but event ' ||
  e.seq || ' before it was not.'
FROM runs r
  JOIN (SELECT session_id, min(seq) AS seq FROM events GROUP BY session_id) e
    ON e.session_id = r.number
  JOIN event_names p ON p.session_id = r.number AND p.seq > e.seq
    AND p.number IN (SELECT number FROM pruned_events))sql",
    R"sql(
SELECT 'Edge ' || d.id || ' leads to an event that is not there.' FROM edges d
WHERE (d.id >> 16) NOT IN (SELECT number FROM events))sql",
    R"sql(
SELECT 'Event ' || c.id || ' names a parent that is not an earlier event of '
  || 'its run.'
FROM edges d JOIN event_names c ON c.number = d.id >> 16
  LEFT JOIN event_names p ON p.number = d.from_id
WHERE p.number IS NULL OR p.session_id <> c.session_id OR p.seq >= c.seq
  OR d.session_id <> c.session_id)sql",
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
SELECT 'The answer of event ' || n.id || ' is not there.'
FROM events e JOIN event_names n ON n.number = e.number
WHERE e.idempotency_key NOT IN (SELECT number FROM answers))sql",
};
constexpr std::size_t kMost = 100;

Result<void> add_rows(SqliteConnection& connection, const char* sql,
                      std::vector<std::string>& complaints) {
  Query query = connection.query(sql);
  for (std::size_t i = 0; i < kMost; ++i) {
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
