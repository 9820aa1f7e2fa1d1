// What the server sends; see /api/v1/openapi.json.
import type { MathTree } from "./parts/formula";

export interface Run {
  id: string;
  kind: string;
  goal: string;
  options: Record<string, unknown>;
  seed: number | null;
  state: string;
  message: string;
  created: number;
  updated: number;
  started: number | null;
  ended: number | null;
  budget: { limit: number | null; spent: number | null; unit: string } | null;
  score: number | null;
  score_name: string;
  higher_is_better: boolean;
  folder: string;
  artifacts: Artifact[];
  exports: string[]; // Made when they are downloaded.
  can_stop: boolean;
  can_resume: boolean;
  can_predict: boolean;
  as_of: number;
  curve?: [number, number | null][];
  result?: Record<string, unknown> | null;
  inputs?: string[];
}

export interface Artifact { name: string; type: string; bytes: number }

export interface RunEvent { seq: number; at: number; type: string; [field: string]: unknown }

export type Values = (number | null)[];
export interface Curve {
  x: { generation: Values; evaluations: Values; seconds: Values; tokens?: Values };
  seq: number[]; score: Values; loss: Values; mean?: Values; species?: Values; as_of: number;
}

export interface NetworkNode {
  id: number | string; kind: string; label?: string; x: number; y: number; activation?: string; width?: number; bias?: number;
}
export interface NetworkEdge { from: number | string; to: number | string; weight?: number; count?: number; recurrent?: boolean }
export interface Network { nodes: NetworkNode[]; edges: NetworkEdge[]; edges_total?: number }

export interface Mutation {
  generation: number; island?: number; mutation: string; kept: boolean;
  loss_before: number | null; loss_after: number | null; score?: number | null;
}
export type MutationCounts = Record<string, { tried: number; kept: number }>;

export interface Law {
  id?: string | number; size: number; nmse: number | null; formula: string; python?: string; latex?: string; cpp?: string;
  mathml?: MathTree | null; chosen?: boolean; inputs?: string[];
}
export interface Ancestor { id?: string | number; engine?: string; move?: string; formula?: string; nmse?: number; size?: number; score?: number; mathml?: MathTree | null }

export interface RunState {
  seq: number; at: number; kind: string; state: string; generation: number | null; evaluations: number | null;
  seconds: number | null; score: number | null; score_name: string; loss: number | null;
  network?: Network | null; network_seq?: number; is_ensemble?: boolean; mutation?: string | null; kept?: boolean | null;
  loss_before?: number | null; loss_after?: number | null; mutations?: Mutation[]; counts?: MutationCounts;
  target?: string; front?: Law[]; islands?: Values; lineage?: Ancestor[]; front_seq?: number;
  source?: string;
}

export interface Candidate {
  at: number; id: number | null; engine: string | null; move: string | null; cycle: number | null; island: number | null;
  score: number | null; seconds: number | null; tokens: number; money_micros: number;
  failed: boolean; failure: string | null; improved: boolean; best: boolean; has_prompt: boolean; text: string;
}

export interface CandidateDetail extends Candidate {
  source?: string; scores?: Values; system?: string; prompt?: string; reply?: string;
  parents: { id: number; source?: string | null; score?: number | null }[];
}

export interface Upload {
  id: string; name: string; bytes?: number; rows: number;
  columns: { name: string; type: string; missing: number; distinct: number; samples: string[]; min?: number | null; max?: number | null }[];
  guess: { target: string; task: string; command: "net" | "fn"; time?: string | null };
}

export interface Thought { id: string; goal: string; state: string; events: number; created: string; updated: string }

export interface Branch {
  id: string; name: string; from: string; state: string; shown: string; score: number | null; tokens: number; steps: number;
  outcome: string; plan_type: string; plan: string;
}

export interface Session {
  id: string; goal: string; state: string; head: number; as_of: number;
  criteria: { text: string; state: string }[];
  tokens: { used: number; reserved: number; limit: number };
  time: { used_ms: number; limit_ms: number };
  branches: Branch[];
  winner: string;
  evidence: string[];
  alerts: { kind: string; message: string; event: string }[];
  metrics: Record<string, unknown> | null;
}

export interface ThoughtEvent {
  id: string; seq: number; type: string; role: string; content: string; status: string; branch: string;
  constraints: Record<string, unknown> | null; score: Record<string, number> | null;
  early_stop_reason: string; failure_signature: string; token_cost: number; walltime_ms: number; ts_ms: number;
  parents: { from: string; type: string }[];
}

export interface SkillStep { order: number; action: string; tool: string; arguments: Record<string, unknown> }

export interface Skill {
  id: string; agent_id: string; session_id: string; name: string; description: string;
  trigger_keywords: string[]; steps: SkillStep[]; tools_used: string[]; parameters: Record<string, unknown>;
  preconditions: Record<string, unknown>; expected_outcome: string; quality_score: number; reusability_score: number;
  status: string; version: number; is_shared: boolean; is_disabled: boolean; is_cleanup_candidate: boolean;
  is_promoted: boolean; use_count: number; success_count: number; success_rate: number | null;
  consecutive_failures: number; last_used_at: string | null; reviewed_by: string | null; reviewed_at: string | null;
  review_comment: string; created_at: string; updated_at: string;
  lift?: Record<string, unknown>;
}
