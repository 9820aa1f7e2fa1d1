#include "lamarck/store/internal/journal_writer.h"

#include <algorithm>
#include <limits>

#include "lamarck/base/macros.h"
#include "lamarck/store/internal/clock_text.h"
#include "lamarck/store/internal/compact_bytes.h"
#include "lamarck/store/internal/delta_compression.h"
#include "lamarck/store/internal/journal_rows.h"

namespace lamarck::store::internal {
namespace {

constexpr const char* kInsertEvent = R"sql(
INSERT INTO events (number, id, idempotency_key, type, vector_clock, role,
  content, constraints, score, status, early_stop_reason, failure_signature,
  retry_count, token_cost, walltime_ms, ts, version, first_edge, parent_count)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?))sql";

void bind_packed(Query& query, std::string_view text,
                 const std::optional<std::string>& packed) {
  if (packed) {
    query.blob(*packed);
  } else {
    query.text(text);
  }
}

// Compresses the text against the pattern, if that saves at least a third.
std::optional<std::string> pack_answer(std::string_view text,
                                       std::string_view pattern) {
  std::string packed = pack_like(text, pattern);
  const bool is_shorter = packed.size() < text.size() / 3 * 2;
  // Verify the round trip: an answer must come back byte for byte.
  if (!is_shorter || unpack_like(packed, pattern) != text) return std::nullopt;
  return packed;
}

std::int64_t to_signed(std::uint64_t value) {
  return static_cast<std::int64_t>(value);
}

}  // namespace

Result<void> JournalWriter::in_transaction(
    const std::function<Result<void>()>& body) {
  RETURN_IF_ERROR(retry_while_busy(
      [&] { return connection_->query("BEGIN IMMEDIATE").run(); }));
  RollbackUnlessCommitted rollback{*this};
  RETURN_IF_ERROR(refresh_cache());
  if (is_durable_) log_room_.reserve();
  RETURN_IF_ERROR(body());
  RETURN_IF_ERROR(write_changed_runs());
  RETURN_IF_ERROR(connection_->query("COMMIT").run());
  rollback.is_committed = true;
  return {};
}

JournalWriter::RollbackUnlessCommitted::~RollbackUnlessCommitted() {
  if (is_committed) return;
  writer.version_ = -1;
  writer.patterns_.clear();
  if (!writer.connection_->is_in_transaction()) return;
  // The caller reports the original error; one of the rollback adds nothing.
  static_cast<void>(writer.connection_->query("ROLLBACK").run());
}

// data_version changes when another connection commits, not by our own commits.
Result<void> JournalWriter::refresh_cache() {
  ASSIGN_OR_RETURN(const std::int64_t version,
                   connection_->number("PRAGMA data_version"));
  if (version == version_) {
    known_.trim();
    return {};
  }
  known_.forget();
  ASSIGN_OR_RETURN(last_edge_,
                   connection_->number("SELECT max(id) FROM edges"));
  ASSIGN_OR_RETURN(
      const std::int64_t has_pruned,
      connection_->number("SELECT EXISTS (SELECT 1 FROM pruned_events)"));
  has_pruned_ = has_pruned != 0;
  version_ = version;
  return {};
}

bool JournalWriter::insert_decides(const Append& request) const {
  return request.events.size() == 1 && request.answer.key.empty() &&
         !request.new_run && !has_pruned_;
}

Result<CheckedAppend> JournalWriter::check(const Append& request) {
  insert_decides_ = insert_decides(request);
  Result<CheckedAppend> checked = check_append(request, *this);
  if (checked || !insert_decides_) return checked;
  // A taken id takes precedence over other errors, so look it up after all.
  insert_decides_ = false;
  return check_append(request, *this);
}

Result<Appended> JournalWriter::append(const Append& request) {
  ASSIGN_OR_RETURN(CheckedAppend checked, check(request));
  if (checked.is_repeat) {
    return Appended{.head = checked.run.head,
                    .is_repeat = true,
                    .answer = std::move(checked.answer)};
  }
  // If the insert decides, it must be the first write: a failed append must not
  // leave anything behind in the transaction.
  if (insert_decides_) {
    RETURN_IF_ERROR(write_events(request, checked, checked.run.number, 0));
    RETURN_IF_ERROR(write_run(request, checked.run));
  } else {
    ASSIGN_OR_RETURN(const std::int64_t run, write_run(request, checked.run));
    std::int64_t answer = 0;
    if (!request.answer.key.empty()) {
      ASSIGN_OR_RETURN(answer, write_answer(request));
    }
    RETURN_IF_ERROR(write_events(request, checked, run, answer));
  }
  return Appended{.head = checked.run.head + request.events.size(),
                  .answer = request.answer.text};
}

