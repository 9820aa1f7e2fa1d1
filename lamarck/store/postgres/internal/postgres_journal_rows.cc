#include "lamarck/store/postgres/internal/postgres_journal_rows.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "lamarck/base/macros.h"
#include "lamarck/store/internal/append_rules.h"
#include "lamarck/store/internal/clock_text.h"

namespace lamarck::store::internal {
namespace {

std::string select_events(std::string_view condition) {
  return fmt::format(
      "SELECT e.id, e.type, e.parent_ids, e.edge_types, e.vector_clock, "
      "e.role, e.content, e.constraints, e.score, e.status, "
      "e.early_stop_reason, e.failure_signature, e.retry_count, e.token_cost, "
      "e.walltime_ms, e.ts, e.version, r.id, e.seq FROM lamarck.events e "
      "JOIN lamarck.runs r ON r.number = e.run WHERE NOT e.is_pruned AND {}",
      condition);
}

Result<Event> event_at(const PostgresRows& rows, std::size_t row) {
  Event event;
  event.id = rows.text(row, 0);
  event.type = rows.text(row, 1);
  std::vector<std::string> parents = rows.texts(row, 2);
  std::vector<std::string> types = rows.texts(row, 3);
  types.resize(parents.size(), "causes");
  for (std::size_t i = 0; i < parents.size(); ++i) {
    event.parents.push_back({std::move(parents[i]), std::move(types[i])});
  }
  ASSIGN_OR_RETURN(event.vector_clock, parse_clock(rows.text(row, 4)));
  event.role = rows.text(row, 5);
  event.content = rows.text(row, 6);
  event.constraints = rows.text(row, 7);
  event.score = rows.text(row, 8);
  event.status = rows.text(row, 9);
  event.early_stop_reason = rows.text(row, 10);
  event.failure_signature = rows.text(row, 11);
  event.retry_count = rows.integer(row, 12);
  event.token_cost = rows.integer(row, 13);
  event.walltime_ms = rows.integer(row, 14);
  event.ts = rows.time(row, 15);
  event.version = rows.integer(row, 16);
  event.run = rows.text(row, 17);
  event.seq = static_cast<std::uint64_t>(rows.integer(row, 18));
  return event;
}

std::string select_runs(std::string_view condition) {
  return fmt::format(
      "SELECT id, kind, title, state, created, updated, head, number "
      "FROM lamarck.current_runs WHERE {}",
      condition);
}

Run run_at(const PostgresRows& rows, std::size_t row) {
  return {.id = rows.text(row, 0),
          .kind = rows.text(row, 1),
          .title = rows.text(row, 2),
          .state = rows.text(row, 3),
          .created = rows.time(row, 4),
          .updated = rows.time(row, 5),
          .head = static_cast<std::uint64_t>(rows.integer(row, 6))};
}

PostgresParameters text_parameter(std::string_view text) {
  return std::move(PostgresParameters().text(text));
}

}  // namespace

std::int64_t as_bigint(std::uint64_t value) {
  constexpr auto kLargest =
      static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return static_cast<std::int64_t>(std::min(value, kLargest));
}

Result<std::optional<Run>> read_run(PostgresConnection& connection,
                                    std::string_view id) {
  ASSIGN_OR_RETURN(
      const PostgresRows rows,
      connection.query(select_runs("id = $1"), text_parameter(id)));
  if (rows.empty()) return std::optional<Run>();
  return std::optional<Run>(run_at(rows, 0));
}

Result<std::vector<Run>> read_runs(PostgresConnection& connection,
                                   const RunFilter& filter) {
  std::int64_t before = std::numeric_limits<std::int64_t>::max();
  if (!filter.after.empty()) {
    ASSIGN_OR_RETURN(
        const PostgresRows last,
        connection.query(select_runs("id = $1"), text_parameter(filter.after)));
    if (last.empty()) return run_not_found(filter.after);
    before = last.integer(0, 7);
  }
  PostgresParameters parameters;
  parameters.integer(before).text(filter.kind).text(filter.state);
  parameters.integer(as_bigint(filter.limit));
  ASSIGN_OR_RETURN(
      const PostgresRows rows,
      connection.query(
          select_runs("number < $1 AND "
                      "($2 = '' OR kind = $2) AND ($3 = '' OR state = $3) "
                      "ORDER BY number DESC LIMIT $4"),
          std::move(parameters)));
  std::vector<Run> list;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    list.push_back(run_at(rows, i));
  }
  return list;
}

