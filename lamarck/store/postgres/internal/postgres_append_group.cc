#include "lamarck/store/postgres/internal/postgres_append_group.h"

#include <algorithm>
#include <set>
#include <utility>

#include "lamarck/base/hash.h"
#include "lamarck/base/macros.h"
#include "lamarck/store/internal/clock_text.h"
#include "lamarck/store/postgres/postgres_pool.h"

namespace lamarck::store::internal {
namespace {

// Rows of three kinds in one result: runs, answers and events.
constexpr const char* kLookUp = R"sql(
SELECT 'run', r.id, '', '', r.number, coalesce(last.seq, 0),
  greatest(r.updated, last.ts)
FROM lamarck.runs r LEFT JOIN LATERAL (
  SELECT e.seq, e.ts FROM lamarck.events e WHERE e.run = r.number
  ORDER BY e.seq DESC LIMIT 1) last ON true
WHERE r.id = ANY ($1)
UNION ALL
SELECT 'answer', idempotency_key, digest, answer, 0, 0, NULL
FROM lamarck.answers WHERE idempotency_key = ANY ($2)
UNION ALL
SELECT 'event', id, '', '', run, seq, NULL
FROM lamarck.events WHERE id = ANY ($3)
)sql";

// Events of a new run find its number by its name. Rows that conflict are
// missing in the counts.
constexpr const char* kInsert = R"sql(
WITH new_runs AS (
  INSERT INTO lamarck.runs (id, kind, title, state, created, updated)
  SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[],
    $5::timestamptz[], $6::timestamptz[])
  ON CONFLICT DO NOTHING RETURNING number, id),
changed AS (
  UPDATE lamarck.runs r SET updated = c.updated,
    state = coalesce(c.state, r.state)
  FROM unnest($7::bigint[], $8::timestamptz[], $9::text[])
    AS c (number, updated, state)
  WHERE r.number = c.number RETURNING 1),
new_answers AS (
  INSERT INTO lamarck.answers (idempotency_key, digest, answer)
  SELECT * FROM unnest($10::text[], $11::text[], $12::text[])
  ON CONFLICT DO NOTHING RETURNING 1),
new_events AS (
  INSERT INTO lamarck.events (run, seq, id, idempotency_key, type, parent_ids,
    edge_types, vector_clock, role, content, constraints, score, status,
    early_stop_reason, failure_signature, retry_count, token_cost, walltime_ms,
    ts, version)
  SELECT coalesce(n.number, e.run), e.seq, e.id, e.key, e.type,
    e.parents::text[], e.edges::text[], e.clock, e.role, e.content,
    e.constraints, e.score, e.status, e.reason, e.signature, e.retries,
    e.tokens, e.walltime, e.ts, e.version
  FROM unnest($13::bigint[], $14::text[], $15::bigint[], $16::text[],
      $17::text[], $18::text[], $19::text[], $20::text[], $21::text[],
      $22::text[], $23::text[], $24::text[], $25::text[], $26::text[],
      $27::text[], $28::text[], $29::bigint[], $30::bigint[], $31::bigint[],
      $32::timestamptz[], $33::bigint[])
    AS e (run, run_id, seq, id, key, type, parents, edges, clock, role, content,
      constraints, score, status, reason, signature, retries, tokens, walltime,
      ts, version)
    LEFT JOIN new_runs n ON n.id = e.run_id
  ON CONFLICT DO NOTHING RETURNING 1)
SELECT (SELECT count(*) FROM new_runs), (SELECT count(*) FROM changed),
  (SELECT count(*) FROM new_answers), (SELECT count(*) FROM new_events)
)sql";

// Advisory locks are shared by all programs of a database, so the number is
// made of more than the name.
std::int64_t lock_number(std::string_view run) {
  return static_cast<std::int64_t>(
      stable_hash("lamarck journal " + std::string(run)));
}

std::string parents_of(const Event& event) {
  std::vector<std::string> ids;
  for (const Edge& edge : event.parents) ids.push_back(edge.from);
  return text_array_literal(ids);
}

std::string edges_of(const Event& event) {
  std::vector<std::string> types;
  for (const Edge& edge : event.parents) types.push_back(edge.type);
  return text_array_literal(types);
}

std::string clock_of(const Event& event) {
  return clock_text(event.vector_clock);
}

// The column of a value of each element.
template <class List, class Value>
PostgresArray texts_of(const List& list, const Value& value) {
  PostgresArray array(PostgresType::Text);
  for (const auto& element : list) array.text(value(element));
  return array;
}
// "" = NULL.
template <class List, class Value>
PostgresArray nullable_of(const List& list, const Value& value) {
  PostgresArray array(PostgresType::Text);
  for (const auto& element : list) array.text_or_null(value(element));
  return array;
}
template <class List, class Value>
PostgresArray integers_of(const List& list, const Value& value) {
  PostgresArray array(PostgresType::Integer);
  for (const auto& element : list) {
    array.integer(static_cast<std::int64_t>(value(element)));
  }
  return array;
}
template <class List, class Value>
PostgresArray times_of(const List& list, const Value& value) {
  PostgresArray array(PostgresType::Time);
  for (const auto& element : list) array.time(value(element));
  return array;
}