Result<std::int64_t> JournalWriter::write_run(const Append& request,
                                              const RunPlace& place) {
  if (request.new_run) return write_new_run(request);
  KnownRun& run = known_.known_run(request.run);
  run.place.head += request.events.size();
  run.place.updated = latest_time(run.place.updated, request.events);
  if (request.new_state) run.new_state = request.new_state;
  // Readers derive head and time from the last event; the row is written only
  // if that event is not the latest in time.
  const bool is_latest =
      request.events.empty() || request.events.back().ts == run.place.updated;
  if (request.new_state || !is_latest) known_.note_change(run);
  return place.number;
}

Result<std::int64_t> JournalWriter::write_new_run(const Append& request) {
  const Run run = make_run(request);
  Query query = connection_->query(
      "INSERT INTO runs (id, kind, title, state, created, updated) "
      "VALUES (?, ?, ?, ?, ?, ?)");
  query.text(run.id).text(run.kind).text(run.title).text(run.state);
  query.integer(to_micros(run.created));
  RETURN_IF_ERROR(query.integer(to_micros(run.updated)).run());
  const std::int64_t number = connection_->last_insert_number();
  known_.add_run(run.id,
                 {.number = number, .head = run.head, .updated = run.updated});
  return number;
}

Result<void> JournalWriter::write_changed_runs() {
  for (KnownRun* run : known_.take_changed()) {
    Query query = connection_->query(
        "UPDATE runs SET updated = ?, state = coalesce(?, state) "
        "WHERE number = ?");
    query.integer(to_micros(run->place.updated));
    if (run->new_state) {
      query.text(*run->new_state);
    } else {
      query.null();
    }
    RETURN_IF_ERROR(query.integer(run->place.number).run());
    run->new_state.reset();
  }
  return {};
}

Result<std::int64_t> JournalWriter::write_answer(const Append& request) {
  const Answer& answer = request.answer;
  // An answer stored in full becomes the pattern for later ones of its type.
  const std::string type = request.events.empty() ? "" : request.events[0].type;
  const auto pattern = patterns_.find(type);
  std::optional<std::string> packed;
  if (pattern != patterns_.end()) {
    packed = pack_answer(answer.text, pattern->second.text);
  }
  const std::optional<std::string> digest = pack_hex(answer.digest);
  Query query = connection_->query(
      "INSERT INTO answers (key_hash, idempotency_key, digest, pattern, "
      "answer) VALUES (?, ?, ?, ?, ?)");
  query.integer(key_hash(answer.key)).text(answer.key);
  bind_packed(query, answer.digest, digest);
  if (packed) {
    query.integer(pattern->second.number);
  } else {
    query.null();
  }
  bind_packed(query, answer.text, packed);
  RETURN_IF_ERROR(query.run());
  const std::int64_t number = connection_->last_insert_number();
  if (!packed) remember_pattern(type, number, answer.text);
  return number;
}

void JournalWriter::remember_pattern(const std::string& type,
                                     std::int64_t number,
                                     const std::string& answer) {
  constexpr std::size_t kMaxPatterns = 64;
  constexpr std::size_t kMaxBytes = 32768;
  if (answer.size() > kMaxBytes) return;
  if (patterns_.size() >= kMaxPatterns) patterns_.clear();
  patterns_[type] = {.number = number, .text = answer};
}

Result<void> JournalWriter::write_events(const Append& request,
                                         const CheckedAppend& checked,
                                         std::int64_t run,
                                         std::int64_t answer) {
  const std::int64_t first = event_number(run, checked.run.head + 1);
  std::int64_t number = first;
  for (std::size_t i = 0; i < request.events.size(); ++i, ++number) {
    const Event& event = request.events[i];
    RETURN_IF_ERROR(write_event(event, number, i == 0 ? answer : 0));
    RETURN_IF_ERROR(write_edges(event, number, checked.parents[i], first));
  }
  return {};
}

Result<void> JournalWriter::write_event(const Event& event, std::int64_t number,
                                        std::int64_t answer) {
  const StoredId id(event.id);
  const std::string clock = clock_text(event.vector_clock);
  const auto signature = pack_hex(event.failure_signature);
  Query query = connection_->query(kInsertEvent);
  query.integer(number);
  id.bind(query);
  if (answer == 0) {
    query.null();
  } else {
    query.integer(answer);
  }
  query.text(event.type).text_or_null(clock).text(event.role);
  query.text(event.content).text_or_null(event.constraints);
  query.text_or_null(event.score);
  query.integer(index_of(kStatuses, event.status).value_or(0));
  query.text_or_null(event.early_stop_reason);
  if (event.failure_signature.empty()) {
    query.null();
  } else {
    bind_packed(query, event.failure_signature, signature);
  }
  query.integer(event.retry_count).integer(event.token_cost);
  query.integer(event.walltime_ms).integer(to_micros(event.ts));
  query.integer(event.version);
  if (event.parents.empty()) {
    query.null();
  } else {
    query.integer(last_edge_ + 1);
  }
  query.integer(std::ssize(event.parents));
  if (!query.run()) return insert_error(event);
  known_.add_event(event.id, {.number = number, .run = run_of_event(number)});
  return {};
}