Result<std::uint64_t> count_runs(PostgresConnection& connection,
                                 std::string_view kind) {
  ASSIGN_OR_RETURN(
      const PostgresRows rows,
      connection.query("SELECT count(*) FROM lamarck.runs WHERE kind = $1",
                       text_parameter(kind)));
  return static_cast<std::uint64_t>(rows.integer(0, 0));
}

Result<std::optional<Event>> read_event(PostgresConnection& connection,
                                        std::string_view id) {
  ASSIGN_OR_RETURN(
      const PostgresRows rows,
      connection.query(select_events("e.id = $1"), text_parameter(id)));
  if (rows.empty()) return std::optional<Event>();
  ASSIGN_OR_RETURN(Event event, event_at(rows, 0));
  return std::optional<Event>(std::move(event));
}

Result<std::vector<Event>> read_events(PostgresConnection& connection,
                                       std::string_view run,
                                       std::uint64_t after_seq,
                                       std::size_t limit) {
  PostgresParameters parameters;
  parameters.text(run).integer(as_bigint(after_seq)).integer(as_bigint(limit));
  ASSIGN_OR_RETURN(const PostgresRows rows,
                   connection.query(select_events("r.id = $1 AND e.seq > $2 "
                                                  "ORDER BY e.seq LIMIT $3"),
                                    std::move(parameters)));
  std::vector<Event> list;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ASSIGN_OR_RETURN(Event event, event_at(rows, i));
    list.push_back(std::move(event));
  }
  return list;
}

Result<std::optional<Answer>> read_answer(PostgresConnection& connection,
                                          std::string_view key) {
  ASSIGN_OR_RETURN(const PostgresRows rows,
                   connection.query("SELECT digest, answer FROM "
                                    "lamarck.answers WHERE "
                                    "idempotency_key = $1",
                                    text_parameter(key)));
  if (rows.empty()) return std::optional<Answer>();
  return std::optional<Answer>(
      {std::string(key), rows.text(0, 0), rows.text(0, 1)});
}

Result<std::vector<Answer>> read_answers(PostgresConnection& connection,
                                         std::string_view after_key,
                                         std::size_t limit) {
  PostgresParameters parameters;
  parameters.text(after_key).integer(as_bigint(limit));
  ASSIGN_OR_RETURN(
      const PostgresRows rows,
      connection.query("SELECT idempotency_key, digest, answer "
                       "FROM lamarck.answers WHERE idempotency_key > $1 "
                       "ORDER BY idempotency_key LIMIT $2",
                       std::move(parameters)));
  std::vector<Answer> list;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    list.push_back({rows.text(i, 0), rows.text(i, 1), rows.text(i, 2)});
  }
  return list;
}

Result<std::vector<std::string>> read_pruned_ids(PostgresConnection& connection,
                                                 std::string_view run) {
  ASSIGN_OR_RETURN(
      const PostgresRows rows,
      connection.query("SELECT e.id FROM lamarck.runs r JOIN lamarck.events e "
                       "ON e.run = r.number WHERE r.id = $1 AND e.is_pruned "
                       "ORDER BY e.seq",
                       text_parameter(run)));
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ids.push_back(rows.text(i, 0));
  }
  return ids;
}

Result<std::optional<Checkpoint>> read_checkpoint(
    PostgresConnection& connection, std::string_view run) {
  ASSIGN_OR_RETURN(
      const PostgresRows rows,
      connection.query("SELECT c.seq, c.last_event_id, c.state_snapshot, c.ts "
                       "FROM lamarck.runs r JOIN lamarck.checkpoints c "
                       "ON c.run = r.number WHERE r.id = $1",
                       text_parameter(run)));
  if (rows.empty()) return std::optional<Checkpoint>();
  return std::optional<Checkpoint>(
      {.run = std::string(run),
       .seq = static_cast<std::uint64_t>(rows.integer(0, 0)),
       .last_event_id = rows.text(0, 1),
       .state_snapshot = rows.text(0, 2),
       .ts = rows.time(0, 3)});
}

Result<std::string> read_event_id(PostgresConnection& connection,
                                  std::string_view run, std::uint64_t seq) {
  PostgresParameters parameters;
  parameters.text(run).integer(as_bigint(seq));
  ASSIGN_OR_RETURN(
      const PostgresRows rows,
      connection.query("SELECT e.id FROM lamarck.runs r JOIN lamarck.events e "
                       "ON e.run = r.number WHERE r.id = $1 AND e.seq = $2",
                       std::move(parameters)));
  return rows.empty() ? std::string() : rows.text(0, 0);
}

}  // namespace lamarck::store::internal
