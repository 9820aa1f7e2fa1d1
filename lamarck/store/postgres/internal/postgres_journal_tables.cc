#include "lamarck/store/postgres/internal/postgres_journal_tables.h"

#include <array>

namespace lamarck::store::internal {
namespace {

// The head of a run is the greatest seq of its events, so there is no row that
// every append would have to change. A pruned event keeps its row, without its
// content, so that its id is never reused. Foreign keys would lock the row of
// the run with each event; `verify` checks the references.
constexpr const char* kJournalVersion1 = R"sql(
CREATE TABLE lamarck.runs (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text NOT NULL UNIQUE,
  kind text NOT NULL,
  title text NOT NULL,
  state text NOT NULL,
  created timestamptz NOT NULL,
  updated timestamptz NOT NULL
);
CREATE INDEX runs_by_kind ON lamarck.runs (kind, number);

CREATE TABLE lamarck.events (
  run bigint NOT NULL,
  seq bigint NOT NULL CHECK (seq > 0),
  id text NOT NULL,
  idempotency_key text,
  type text NOT NULL,
  parent_ids text[] NOT NULL DEFAULT '{}',
  edge_types text[] NOT NULL DEFAULT '{}',
  vector_clock text,
  role text NOT NULL,
  content text NOT NULL,
  constraints text,
  score text,
  status text NOT NULL,
  early_stop_reason text,
  failure_signature text,
  retry_count bigint NOT NULL DEFAULT 0,
  token_cost bigint NOT NULL DEFAULT 0,
  walltime_ms bigint NOT NULL DEFAULT 0,
  ts timestamptz NOT NULL,
  version bigint NOT NULL DEFAULT 1,
  is_pruned boolean NOT NULL DEFAULT false,
  xact xid8 NOT NULL DEFAULT pg_current_xact_id(),
  PRIMARY KEY (run, seq),
  CONSTRAINT events_id UNIQUE (id)
);
CREATE INDEX events_by_xact ON lamarck.events (xact);

CREATE TABLE lamarck.answers (
  idempotency_key text COLLATE "C" PRIMARY KEY,
  digest text NOT NULL,
  answer text NOT NULL
);

CREATE TABLE lamarck.checkpoints (
  run bigint PRIMARY KEY,
  seq bigint NOT NULL,
  last_event_id text NOT NULL,
  state_snapshot text NOT NULL,
  ts timestamptz NOT NULL
);

CREATE VIEW lamarck.current_runs AS
SELECT r.number, r.id, r.kind, r.title, r.state, r.created,
  greatest(r.updated, last.ts) AS updated, coalesce(last.seq, 0) AS head
FROM lamarck.runs r LEFT JOIN LATERAL (
  SELECT e.seq, e.ts FROM lamarck.events e WHERE e.run = r.number
  ORDER BY e.seq DESC LIMIT 1) last ON true;

CREATE VIEW lamarck.edges AS
SELECT r.id AS run, p.id AS from_id, e.id AS to_id, p.type
FROM lamarck.events e JOIN lamarck.runs r ON r.number = e.run,
  unnest(e.parent_ids, e.edge_types) AS p (id, type);
)sql";

constexpr std::array<const char*, 1> kJournalMigrations = {kJournalVersion1};

}  // namespace

const PostgresTables kPostgresJournalTables = {
    .name = "journal", .migrations = kJournalMigrations};

}  // namespace lamarck::store::internal