PostgresArray text_array(const std::set<std::string_view>& texts) {
  PostgresArray array(PostgresType::Text);
  for (const std::string_view text : texts) array.text(text);
  return array;
}

}  // namespace

std::string PostgresAppendGroup::lock_statement() const {
  std::set<std::int64_t> numbers;
  for (const StagedAppend& append : appends_) {
    numbers.insert(lock_number(append.request->run));
  }
  std::string list;
  for (const std::int64_t number : numbers) {
    if (!list.empty()) list += ',';
    list += std::to_string(number);
  }
  return "SELECT pg_advisory_xact_lock(n) FROM unnest('{" + list +
         "}'::bigint[]) AS n; ";
}

Result<void> PostgresAppendGroup::write(PostgresConnection& connection) {
  RETURN_IF_ERROR(look_up(connection));
  decide();
  if (is_empty()) return {};
  return insert(connection);
}

Result<void> PostgresAppendGroup::look_up(PostgresConnection& connection) {
  std::set<std::string_view> runs;
  std::set<std::string_view> keys;
  std::set<std::string_view> events;
  for (const StagedAppend& append : appends_) {
    const Append& request = *append.request;
    runs.insert(request.run);
    if (!request.answer.key.empty()) keys.insert(request.answer.key);
    for (const Event& event : request.events) {
      events.insert(event.id);
      for (const Edge& edge : event.parents) events.insert(edge.from);
    }
  }
  PostgresParameters parameters;
  parameters.array(text_array(runs)).array(text_array(keys));
  parameters.array(text_array(events));
  ASSIGN_OR_RETURN(const PostgresRows rows,
                   connection.query(kLookUp, std::move(parameters)));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string name = rows.text(i, 1);
    const std::string_view kind = rows.bytes(i, 0);
    if (kind == "run") {
      runs_[name].place = {
          .number = rows.integer(i, 4),
          .head = static_cast<std::uint64_t>(rows.integer(i, 5)),
          .updated = rows.time(i, 6)};
    } else if (kind == "answer") {
      answers_[name] = {name, rows.text(i, 2), rows.text(i, 3)};
    } else {
      events_[name] = {.number = 1, .run = rows.integer(i, 4)};
    }
  }
  return {};
}

void PostgresAppendGroup::decide() {
  for (const StagedAppend& append : appends_) {
    const Append& request = *append.request;
    Result<CheckedAppend> checked = check_append(request, *this);
    if (!checked) {
      *append.outcome = checked.error();
      continue;
    }
    if (!checked->is_repeat) add(request);
    *append.outcome = Appended{
        .head = checked->is_repeat ? checked->run.head
                                   : runs_.find(request.run)->second.place.head,
        .is_repeat = checked->is_repeat,
        .answer = checked->is_repeat ? checked->answer : request.answer.text};
  }
}

void PostgresAppendGroup::add(const Append& request) {
  GroupRun& run = run_for(request);
  const std::string_view key = request.answer.key;
  if (!key.empty()) {
    answers_[request.answer.key] = request.answer;
    new_answers_[key] = &request.answer;
  }
  std::uint64_t seq = run.place.head - request.events.size();
  for (const Event& event : request.events) {
    events_[event.id] = {.number = 1, .run = run.place.number};
    new_events_.push_back({.event = &event,
                           .run = request.run,
                           .seq = ++seq,
                           .key = &event == request.events.data() ? key : ""});
  }
}

// Returns the run with its head after the append.
PostgresAppendGroup::GroupRun& PostgresAppendGroup::run_for(
    const Append& request) {
  GroupRun& run = runs_[request.run];
  if (request.new_run) {
    new_runs_.push_back(request.run);
    run.created = make_run(request);
    // Only for comparing; the server chooses the number.
    run.place = {.number = -std::ssize(new_runs_),
                 .head = run.created->head,
                 .updated = run.created->updated};
    return run;
  }
  run.place.updated = latest_time(run.place.updated, request.events);
  run.place.head += request.events.size();
  if (request.new_state) run.new_state = request.new_state;
  // Readers take the time of the last event if it is later than that of the
  // row, so the row is written only if that event is not the latest in time.
  const bool is_latest =
      request.events.empty() || request.events.back().ts == run.place.updated;
  run.is_changed = run.is_changed || request.new_state || !is_latest;
  return run;
}

bool PostgresAppendGroup::is_empty() const {
  const bool is_changed = std::ranges::any_of(
      runs_, [](const auto& entry) { return entry.second.is_changed; });
  return new_runs_.empty() && new_events_.empty() && !is_changed;
}

