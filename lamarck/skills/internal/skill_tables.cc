// The tables, their checks and indexes.

#include "lamarck/skills/internal/skill_tables.h"

#include <fmt/format.h>

#include "lamarck/base/macros.h"

namespace lamarck::skills::internal {
namespace {

constexpr std::int64_t kTablesVersion = 1;

constexpr const char* kSkillTables = R"(
CREATE TABLE agents (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL,
  name TEXT NOT NULL,
  instructions TEXT NOT NULL DEFAULT '',
  allowed TEXT NOT NULL DEFAULT '[]',
  config TEXT NOT NULL DEFAULT '{}',
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  UNIQUE (org_id, name)
);

CREATE TABLE evolved_skills (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  name VARCHAR(200) NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  description TEXT NOT NULL,
  trigger_keywords TEXT NOT NULL DEFAULT '[]',
  steps TEXT NOT NULL,
  tools_used TEXT NOT NULL DEFAULT '[]',
  parameters TEXT NOT NULL DEFAULT '{}',
  preconditions TEXT NOT NULL DEFAULT '{}',
  expected_outcome TEXT,
  evals TEXT NOT NULL DEFAULT '[]',
  embedder_id TEXT NOT NULL DEFAULT '',
  embedding BLOB,
  quality_score DOUBLE PRECISION NOT NULL DEFAULT 0
    CHECK (quality_score BETWEEN 0 AND 1),
  reusability_score DOUBLE PRECISION NOT NULL DEFAULT 0
    CHECK (reusability_score BETWEEN 0 AND 1),
  status VARCHAR(20) NOT NULL DEFAULT 'pending_review' CHECK (status IN
    ('pending_review', 'approved', 'rejected', 'auto_approved', 'deprecated')),
  version INTEGER NOT NULL DEFAULT 1,
  is_shared INTEGER NOT NULL DEFAULT 0,
  is_disabled INTEGER NOT NULL DEFAULT 0,
  is_cleanup_candidate INTEGER NOT NULL DEFAULT 0,
  is_promoted INTEGER NOT NULL DEFAULT 0,
  use_count INTEGER NOT NULL DEFAULT 0,
  success_count INTEGER NOT NULL DEFAULT 0,
  consecutive_failures INTEGER NOT NULL DEFAULT 0,
  decay_base_uses INTEGER NOT NULL DEFAULT 0,
  decay_base_successes INTEGER NOT NULL DEFAULT 0,
  last_used_at BIGINT,
  reviewed_by TEXT,
  reviewed_at BIGINT,
  review_comment TEXT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX idx_evolved_skills_org
  ON evolved_skills (org_id, created_at DESC, id DESC);
CREATE INDEX idx_evolved_skills_agent
  ON evolved_skills (agent_id, created_at DESC, id DESC);
CREATE INDEX idx_evolved_skills_status
  ON evolved_skills (org_id, status, created_at DESC, id DESC);
CREATE INDEX idx_evolved_skills_quality ON evolved_skills (quality_score DESC);
CREATE INDEX idx_evolved_skills_use_count ON evolved_skills (use_count DESC);

CREATE TABLE skill_versions (
  skill_id TEXT NOT NULL REFERENCES evolved_skills (id),
  version INTEGER NOT NULL,
  definition TEXT NOT NULL,
  embedder_id TEXT NOT NULL DEFAULT '',
  embedding BLOB,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (skill_id, version)
);

CREATE TABLE skills (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL,
  evolved_skill_id TEXT REFERENCES evolved_skills (id),
  name VARCHAR(200) NOT NULL,
  description TEXT NOT NULL,
  definition TEXT NOT NULL,
  source_type VARCHAR(20) NOT NULL DEFAULT 'manual'
    CHECK (source_type IN ('manual', 'evolved')),
  created_by TEXT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX idx_skills_org ON skills (org_id);
CREATE UNIQUE INDEX idx_skills_evolved ON skills (evolved_skill_id);

CREATE TABLE evolution_logs (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  stage VARCHAR(20) NOT NULL
    CHECK (stage IN ('extract', 'validate', 'register', 'index')),
  status VARCHAR(20) NOT NULL
    CHECK (status IN ('started', 'completed', 'failed', 'skipped')),
  evolved_skill_id TEXT,
  input_data TEXT,
  output_data TEXT,
  error_message TEXT,
  duration_ms INTEGER,
  tokens_used INTEGER NOT NULL DEFAULT 0,
  created_at BIGINT NOT NULL
);
CREATE INDEX idx_evolution_logs_org ON evolution_logs (org_id, created_at);
CREATE INDEX idx_evolution_logs_agent ON evolution_logs (agent_id);
CREATE INDEX idx_evolution_logs_session ON evolution_logs (session_id);
CREATE INDEX idx_evolution_logs_stage ON evolution_logs (stage);

CREATE TABLE index_revisions (
  org_id TEXT PRIMARY KEY,
  revision BIGINT NOT NULL
);
)";

constexpr const char* kWorkTables = R"(
CREATE TABLE jobs (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  kind VARCHAR(20) NOT NULL,
  payload TEXT NOT NULL,
  state VARCHAR(20) NOT NULL
    CHECK (state IN ('queued', 'running', 'done', 'failed', 'skipped')),
  message TEXT,
  skill_id TEXT,
  attempts INTEGER NOT NULL DEFAULT 0,
  worker TEXT,
  lease_until BIGINT NOT NULL DEFAULT 0,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX idx_jobs_state ON jobs (state, created_at, id);
CREATE INDEX idx_jobs_agent ON jobs (org_id, agent_id, kind, created_at);
CREATE INDEX idx_jobs_org ON jobs (org_id, created_at);

CREATE TABLE skill_uses (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL,
  skill_id TEXT NOT NULL REFERENCES evolved_skills (id),
  skill_version INTEGER NOT NULL,
  agent_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  kind VARCHAR(20) NOT NULL CHECK (kind IN ('offered', 'used')),
  outcome VARCHAR(20) CHECK (outcome IN ('success', 'failure')),
  steps INTEGER NOT NULL DEFAULT 0,
  tokens INTEGER NOT NULL DEFAULT 0,
  message TEXT,
  created_at BIGINT NOT NULL
);
CREATE INDEX idx_skill_uses_skill ON skill_uses (skill_id, created_at);

CREATE TABLE skill_pitfalls (
  skill_id TEXT NOT NULL REFERENCES evolved_skills (id),
  text TEXT NOT NULL,
  count INTEGER NOT NULL,
  last_seen_at BIGINT NOT NULL,
  PRIMARY KEY (skill_id, text)
);

CREATE TABLE tasks (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  family TEXT NOT NULL,
  used_skill INTEGER NOT NULL,
  success INTEGER NOT NULL,
  steps INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  model_calls INTEGER NOT NULL,
  created_at BIGINT NOT NULL
);
CREATE INDEX idx_tasks_family ON tasks (org_id, family, created_at);

CREATE TABLE webhooks (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL,
  url TEXT NOT NULL,
  secret TEXT NOT NULL,
  events TEXT NOT NULL DEFAULT '[]',
  is_active INTEGER NOT NULL DEFAULT 1,
  created_at BIGINT NOT NULL
);
CREATE INDEX idx_webhooks_org ON webhooks (org_id);

CREATE TABLE outbox (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL,
  type TEXT NOT NULL,
  payload TEXT NOT NULL,
  created_at BIGINT NOT NULL
);
CREATE INDEX idx_outbox_org ON outbox (org_id, created_at);

CREATE TABLE deliveries (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL,
  webhook_id TEXT NOT NULL,
  event_id TEXT NOT NULL REFERENCES outbox (id),
  state VARCHAR(20) NOT NULL DEFAULT 'pending'
    CHECK (state IN ('pending', 'delivered', 'dead')),
  attempts INTEGER NOT NULL DEFAULT 0,
  due_at BIGINT NOT NULL,
  message TEXT,
  created_at BIGINT NOT NULL
);
CREATE INDEX idx_deliveries_due ON deliveries (state, due_at);
CREATE INDEX idx_deliveries_org ON deliveries (org_id, created_at);

CREATE TABLE tokens (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL,
  role VARCHAR(20) NOT NULL CHECK (role IN ('member', 'reviewer', 'admin')),
  label TEXT NOT NULL DEFAULT '',
  token_hash TEXT NOT NULL UNIQUE,
  created_at BIGINT NOT NULL
);
CREATE INDEX idx_tokens_org ON tokens (org_id);
)";

// FTS5 is SQLite's; PostgreSQL has tsvector.
constexpr const char* kTextIndex = R"(
CREATE VIRTUAL TABLE skill_text USING fts5 (
  skill_id UNINDEXED, name, description, keywords,
  tokenize = 'porter unicode61'
);
)";

Result<void> create_tables(store::SqliteConnection& connection) {
  ASSIGN_OR_RETURN(const std::int64_t version,
                   connection.number("PRAGMA user_version"));
  if (version == kTablesVersion) return {};
  if (version != 0) {
    return Error(ErrorCode::Unsupported,
                 fmt::format("The skill store {} has format {}, but this "
                             "program can read only format {}; use a newer "
                             "one.",
                             connection.path(), version, kTablesVersion));
  }
  RETURN_IF_ERROR(connection.execute(kSkillTables));
  RETURN_IF_ERROR(connection.execute(kWorkTables));
  RETURN_IF_ERROR(connection.execute(kTextIndex));
  return connection.execute("PRAGMA user_version = 1");
}

}  // namespace

Result<void> create_skill_tables(store::SqliteConnection& connection) {
  RETURN_IF_ERROR(connection.execute("BEGIN IMMEDIATE"));
  if (Result<void> created = create_tables(connection); !created) {
    (void)connection.execute("ROLLBACK");
    return created;
  }
  return connection.execute("COMMIT");
}

}  // namespace lamarck::skills::internal
