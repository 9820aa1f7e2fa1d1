#include "lamarck/store/internal/journal_rows.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/hash.h"
#include "lamarck/base/json.h"
#include "lamarck/base/macros.h"
#include "lamarck/store/internal/clock_text.h"
#include "lamarck/store/internal/compact_bytes.h"
#include "lamarck/store/internal/delta_compression.h"

namespace lamarck::store::internal {
namespace {

std::string hex_text_at(const Query& query, int column) {
  if (query.is_blob_at(column)) return unpack_hex(query.bytes_at(column));
  return query.text_at(column);
}

// An index out of range, as in a damaged file, gives the last name.
std::string name_at(const std::array<std::string_view, 4>& names,
                    const Query& query, int column) {
  const auto index = static_cast<std::size_t>(query.integer_at(column));
  return std::string(names[std::min(index, names.size() - 1)]);
}

// Reads the answer from the columns of the query in read_answer.
Result<std::string> answer_text_at(const Query& query, std::string_view key) {
  if (query.integer_at(3) == 0) return query.text_at(2);
  auto text = unpack_like(query.bytes_at(2), query.bytes_at(4));
  if (text) return *std::move(text);
  return Error(ErrorCode::DataDamaged,
               fmt::format("The answer for the key '{}' is damaged in this "
                           "journal; restore the journal from a backup.",
                           key));
}

Run run_at(const Query& query) {
  return {.id = query.text_at(0),
          .kind = query.text_at(1),
          .title = query.text_at(2),
          .state = query.text_at(3),
          .created = from_micros(query.integer_at(4)),
          .updated = from_micros(query.integer_at(5)),
          .head = static_cast<std::uint64_t>(query.integer_at(6))};
}

// Reads the columns of the two queries below, without the parents.
Result<Event> event_at(const Query& query) {
  Event event;
  event.run = query.text_at(1);
  event.id = event_id_at(query, 2);
  event.seq = static_cast<std::uint64_t>(query.integer_at(3));
  event.type = query.text_at(4);
  ASSIGN_OR_RETURN(event.vector_clock, parse_clock(query.bytes_at(5)));
  event.role = query.text_at(6);
  event.content = query.text_at(7);
  event.constraints = query.text_at(8);
  event.score = query.text_at(9);
  event.status = name_at(kStatuses, query, 10);
  event.early_stop_reason = query.text_at(11);
  event.failure_signature = hex_text_at(query, 12);
  event.retry_count = query.integer_at(13);
  event.token_cost = query.integer_at(14);
  event.walltime_ms = query.integer_at(15);
  event.ts = from_micros(query.integer_at(16));
  event.version = query.integer_at(17);
  return event;
}

constexpr const char* kEventById = R"sql(
SELECT e.first_edge, r.id, e.id, e.seq, e.type, e.vector_clock, e.role,
  e.content, e.constraints, e.score, e.status, e.early_stop_reason,
  e.failure_signature, e.retry_count, e.token_cost, e.walltime_ms, e.ts,
  e.version, e.parent_count
FROM events e JOIN runs r ON r.number = e.session_id WHERE e.id = ?1)sql";

// The events of a run are a range of numbers (see kSeqBits), so no index is
// needed.
constexpr const char* kEventsOfRun = R"sql(
SELECT e.first_edge, r.id, e.id, e.seq, e.type, e.vector_clock, e.role,
  e.content, e.constraints, e.score, e.status, e.early_stop_reason,
  e.failure_signature, e.retry_count, e.token_cost, e.walltime_ms, e.ts,
  e.version, e.parent_count
FROM runs r JOIN events e ON e.number
  BETWEEN (r.number << 26) + ?2 + 1 AND (r.number << 26) + 67108863
WHERE r.id = ?1 ORDER BY e.number LIMIT ?3)sql";

// A pruned parent keeps its id in pruned_events.
constexpr const char* kParents = R"sql(
SELECT d.type, coalesce(e.id, p.id) FROM edges d
  LEFT JOIN events e ON e.number = d.from_id
  LEFT JOIN pruned_events p ON p.number = d.from_id
WHERE d.id >= ?1 AND d.id < ?1 + ?2 ORDER BY d.id)sql";

// Reads the parents of the event at the current row of such a query.
Result<std::vector<Edge>> read_parents(SqliteConnection& connection,
                                       const Query& event) {
  std::vector<Edge> parents;
  if (event.integer_at(18) == 0) return parents;
  Query query = connection.query(kParents);
  query.integer(event.integer_at(0)).integer(event.integer_at(18));
  for (;;) {
    ASSIGN_OR_RETURN(const bool has_row, query.next());
    if (!has_row) return parents;
    parents.push_back(
        {.from = event_id_at(query, 1), .type = name_at(kEdgeTypes, query, 0)});
  }
}

