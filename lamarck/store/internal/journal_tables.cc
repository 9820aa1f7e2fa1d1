#include <array>

#include "lamarck/store/internal/journal_schema.h"

namespace lamarck::store::internal {
namespace {

// Runs, events and answers refer to each other by small numbers. An id of the
// form evt_<uuid> is stored as 16 bytes, hex digits as bytes, and times as
// microseconds since 1970; the views show all of them as text. The index
// events_by_run lists a run's events. An event's parents are adjacent in edges,
// because an edge's id begins with the number of its child. An answer with a
// pattern is compressed against that answer, which itself has none
// (delta_compression.h).
constexpr const char* kVersion1 = R"sql(
CREATE TABLE runs (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  title TEXT NOT NULL,
  state TEXT NOT NULL,
  created INTEGER NOT NULL,
  updated INTEGER NOT NULL,
  head INTEGER NOT NULL CHECK (head >= 0)
);

CREATE TABLE answers (
  number INTEGER PRIMARY KEY,
  key_hash INTEGER NOT NULL,
  idempotency_key TEXT NOT NULL,
  digest NOT NULL,
  pattern INTEGER REFERENCES answers (number),
  answer NOT NULL
);
CREATE INDEX answers_by_key_hash ON answers (key_hash);

CREATE TABLE events (
  number INTEGER PRIMARY KEY,
  id NOT NULL UNIQUE,
  session_id INTEGER NOT NULL REFERENCES runs (number),
  seq INTEGER NOT NULL CHECK (seq > 0),
  idempotency_key INTEGER REFERENCES answers (number),
  type TEXT NOT NULL,
  vector_clock TEXT,
  role TEXT NOT NULL,
  content TEXT NOT NULL CHECK (length(content) <= 400),
  constraints TEXT,
  score TEXT,
  status INTEGER NOT NULL CHECK (status BETWEEN 0 AND 3),
  early_stop_reason TEXT,
  failure_signature,
  retry_count INTEGER NOT NULL DEFAULT 0,
  token_cost INTEGER NOT NULL DEFAULT 0,
  walltime_ms INTEGER NOT NULL DEFAULT 0,
  ts INTEGER NOT NULL,
  version INTEGER NOT NULL DEFAULT 1
);
CREATE UNIQUE INDEX events_by_run ON events (session_id, seq);
CREATE INDEX events_by_failure ON events (failure_signature)
  WHERE failure_signature IS NOT NULL;

CREATE TABLE pruned_events (
  number INTEGER PRIMARY KEY,
  id NOT NULL UNIQUE,
  session_id INTEGER NOT NULL REFERENCES runs (number),
  seq INTEGER NOT NULL
);
CREATE UNIQUE INDEX pruned_events_by_run ON pruned_events (session_id, seq);

CREATE TABLE edges (
  id INTEGER PRIMARY KEY,
  session_id INTEGER NOT NULL REFERENCES runs (number),
  from_id INTEGER NOT NULL,
  to_id INTEGER AS (id >> 16) VIRTUAL,
  type INTEGER NOT NULL CHECK (type BETWEEN 0 AND 3)
);

CREATE TABLE checkpoints (
  id INTEGER PRIMARY KEY,
  session_id INTEGER NOT NULL REFERENCES runs (number),
  seq INTEGER NOT NULL,
  last_event_id INTEGER NOT NULL,
  state_snapshot TEXT NOT NULL,
  ts INTEGER NOT NULL
);
CREATE UNIQUE INDEX checkpoints_by_run ON checkpoints (session_id, seq);

CREATE VIEW event_names AS
SELECT number, session_id, seq, CASE typeof(id) WHEN 'blob' THEN
    'evt_' || lower(hex(substr(id, 1, 4)) || '-' || hex(substr(id, 5, 2)) ||
    '-' || hex(substr(id, 7, 2)) || '-' || hex(substr(id, 9, 2)) || '-' ||
    hex(substr(id, 11))) ELSE id END AS id
FROM (SELECT number, id, session_id, seq FROM events
      UNION ALL SELECT number, id, session_id, seq FROM pruned_events);

CREATE VIEW readable_runs AS
SELECT id, kind, title, state, head,
  strftime('%Y-%m-%dT%H:%M:%fZ', created / 1e6, 'unixepoch') AS created,
  strftime('%Y-%m-%dT%H:%M:%fZ', updated / 1e6, 'unixepoch') AS updated
FROM runs;

CREATE VIEW readable_edges AS
SELECT e.id, r.id AS session_id, p.id AS from_id, c.id AS to_id,
  CASE e.type WHEN 0 THEN 'causes' WHEN 1 THEN 'refines'
    WHEN 2 THEN 'contradicts' ELSE 'supports' END AS type
FROM edges e JOIN runs r ON r.number = e.session_id
  LEFT JOIN event_names p ON p.number = e.from_id
  LEFT JOIN event_names c ON c.number = e.to_id;

CREATE VIEW readable_events AS
SELECT n.id, r.id AS session_id, e.seq, a.idempotency_key, e.type,
  (SELECT json_group_array(p.id) FROM edges d
    JOIN event_names p ON p.number = d.from_id
    WHERE d.id BETWEEN e.number << 16 AND (e.number << 16) + 65535)
    AS parent_ids,
  e.vector_clock, e.role, e.content, e.constraints, e.score,
  CASE e.status WHEN 0 THEN 'open' WHEN 1 THEN 'done'
    WHEN 2 THEN 'rejected' ELSE 'early_stopped' END AS status,
  e.early_stop_reason,
  CASE typeof(e.failure_signature) WHEN 'blob'
    THEN lower(hex(e.failure_signature)) ELSE e.failure_signature END
    AS failure_signature,
  e.retry_count, e.token_cost, e.walltime_ms,
  strftime('%Y-%m-%dT%H:%M:%fZ', e.ts / 1e6, 'unixepoch') AS ts, e.version
FROM events e JOIN event_names n ON n.number = e.number
  JOIN runs r ON r.number = e.session_id
  LEFT JOIN answers a ON a.number = e.idempotency_key;

CREATE VIEW readable_checkpoints AS
SELECT c.id, r.id AS session_id, c.seq, n.id AS last_event_id,
  c.state_snapshot, strftime('%Y-%m-%dT%H:%M:%fZ', c.ts / 1e6, 'unixepoch')
  AS ts
FROM checkpoints c JOIN runs r ON r.number = c.session_id
  LEFT JOIN event_names n ON n.number = c.last_event_id;

PRAGMA user_version = 1;
)sql";

// An event's number combines its run's number and its seq, so a run's events
// are adjacent in the table and need no index. Edges are stored in insertion
// order; an event stores where its own begin. The head of a run is its last
// event; the column `updated` is later than that event only if clocks went
// back.
constexpr const char* kVersion2 = R"sql(
DROP VIEW readable_checkpoints;
DROP VIEW readable_events;
DROP VIEW readable_edges;
DROP VIEW readable_runs;
DROP VIEW event_names;

ALTER TABLE events RENAME TO old_events;
ALTER TABLE pruned_events RENAME TO old_pruned_events;
ALTER TABLE edges RENAME TO old_edges;
DROP INDEX events_by_failure;

CREATE TABLE events (
  number INTEGER PRIMARY KEY CHECK (seq > 0),
  id NOT NULL UNIQUE,
  session_id INTEGER AS (number >> 26) VIRTUAL REFERENCES runs (number),
  seq INTEGER AS (number & 67108863) VIRTUAL,
  idempotency_key INTEGER REFERENCES answers (number),
  type TEXT NOT NULL,
  vector_clock TEXT,
  role TEXT NOT NULL,
  content TEXT NOT NULL CHECK (length(content) <= 400),
  constraints TEXT,
  score TEXT,
  status INTEGER NOT NULL CHECK (status BETWEEN 0 AND 3),
  early_stop_reason TEXT,
  failure_signature,
  retry_count INTEGER NOT NULL DEFAULT 0,
  token_cost INTEGER NOT NULL DEFAULT 0,
  walltime_ms INTEGER NOT NULL DEFAULT 0,
  ts INTEGER NOT NULL,
  version INTEGER NOT NULL DEFAULT 1,
  first_edge INTEGER REFERENCES edges (id),
  parent_count INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX events_by_failure ON events (failure_signature)
  WHERE failure_signature IS NOT NULL;

CREATE TABLE pruned_events (
  number INTEGER PRIMARY KEY,
  id NOT NULL UNIQUE,
  session_id INTEGER AS (number >> 26) VIRTUAL REFERENCES runs (number),
  seq INTEGER AS (number & 67108863) VIRTUAL
);
INSERT INTO pruned_events (number, id)
SELECT (session_id << 26) + seq, id FROM old_pruned_events
ORDER BY session_id, seq;

CREATE TEMP TABLE moved (number INTEGER PRIMARY KEY, new_number INTEGER);
INSERT INTO moved
SELECT number, (session_id << 26) + seq FROM old_events UNION ALL
SELECT number, (session_id << 26) + seq FROM old_pruned_events;

CREATE TABLE edges (
  id INTEGER PRIMARY KEY,
  session_id INTEGER AS (to_id >> 26) VIRTUAL REFERENCES runs (number),
  from_id INTEGER NOT NULL,
  to_id INTEGER NOT NULL REFERENCES events (number),
  type INTEGER NOT NULL CHECK (type BETWEEN 0 AND 3)
);
INSERT INTO edges (from_id, to_id, type)
SELECT p.new_number, c.new_number, d.type
FROM old_edges d JOIN moved c ON c.number = d.id >> 16
  LEFT JOIN moved p ON p.number = d.from_id
ORDER BY d.id;

INSERT INTO events (number, id, idempotency_key, type, vector_clock, role,
  content, constraints, score, status, early_stop_reason, failure_signature,
  retry_count, token_cost, walltime_ms, ts, version, first_edge, parent_count)
SELECT (e.session_id << 26) + e.seq, e.id, e.idempotency_key, e.type,
  e.vector_clock, e.role, e.content, e.constraints, e.score, e.status,
  e.early_stop_reason, e.failure_signature, e.retry_count, e.token_cost,
  e.walltime_ms, e.ts, e.version, d.first, coalesce(d.count, 0)
FROM old_events e LEFT JOIN (
    SELECT to_id, min(id) AS first, count(*) AS count FROM edges GROUP BY to_id
  ) d ON d.to_id = (e.session_id << 26) + e.seq
ORDER BY e.session_id, e.seq;

UPDATE checkpoints SET last_event_id = (session_id << 26) + seq;
DROP TABLE moved;
DROP TABLE old_edges;
DROP TABLE old_events;
DROP TABLE old_pruned_events;
ALTER TABLE runs DROP COLUMN head;

CREATE VIEW current_runs AS
SELECT r.number, r.id, r.kind, r.title, r.state, r.created,
  max(r.updated, coalesce(e.ts, r.updated)) AS updated,
  coalesce(e.seq, (SELECT max(p.number) FROM pruned_events p
    WHERE p.number BETWEEN r.number << 26 AND (r.number << 26) + 67108863)
    & 67108863, 0) AS head
FROM runs r LEFT JOIN events e ON e.number = (
  SELECT max(l.number) FROM events l
  WHERE l.number BETWEEN r.number << 26 AND (r.number << 26) + 67108863);

CREATE VIEW event_names AS
SELECT number, session_id, seq, CASE typeof(id) WHEN 'blob' THEN
    'evt_' || lower(hex(substr(id, 1, 4)) || '-' || hex(substr(id, 5, 2)) ||
    '-' || hex(substr(id, 7, 2)) || '-' || hex(substr(id, 9, 2)) || '-' ||
    hex(substr(id, 11))) ELSE id END AS id
FROM (SELECT number, id, session_id, seq FROM events
      UNION ALL SELECT number, id, session_id, seq FROM pruned_events);

CREATE VIEW readable_runs AS
SELECT id, kind, title, state, head,
  strftime('%Y-%m-%dT%H:%M:%fZ', created / 1e6, 'unixepoch') AS created,
  strftime('%Y-%m-%dT%H:%M:%fZ', updated / 1e6, 'unixepoch') AS updated
FROM current_runs;

CREATE VIEW readable_edges AS
SELECT e.id, r.id AS session_id, p.id AS from_id, c.id AS to_id,
  CASE e.type WHEN 0 THEN 'causes' WHEN 1 THEN 'refines'
    WHEN 2 THEN 'contradicts' ELSE 'supports' END AS type
FROM edges e JOIN runs r ON r.number = e.session_id
  LEFT JOIN event_names p ON p.number = e.from_id
  LEFT JOIN event_names c ON c.number = e.to_id;

CREATE VIEW readable_events AS
SELECT n.id, r.id AS session_id, e.seq, a.idempotency_key, e.type,
  (SELECT json_group_array(p.id) FROM edges d
    JOIN event_names p ON p.number = d.from_id
    WHERE d.id >= e.first_edge AND d.id < e.first_edge + e.parent_count)
    AS parent_ids,
  e.vector_clock, e.role, e.content, e.constraints, e.score,
  CASE e.status WHEN 0 THEN 'open' WHEN 1 THEN 'done'
    WHEN 2 THEN 'rejected' ELSE 'early_stopped' END AS status,
  e.early_stop_reason,
  CASE typeof(e.failure_signature) WHEN 'blob'
    THEN lower(hex(e.failure_signature)) ELSE e.failure_signature END
    AS failure_signature,
  e.retry_count, e.token_cost, e.walltime_ms,
  strftime('%Y-%m-%dT%H:%M:%fZ', e.ts / 1e6, 'unixepoch') AS ts, e.version
FROM events e JOIN event_names n ON n.number = e.number
  JOIN runs r ON r.number = e.session_id
  LEFT JOIN answers a ON a.number = e.idempotency_key;

CREATE VIEW readable_checkpoints AS
SELECT c.id, r.id AS session_id, c.seq, n.id AS last_event_id,
  c.state_snapshot, strftime('%Y-%m-%dT%H:%M:%fZ', c.ts / 1e6, 'unixepoch')
  AS ts
FROM checkpoints c JOIN runs r ON r.number = c.session_id
  LEFT JOIN event_names n ON n.number = c.last_event_id;

PRAGMA user_version = 2;
)sql";

constexpr std::array<const char*, 2> kMigrations = {kVersion1, kVersion2};

}  // namespace

std::span<const char* const> journal_migrations() { return kMigrations; }

}  // namespace lamarck::store::internal