Result<void> PostgresAppendGroup::insert(PostgresConnection& connection) {
  ASSIGN_OR_RETURN(const PostgresRows rows,
                   connection.query(kInsert, rows_to_insert()));
  // A missing row means that another process stored the same key or id after
  // the lookup; the next attempt sees it.
  const bool is_complete = rows.integer(0, 0) == std::ssize(new_runs_) &&
                           rows.integer(0, 2) == std::ssize(new_answers_) &&
                           rows.integer(0, 3) == std::ssize(new_events_);
  if (!is_complete) return please_repeat();
  return {};
}

// In the order of kInsert.
PostgresParameters PostgresAppendGroup::rows_to_insert() const {
  PostgresParameters parameters;
  add_new_runs(parameters);
  add_changed_runs(parameters);
  add_answers(parameters);
  add_events(parameters);
  return parameters;
}

void PostgresAppendGroup::add_new_runs(PostgresParameters& parameters) const {
  std::vector<Run> created;
  for (const std::string& id : new_runs_) {
    const GroupRun& run = runs_.find(id)->second;
    created.push_back(*run.created);
    created.back().updated = run.place.updated;
    if (run.new_state) created.back().state = *run.new_state;
  }
  parameters.array(texts_of(created, [](const Run& r) { return r.id; }))
      .array(texts_of(created, [](const Run& r) { return r.kind; }))
      .array(texts_of(created, [](const Run& r) { return r.title; }))
      .array(texts_of(created, [](const Run& r) { return r.state; }))
      .array(times_of(created, [](const Run& r) { return r.created; }))
      .array(times_of(created, [](const Run& r) { return r.updated; }));
}

void PostgresAppendGroup::add_changed_runs(
    PostgresParameters& parameters) const {
  PostgresArray numbers(PostgresType::Integer);
  PostgresArray updates(PostgresType::Time);
  PostgresArray states(PostgresType::Text);
  for (const auto& [id, run] : runs_) {
    if (run.created || !run.is_changed) continue;
    numbers.integer(run.place.number);
    updates.time(run.place.updated);
    run.new_state ? states.text(*run.new_state) : states.null();
  }
  parameters.array(numbers).array(updates).array(states);
}

void PostgresAppendGroup::add_answers(PostgresParameters& parameters) const {
  using Entry = std::pair<const std::string_view, const Answer*>;
  const auto& list = new_answers_;
  parameters.array(texts_of(list, [](const Entry& e) { return e.first; }))
      .array(texts_of(list, [](const Entry& e) { return e.second->digest; }))
      .array(texts_of(list, [](const Entry& e) { return e.second->text; }));
}

void PostgresAppendGroup::add_events(PostgresParameters& parameters) const {
  using E = NewEvent;
  const auto& list = new_events_;
  const auto run_number = [&](const E& e) {
    return runs_.find(e.run)->second.place.number;
  };
  parameters.array(integers_of(list, run_number))
      .array(texts_of(list, [](const E& e) { return e.run; }))
      .array(integers_of(list, [](const E& e) { return e.seq; }))
      .array(texts_of(list, [](const E& e) { return e.event->id; }))
      .array(nullable_of(list, [](const E& e) { return e.key; }))
      .array(texts_of(list, [](const E& e) { return e.event->type; }))
      .array(texts_of(list, [](const E& e) { return parents_of(*e.event); }))
      .array(texts_of(list, [](const E& e) { return edges_of(*e.event); }))
      .array(nullable_of(list, [](const E& e) { return clock_of(*e.event); }))
      .array(texts_of(list, [](const E& e) { return e.event->role; }))
      .array(texts_of(list, [](const E& e) { return e.event->content; }))
      .array(nullable_of(list, [](const E& e) { return e.event->constraints; }))
      .array(nullable_of(list, [](const E& e) { return e.event->score; }))
      .array(texts_of(list, [](const E& e) { return e.event->status; }))
      .array(nullable_of(list,
                         [](const E& e) { return e.event->early_stop_reason; }))
      .array(nullable_of(list,
                         [](const E& e) { return e.event->failure_signature; }))
      .array(integers_of(list, [](const E& e) { return e.event->retry_count; }))
      .array(integers_of(list, [](const E& e) { return e.event->token_cost; }))
      .array(integers_of(list, [](const E& e) { return e.event->walltime_ms; }))
      .array(times_of(list, [](const E& e) { return e.event->ts; }))
      .array(integers_of(list, [](const E& e) { return e.event->version; }));
}

Result<std::optional<Answer>> PostgresAppendGroup::find_answer(
    std::string_view key) {
  const auto found = answers_.find(key);
  if (found == answers_.end()) return std::optional<Answer>();
  return std::optional<Answer>(found->second);
}

Result<std::optional<RunPlace>> PostgresAppendGroup::find_run(
    std::string_view id) {
  const auto found = runs_.find(id);
  if (found == runs_.end()) return std::optional<RunPlace>();
  return std::optional<RunPlace>(found->second.place);
}

Result<std::optional<EventPlace>> PostgresAppendGroup::find_event(
    std::string_view id) {
  const auto found = events_.find(id);
  if (found == events_.end()) return std::optional<EventPlace>();
  return std::optional<EventPlace>(found->second);
}

}  // namespace lamarck::store::internal
