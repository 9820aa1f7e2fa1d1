// The tables of the skill store in PostgreSQL.

#include <array>

#include "lamarck/skills/internal/skill_tables.h"

namespace lamarck::skills::internal {
namespace {

// Sessions and organizations have names of their own, which are not UUIDs. The
// embedding is a vector if the server has pgvector, so that other programs can
// search it too; this program searches exactly either way.
constexpr const char* kPostgresSkillVersion1 = R"sql(
CREATE TABLE lamarck.skill_changes (number bigint NOT NULL);
INSERT INTO lamarck.skill_changes VALUES (1);

CREATE TABLE lamarck.agents (
  id uuid PRIMARY KEY,
  org_id text NOT NULL,
  name text NOT NULL,
  instructions text NOT NULL DEFAULT '',
  allowed text[] NOT NULL DEFAULT '{}',
  config jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  UNIQUE (org_id, name)
);

CREATE TABLE lamarck.evolved_skills (
  id uuid PRIMARY KEY,
  org_id text NOT NULL,
  agent_id uuid NOT NULL,
  session_id text NOT NULL,
  name varchar(200) NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  description text NOT NULL,
  trigger_keywords text[] NOT NULL DEFAULT '{}',
  steps jsonb NOT NULL,
  tools_used text[] NOT NULL DEFAULT '{}',
  parameters jsonb NOT NULL DEFAULT '{}',
  preconditions jsonb NOT NULL DEFAULT '{}',
  expected_outcome text,
  evals jsonb NOT NULL DEFAULT '[]',
  embedder_id text NOT NULL DEFAULT '',
  embedding real[],
  quality_score double precision NOT NULL DEFAULT 0
    CHECK (quality_score BETWEEN 0 AND 1),
  reusability_score double precision NOT NULL DEFAULT 0
    CHECK (reusability_score BETWEEN 0 AND 1),
  status varchar(20) NOT NULL DEFAULT 'pending_review' CHECK (status IN
    ('pending_review', 'approved', 'rejected', 'auto_approved', 'deprecated')),
  version bigint NOT NULL DEFAULT 1,
  is_shared boolean NOT NULL DEFAULT false,
  is_disabled boolean NOT NULL DEFAULT false,
  is_cleanup_candidate boolean NOT NULL DEFAULT false,
  is_promoted boolean NOT NULL DEFAULT false,
  use_count bigint NOT NULL DEFAULT 0,
  success_count bigint NOT NULL DEFAULT 0,
  consecutive_failures bigint NOT NULL DEFAULT 0,
  decay_base_uses bigint NOT NULL DEFAULT 0,
  decay_base_successes bigint NOT NULL DEFAULT 0,
  last_used_at timestamptz,
  reviewed_by text,
  reviewed_at timestamptz,
  review_comment text,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
CREATE INDEX idx_evolved_skills_org
  ON lamarck.evolved_skills (org_id, created_at DESC, id DESC);
CREATE INDEX idx_evolved_skills_agent
  ON lamarck.evolved_skills (agent_id, created_at DESC, id DESC);
CREATE INDEX idx_evolved_skills_status
  ON lamarck.evolved_skills (org_id, status, created_at DESC, id DESC);
CREATE INDEX idx_evolved_skills_quality
  ON lamarck.evolved_skills (quality_score DESC);
CREATE INDEX idx_evolved_skills_use_count
  ON lamarck.evolved_skills (use_count DESC);

CREATE TABLE lamarck.skill_versions (
  skill_id uuid NOT NULL REFERENCES lamarck.evolved_skills (id),
  version bigint NOT NULL,
  definition jsonb NOT NULL,
  embedder_id text NOT NULL DEFAULT '',
  embedding real[],
  created_at timestamptz NOT NULL,
  PRIMARY KEY (skill_id, version)
);

CREATE TABLE lamarck.skills (
  id uuid PRIMARY KEY,
  org_id text NOT NULL,
  evolved_skill_id uuid UNIQUE REFERENCES lamarck.evolved_skills (id),
  name varchar(200) NOT NULL,
  description text NOT NULL,
  definition jsonb NOT NULL,
  source_type varchar(20) NOT NULL DEFAULT 'manual'
    CHECK (source_type IN ('manual', 'evolved')),
  created_by text,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
CREATE INDEX idx_skills_org ON lamarck.skills (org_id);

CREATE TABLE lamarck.evolution_logs (
  id uuid PRIMARY KEY,
  org_id text NOT NULL,
  agent_id uuid,
  session_id text NOT NULL,
  stage varchar(20) NOT NULL
    CHECK (stage IN ('extract', 'validate', 'register', 'index')),
  status varchar(20) NOT NULL
    CHECK (status IN ('started', 'completed', 'failed', 'skipped')),
  evolved_skill_id uuid,
  input_data jsonb,
  output_data jsonb,
  error_message text,
  duration_ms bigint,
  tokens_used bigint NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL
);
CREATE INDEX idx_evolution_logs_org
  ON lamarck.evolution_logs (org_id, created_at);
CREATE INDEX idx_evolution_logs_agent ON lamarck.evolution_logs (agent_id);
CREATE INDEX idx_evolution_logs_session ON lamarck.evolution_logs (session_id);
CREATE INDEX idx_evolution_logs_stage ON lamarck.evolution_logs (stage);

CREATE TABLE lamarck.index_revisions (
  org_id text PRIMARY KEY,
  revision bigint NOT NULL
);

CREATE TABLE lamarck.skill_text (
  skill_id uuid PRIMARY KEY REFERENCES lamarck.evolved_skills (id),
  document tsvector NOT NULL
);
CREATE INDEX idx_skill_text_document ON lamarck.skill_text USING gin (document);

CREATE TABLE lamarck.jobs (
  id uuid PRIMARY KEY,
  org_id text NOT NULL,
  agent_id text NOT NULL,
  kind varchar(20) NOT NULL,
  payload jsonb NOT NULL,
  state varchar(20) NOT NULL
    CHECK (state IN ('queued', 'running', 'done', 'failed', 'skipped')),
  message text,
  skill_id text,
  attempts bigint NOT NULL DEFAULT 0,
  worker text,
  lease_until timestamptz NOT NULL DEFAULT 'epoch',
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
CREATE INDEX idx_jobs_state ON lamarck.jobs (state, created_at, id);
CREATE INDEX idx_jobs_agent
  ON lamarck.jobs (org_id, agent_id, kind, created_at);
CREATE INDEX idx_jobs_org ON lamarck.jobs (org_id, created_at);

CREATE TABLE lamarck.skill_uses (
  id uuid PRIMARY KEY,
  org_id text NOT NULL,
  skill_id uuid NOT NULL REFERENCES lamarck.evolved_skills (id),
  skill_version bigint NOT NULL,
  agent_id text NOT NULL,
  session_id text NOT NULL,
  kind varchar(20) NOT NULL CHECK (kind IN ('offered', 'used')),
  outcome varchar(20) CHECK (outcome IN ('success', 'failure')),
  steps bigint NOT NULL DEFAULT 0,
  tokens bigint NOT NULL DEFAULT 0,
  message text,
  created_at timestamptz NOT NULL
);
CREATE INDEX idx_skill_uses_skill ON lamarck.skill_uses (skill_id, created_at);

CREATE TABLE lamarck.skill_pitfalls (
  skill_id uuid NOT NULL REFERENCES lamarck.evolved_skills (id),
  text text NOT NULL,
  count bigint NOT NULL,
  last_seen_at timestamptz NOT NULL,
  PRIMARY KEY (skill_id, text)
);

CREATE TABLE lamarck.tasks (
  id text PRIMARY KEY,
  org_id text NOT NULL,
  agent_id text NOT NULL,
  session_id text NOT NULL,
  family text NOT NULL,
  used_skill boolean NOT NULL,
  success boolean NOT NULL,
  steps bigint NOT NULL,
  tokens bigint NOT NULL,
  model_calls bigint NOT NULL,
  created_at timestamptz NOT NULL
);
CREATE INDEX idx_tasks_family ON lamarck.tasks (org_id, family, created_at);

CREATE TABLE lamarck.webhooks (
  id uuid PRIMARY KEY,
  org_id text NOT NULL,
  url text NOT NULL,
  secret text NOT NULL,
  events text[] NOT NULL DEFAULT '{}',
  is_active boolean NOT NULL DEFAULT true,
  created_at timestamptz NOT NULL
);
CREATE INDEX idx_webhooks_org ON lamarck.webhooks (org_id);

CREATE TABLE lamarck.outbox (
  id uuid PRIMARY KEY,
  org_id text NOT NULL,
  type text NOT NULL,
  payload jsonb NOT NULL,
  created_at timestamptz NOT NULL
);
CREATE INDEX idx_outbox_org ON lamarck.outbox (org_id, created_at);

CREATE TABLE lamarck.deliveries (
  id uuid PRIMARY KEY,
  org_id text NOT NULL,
  webhook_id uuid NOT NULL,
  event_id uuid NOT NULL REFERENCES lamarck.outbox (id),
  state varchar(20) NOT NULL DEFAULT 'pending'
    CHECK (state IN ('pending', 'delivered', 'dead')),
  attempts bigint NOT NULL DEFAULT 0,
  due_at timestamptz NOT NULL,
  message text,
  created_at timestamptz NOT NULL
);
CREATE INDEX idx_deliveries_due ON lamarck.deliveries (state, due_at);
CREATE INDEX idx_deliveries_org ON lamarck.deliveries (org_id, created_at);

CREATE TABLE lamarck.tokens (
  id uuid PRIMARY KEY,
  org_id text NOT NULL,
  role varchar(20) NOT NULL CHECK (role IN ('member', 'reviewer', 'admin')),
  label text NOT NULL DEFAULT '',
  token_hash text NOT NULL UNIQUE,
  created_at timestamptz NOT NULL
);
CREATE INDEX idx_tokens_org ON lamarck.tokens (org_id);

DO $$
BEGIN
  IF to_regtype('vector') IS NOT NULL THEN
    ALTER TABLE lamarck.evolved_skills
      ALTER COLUMN embedding TYPE vector USING embedding::vector;
    ALTER TABLE lamarck.skill_versions
      ALTER COLUMN embedding TYPE vector USING embedding::vector;
  END IF;
END $$;
)sql";

// An organization sees only its rows, whatever a statement asks for. Work for
// no organization, such as that of background workers, sees all. Superusers are
// not restricted.
constexpr const char* kPostgresSkillVersion2 = R"sql(
CREATE FUNCTION lamarck.is_visible(org text) RETURNS boolean
LANGUAGE sql STABLE AS $$
  SELECT coalesce(nullif(current_setting('lmk.organization', true), ''), org)
    = org
$$;

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['agents', 'evolved_skills', 'skills',
    'evolution_logs', 'index_revisions', 'jobs', 'skill_uses', 'tasks',
    'webhooks', 'outbox', 'deliveries', 'tokens']
  LOOP
    EXECUTE format('ALTER TABLE lamarck.%I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE lamarck.%I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenant ON lamarck.%I '
      'USING (lamarck.is_visible(org_id))', name);
  END LOOP;
  FOREACH name IN ARRAY ARRAY['skill_versions', 'skill_pitfalls', 'skill_text']
  LOOP
    EXECUTE format('ALTER TABLE lamarck.%I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE lamarck.%I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY tenant ON lamarck.%I USING (EXISTS ('
      'SELECT 1 FROM lamarck.evolved_skills s WHERE s.id = skill_id))', name);
  END LOOP;
END $$;
)sql";

constexpr std::array<const char*, 2> kPostgresSkillMigrations = {
    kPostgresSkillVersion1, kPostgresSkillVersion2};

}  // namespace

const store::PostgresTables kPostgresSkillTables = {
    .name = "skills", .migrations = kPostgresSkillMigrations};

}  // namespace lamarck::skills::internal