std::int64_t as_limit(std::size_t limit) {
  constexpr auto kMax =
      static_cast<std::size_t>(std::numeric_limits<std::int64_t>::max());
  return static_cast<std::int64_t>(std::min(limit, kMax));
}

std::int64_t as_seq(std::uint64_t seq) {
  return static_cast<std::int64_t>(std::min(seq, kMaxEvents));
}

}  // namespace

std::int64_t to_micros(Clock::WallTime time) {
  return time.time_since_epoch().count();
}

Clock::WallTime from_micros(std::int64_t micros) {
  return Clock::WallTime(std::chrono::microseconds(micros));
}

std::int64_t event_number(std::int64_t run, std::uint64_t seq) {
  return (run << kSeqBits) + static_cast<std::int64_t>(seq);
}

std::int64_t run_of_event(std::int64_t number) { return number >> kSeqBits; }

std::int64_t key_hash(std::string_view key) {
  const std::string digits = sha256_hex(key).substr(0, 8);
  std::uint32_t hash = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), hash, 16);
  return static_cast<std::int32_t>(hash);  // Signed: 4 bytes in SQLite.
}

StoredId::StoredId(std::string_view id)
    : text_(id), packed_(pack_event_id(id)) {}

void StoredId::bind(Query& query) const {
  if (packed_) {
    query.blob({packed_->data(), packed_->size()});
  } else {
    query.text(text_);
  }
}

std::string event_id_at(const Query& query, int column) {
  if (query.is_blob_at(column)) return unpack_event_id(query.bytes_at(column));
  return query.text_at(column);
}

Result<std::optional<Answer>> read_answer(SqliteConnection& connection,
                                          std::string_view key) {
  Query query = connection.query(
      "SELECT a.idempotency_key, a.digest, a.answer, a.pattern, p.answer "
      "FROM answers a LEFT JOIN answers p ON p.number = a.pattern "
      "WHERE a.key_hash = ?");
  query.integer(key_hash(key));
  for (;;) {
    ASSIGN_OR_RETURN(const bool has_row, query.next());
    if (!has_row) return std::optional<Answer>();
    // Several keys may share a hash.
    if (query.bytes_at(0) != key) continue;
    ASSIGN_OR_RETURN(std::string text, answer_text_at(query, key));
    return std::optional<Answer>({.key = std::string(key),
                                  .digest = hex_text_at(query, 1),
                                  .text = std::move(text)});
  }
}

Result<std::optional<RunPlace>> read_run_place(SqliteConnection& connection,
                                               std::string_view id) {
  Query query = connection.query(
      "SELECT number, head, updated FROM current_runs WHERE id = ?");
  query.text(id);
  ASSIGN_OR_RETURN(const bool has_row, query.next());
  if (!has_row) return std::optional<RunPlace>();
  return std::optional<RunPlace>(
      {.number = query.integer_at(0),
       .head = static_cast<std::uint64_t>(query.integer_at(1)),
       .updated = from_micros(query.integer_at(2))});
}

Result<std::optional<Run>> read_run(SqliteConnection& connection,
                                    std::string_view id) {
  Query query = connection.query(
      "SELECT id, kind, title, state, created, updated, head FROM current_runs "
      "WHERE id = ?");
  query.text(id);
  ASSIGN_OR_RETURN(const bool has_row, query.next());
  if (!has_row) return std::optional<Run>();
  return std::optional<Run>(run_at(query));
}

Result<std::vector<Run>> read_runs(SqliteConnection& connection,
                                   const RunFilter& filter) {
  // Runs are numbered in the order of creation, so pages go down by number.
  std::int64_t before = std::numeric_limits<std::int64_t>::max();
  if (!filter.after.empty()) {
    ASSIGN_OR_RETURN(const auto last, read_run_place(connection, filter.after));
    if (!last) return run_not_found(filter.after);
    before = last->number;
  }
  Query query = connection.query(
      "SELECT id, kind, title, state, created, updated, head FROM current_runs "
      "WHERE number < ?1 AND (?2 = '' OR kind = ?2) "
      "AND (?3 = '' OR state = ?3) ORDER BY number DESC LIMIT ?4");
  query.integer(before).text(filter.kind).text(filter.state);
  query.integer(as_limit(filter.limit));
  std::vector<Run> list;
  for (;;) {
    ASSIGN_OR_RETURN(const bool has_row, query.next());
    if (!has_row) return list;
    list.push_back(run_at(query));
  }
}