// A failed insert has changed nothing; find out whether the id was taken.
Error JournalWriter::insert_error(const Event& event) {
  const Error error = connection_->error();
  const auto place = find_event(event.id);
  return place && *place ? event_exists(event.id) : error;
}

Result<void> JournalWriter::write_edges(
    const Event& event, std::int64_t number,
    const std::vector<std::int64_t>& parents, std::int64_t first) {
  for (std::size_t i = 0; i < parents.size(); ++i) {
    Query query = connection_->query(
        "INSERT INTO edges (id, from_id, to_id, type) VALUES (?, ?, ?, ?)");
    query.integer(++last_edge_);
    // -1 - i stands for the i-th event of this append (CheckedAppend::parents).
    query.integer(parents[i] > 0 ? parents[i] : first - 1 - parents[i]);
    query.integer(number);
    query.integer(index_of(kEdgeTypes, event.parents[i].type).value_or(0));
    RETURN_IF_ERROR(query.run());
  }
  return {};
}

Result<void> JournalWriter::save_checkpoint(const Checkpoint& checkpoint) {
  ASSIGN_OR_RETURN(const auto run, find_run(checkpoint.run));
  if (!run) return run_not_found(checkpoint.run);
  const std::uint64_t seq = std::min(checkpoint.seq, kMaxEvents);
  const std::int64_t number = event_number(run->number, seq);
  std::string id;
  {
    Query query = connection_->query(
        "SELECT id FROM events WHERE number = ?1 "
        "UNION ALL SELECT id FROM pruned_events WHERE number = ?1");
    query.integer(number);
    ASSIGN_OR_RETURN(const bool has_row, query.next());
    if (has_row) id = event_id_at(query, 0);
  }
  RETURN_IF_ERROR(check_checkpoint(checkpoint, run->head, id));
  // Only the latest checkpoint is kept: delete older ones, then insert unless a
  // newer one is left.
  Query older = connection_->query(
      "DELETE FROM checkpoints WHERE session_id = ? AND seq <= ?");
  older.integer(run->number).integer(to_signed(checkpoint.seq));
  RETURN_IF_ERROR(older.run());
  Query query = connection_->query(
      "INSERT INTO checkpoints (session_id, seq, last_event_id, "
      "state_snapshot, ts) SELECT ?1, ?2, ?3, ?4, ?5 WHERE NOT EXISTS "
      "(SELECT 1 FROM checkpoints WHERE session_id = ?1)");
  query.integer(run->number).integer(to_signed(checkpoint.seq));
  query.integer(number).text(checkpoint.state_snapshot);
  return query.integer(to_micros(checkpoint.ts)).run();
}

Result<std::uint64_t> JournalWriter::prune(std::string_view run,
                                           std::uint64_t last_seq) {
  ASSIGN_OR_RETURN(const auto place, find_run(run));
  if (!place) return run_not_found(run);
  // The ids stay in pruned_events, so that they are never reused.
  // Save the run's time first: it may derive from an event that is removed.
  for (const char* sql :
       {"UPDATE runs SET updated = (SELECT c.updated FROM current_runs c "
        "WHERE c.number = runs.number) WHERE number = ?1 >> 26",
        "INSERT INTO pruned_events (number, id) SELECT number, id "
        "FROM events WHERE number BETWEEN ?1 AND ?2",
        "DELETE FROM edges WHERE id IN (SELECT d.id FROM events e "
        "JOIN edges d ON d.id >= e.first_edge "
        "AND d.id < e.first_edge + e.parent_count "
        "WHERE e.number BETWEEN ?1 AND ?2)",
        "DELETE FROM events WHERE number BETWEEN ?1 AND ?2"}) {
    Query query = connection_->query(sql);
    query.integer(event_number(place->number, 1));
    query.integer(event_number(place->number, std::min(last_seq, kMaxEvents)));
    RETURN_IF_ERROR(query.run());
  }
  const auto removed = static_cast<std::uint64_t>(connection_->changes());
  has_pruned_ = has_pruned_ || removed > 0;
  return removed;
}

Result<std::optional<Answer>> JournalWriter::find_answer(std::string_view key) {
  return read_answer(*connection_, key);
}

Result<std::optional<RunPlace>> JournalWriter::find_run(std::string_view id) {
  if (const KnownRun* run = known_.find_run(id)) {
    return std::optional<RunPlace>(run->place);
  }
  ASSIGN_OR_RETURN(const auto place, read_run_place(*connection_, id));
  if (place) known_.add_run(id, *place);
  return place;
}

Result<bool> JournalWriter::is_taken(std::string_view id) {
  if (insert_decides_) return false;
  return JournalIndex::is_taken(id);
}

Result<std::optional<EventPlace>> JournalWriter::find_event(
    std::string_view id) {
  if (const EventPlace* place = known_.find_event(id)) {
    return std::optional<EventPlace>(*place);
  }
  return read_event_place(*connection_, id, has_pruned_);
}

}  // namespace lamarck::store::internal