Result<std::vector<Answer>> read_answers(SqliteConnection& connection,
                                         std::string_view after_key,
                                         std::size_t limit) {
  std::vector<std::string> keys;
  {
    Query query = connection.query(
        "SELECT idempotency_key FROM answers WHERE idempotency_key > ?1 "
        "ORDER BY idempotency_key LIMIT ?2");
    query.text(after_key).integer(as_limit(limit));
    for (;;) {
      ASSIGN_OR_RETURN(const bool has_row, query.next());
      if (!has_row) break;
      keys.push_back(query.text_at(0));
    }
  }
  std::vector<Answer> list;
  for (const std::string& key : keys) {
    ASSIGN_OR_RETURN(auto answer, read_answer(connection, key));
    if (answer) list.push_back(*std::move(answer));
  }
  return list;
}

Result<std::vector<std::string>> read_pruned_ids(SqliteConnection& connection,
                                                 std::int64_t run) {
  Query query = connection.query(
      "SELECT id FROM pruned_events WHERE number BETWEEN ?1 AND ?2 "
      "ORDER BY number");
  query.integer(event_number(run, 1)).integer(event_number(run, kMaxEvents));
  std::vector<std::string> ids;
  for (;;) {
    ASSIGN_OR_RETURN(const bool has_row, query.next());
    if (!has_row) return ids;
    ids.push_back(event_id_at(query, 0));
  }
}

Result<RunCount> count_new_runs(SqliteConnection& connection,
                                std::string_view kind, RunCount counted) {
  Query query = connection.query(
      "SELECT coalesce(max(number), ?1), count(*) FILTER (WHERE kind = ?2) "
      "FROM runs WHERE number > ?1");
  query.integer(counted.last_number).text(kind);
  ASSIGN_OR_RETURN(const bool has_row, query.next());
  if (!has_row) return counted;
  return RunCount{
      .last_number = query.integer_at(0),
      .count = counted.count + static_cast<std::uint64_t>(query.integer_at(1))};
}

Result<std::optional<EventPlace>> read_event_place(SqliteConnection& connection,
                                                   std::string_view id,
                                                   bool with_pruned) {
  Query query = connection.query(
      with_pruned ? "SELECT number FROM events WHERE id = ?1 UNION ALL "
                    "SELECT number FROM pruned_events WHERE id = ?1"
                  : "SELECT number FROM events WHERE id = ?1");
  const StoredId stored(id);
  stored.bind(query);
  ASSIGN_OR_RETURN(const bool has_row, query.next());
  if (!has_row) return std::optional<EventPlace>();
  const std::int64_t number = query.integer_at(0);
  return std::optional<EventPlace>(
      {.number = number, .run = run_of_event(number)});
}

Result<std::optional<Event>> read_event(SqliteConnection& connection,
                                        std::string_view id) {
  Query query = connection.query(kEventById);
  const StoredId stored(id);
  stored.bind(query);
  ASSIGN_OR_RETURN(const bool has_row, query.next());
  if (!has_row) return std::optional<Event>();
  ASSIGN_OR_RETURN(Event event, event_at(query));
  ASSIGN_OR_RETURN(event.parents, read_parents(connection, query));
  return std::optional<Event>(std::move(event));
}

Result<std::vector<Event>> read_events(SqliteConnection& connection,
                                       std::string_view run,
                                       std::uint64_t after_seq,
                                       std::size_t limit) {
  Query query = connection.query(kEventsOfRun);
  query.text(run).integer(as_seq(after_seq)).integer(as_limit(limit));
  std::vector<Event> list;
  for (;;) {
    ASSIGN_OR_RETURN(const bool has_row, query.next());
    if (!has_row) return list;
    ASSIGN_OR_RETURN(Event event, event_at(query));
    ASSIGN_OR_RETURN(event.parents, read_parents(connection, query));
    list.push_back(std::move(event));
  }
}

Result<std::optional<Checkpoint>> read_checkpoint(SqliteConnection& connection,
                                                  std::string_view run) {
  Query query = connection.query(
      "SELECT c.seq, coalesce(e.id, p.id), c.state_snapshot, c.ts "
      "FROM runs r JOIN checkpoints c ON c.session_id = r.number "
      "LEFT JOIN events e ON e.number = c.last_event_id "
      "LEFT JOIN pruned_events p ON p.number = c.last_event_id "
      "WHERE r.id = ?1 ORDER BY c.seq DESC LIMIT 1");
  query.text(run);
  ASSIGN_OR_RETURN(const bool has_row, query.next());
  if (!has_row) return std::optional<Checkpoint>();
  return std::optional<Checkpoint>(
      {.run = std::string(run),
       .seq = static_cast<std::uint64_t>(query.integer_at(0)),
       .last_event_id = event_id_at(query, 1),
       .state_snapshot = query.text_at(2),
       .ts = from_micros(query.integer_at(3))});
}

}  // namespace lamarck::store::internal
