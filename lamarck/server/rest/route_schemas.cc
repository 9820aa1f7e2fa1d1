// The shapes of what the HTTP interface returns.

#include <array>

#include "lamarck/server/rest/route_table.h"

namespace lamarck::server {
namespace {

constexpr std::array kSchemas = {
    NamedSchema{"Failure", R"({
      "type": "object", "required": ["success", "error"],
      "properties": {
        "success": {"const": false},
        "error": {
          "type": "object", "required": ["code", "message", "fields"],
          "properties": {
            "code": {"type": "string", "description":
              "Such as invalid_argument or not_found."},
            "message": {"type": "string"},
            "fields": {"type": "object", "additionalProperties":
              {"type": "string"}}}}}})"},
    NamedSchema{"Run", R"({
      "type": "object",
      "required": ["id", "kind", "goal", "options", "seed", "state", "message",
        "created", "updated", "started", "ended", "budget", "score",
        "score_name", "higher_is_better", "folder", "artifacts", "exports", "can_stop",
        "can_resume", "can_predict", "as_of"],
      "properties": {
        "id": {"type": "string"},
        "kind": {"enum": ["net", "neat", "fn", "program", "thought", "agent"]},
        "goal": {"type": "string"}, "options": {"type": "object"},
        "seed": {"type": ["integer", "null"]},
        "state": {"enum": ["queued", "running", "waiting", "stopping", "done",
          "failed", "interrupted", "dead"]},
        "message": {"type": "string"},
        "created": {"type": "integer", "description":
          "Milliseconds since 1970, like the other times."},
        "updated": {"type": "integer"},
        "started": {"type": ["integer", "null"]},
        "ended": {"type": ["integer", "null"]},
        "budget": {"type": "object", "required": ["limit", "spent", "unit"],
          "properties": {"limit": {"type": ["number", "null"]},
            "spent": {"type": "number"}, "unit": {"type": "string"}}},
        "score": {"type": ["number", "null"]},
        "score_name": {"type": "string"},
        "higher_is_better": {"type": "boolean"},
        "folder": {"type": "string"},
        "artifacts": {"type": "array", "items": {"type": "object",
          "required": ["name", "type", "bytes"]}},
        "exports": {"type": "array", "items": {"type": "string"},
          "description":
            "Names of further files that are made when they are downloaded."},
        "can_stop": {"type": "boolean"}, "can_resume": {"type": "boolean"},
        "can_predict": {"type": "boolean"},
        "as_of": {"type": "integer", "description": "Its newest event."},
        "host": {"type": "string"}, "pid": {"type": "integer"},
        "curve": {"type": "array"}, "result": {}}})"},
    NamedSchema{"SkillStep", R"({
      "type": "object", "required": ["order", "action", "tool", "arguments"],
      "properties": {
        "order": {"type": "integer"}, "action": {"type": "string"},
        "tool": {"type": "string"}, "arguments": {"type": "object"}}})"},
    NamedSchema{"Skill", R"({
      "type": "object",
      "required": ["id", "org_id", "agent_id", "session_id", "name",
        "description", "trigger_keywords", "steps", "tools_used", "parameters",
        "preconditions", "expected_outcome", "quality_score",
        "reusability_score", "status", "version", "use_count", "success_count",
        "created_at", "updated_at"],
      "properties": {
        "id": {"type": "string"}, "org_id": {"type": "string"},
        "agent_id": {"type": "string"}, "session_id": {"type": "string"},
        "name": {"type": "string"}, "description": {"type": "string"},
        "trigger_keywords": {"type": "array", "items": {"type": "string"}},
        "steps": {"type": "array",
          "items": {"$ref": "#/components/schemas/SkillStep"}},
        "tools_used": {"type": "array", "items": {"type": "string"}},
        "parameters": {"type": "object"}, "preconditions": {"type": "object"},
        "expected_outcome": {"type": "string"},
        "quality_score": {"type": "number", "minimum": 0, "maximum": 1},
        "reusability_score": {"type": "number", "minimum": 0, "maximum": 1},
        "status": {"$ref": "#/components/schemas/SkillStatus"},
        "version": {"type": "integer", "minimum": 1},
        "is_shared": {"type": "boolean"}, "is_disabled": {"type": "boolean"},
        "is_cleanup_candidate": {"type": "boolean"},
        "is_promoted": {"type": "boolean"},
        "use_count": {"type": "integer"}, "success_count": {"type": "integer"},
        "success_rate": {"type": ["number", "null"]},
        "consecutive_failures": {"type": "integer"},
        "last_used_at": {"type": ["string", "null"]},
        "reviewed_by": {"type": ["string", "null"]},
        "reviewed_at": {"type": ["string", "null"]},
        "review_comment": {"type": "string"},
        "created_at": {"type": "string"}, "updated_at": {"type": "string"},
        "lift": {"$ref": "#/components/schemas/SkillLift"}}})"},
    NamedSchema{"SkillStatus", R"({"type": "string", "enum": ["pending_review",
      "approved", "rejected", "auto_approved", "deprecated"]})"},
    NamedSchema{"SkillLift", R"({
      "type": "object", "description":
        "Tasks with the skill against those without.",
      "additionalProperties": true})"},
    NamedSchema{"SkillPage", R"({
      "type": "object", "required": ["items", "next_cursor"],
      "properties": {
        "items": {"type": "array",
          "items": {"$ref": "#/components/schemas/Skill"}},
        "next_cursor": {"type": ["string", "null"]}}})"},
    NamedSchema{"SkillMatches", R"({
      "type": "object", "required": ["items", "reason"],
      "properties": {
        "items": {"type": "array", "items": {"type": "object",
          "required": ["skill", "score", "similarity", "success_bound",
            "suggested_arguments"],
          "properties": {
            "skill": {"$ref": "#/components/schemas/Skill"},
            "score": {"type": "number"}, "similarity": {"type": "number"},
            "success_bound": {"type": "number"},
            "suggested_arguments": {"type": "object"}}}},
        "reason": {"type": ["string", "null"],
          "description": "Why none fits."}}})"},
    NamedSchema{"ThoughtPage", R"({
      "type": "object", "required": ["items", "next_cursor"],
      "properties": {
        "items": {"type": "array", "items": {"type": "object",
          "required": ["id", "goal", "state", "events", "created", "updated"],
          "properties": {
            "id": {"type": "string"}, "goal": {"type": "string"},
            "state": {"type": "string"}, "events": {"type": "integer"},
            "created": {"type": "integer", "description": "Milliseconds."},
            "updated": {"type": "integer"}}}},
        "next_cursor": {"type": ["string", "null"]}}})"},
    NamedSchema{"ThoughtSession", R"({
      "type": "object",
      "required": ["id", "goal", "state", "criteria", "tokens", "time",
        "branches", "winner", "evidence", "alerts", "at", "as_of"],
      "properties": {
        "id": {"type": "string"}, "goal": {"type": "string"},
        "state": {"type": "string"},
        "criteria": {"type": "array", "items": {"type": "object",
          "required": ["text", "state"], "properties": {
            "text": {"type": "string"},
            "state": {"enum": ["open", "met", "failed"]}}}},
        "tokens": {"type": "object", "required": ["used", "reserved", "limit"],
          "additionalProperties": {"type": "integer"}},
        "time": {"type": "object", "required": ["used_ms", "limit_ms"],
          "additionalProperties": {"type": "integer"}},
        "branches": {"type": "array", "items": {"type": "object",
          "required": ["id", "name", "from", "state", "score", "tokens",
            "steps", "outcome", "plan_type", "plan", "created"]}},
        "winner": {"type": "string", "description": "A branch, or empty."},
        "evidence": {"type": "array", "items": {"type": "string"},
          "description": "Events that led to the result, in order."},
        "alerts": {"type": "array", "items": {"type": "object"}},
        "at": {"type": "integer", "description": "The last event applied."},
        "as_of": {"type": "integer", "description": "The newest event."},
        "metrics": {"type": ["object", "null"]}}})"},
    NamedSchema{"ThoughtEvents", R"({
      "type": "object", "required": ["events", "next", "as_of"],
      "properties": {
        "events": {"type": "array", "items": {"type": "object",
          "required": ["id", "seq", "type", "branch", "content", "parents"],
          "properties": {
            "id": {"type": "string"}, "seq": {"type": "integer"},
            "type": {"type": "string"}, "branch": {"type": "string"},
            "content": {"type": "string"},
            "parents": {"type": "array", "items": {"type": "object",
              "required": ["from", "type"]}}}}},
        "next": {"type": "integer"}, "as_of": {"type": "integer"}}})"},
    NamedSchema{"AgentTaskRequest", R"({
      "type": "object", "additionalProperties": false, "required": ["task"],
      "properties": {
        "task": {"type": "string", "minLength": 1, "maxLength": 20000,
          "description": "What the agent should do."},
        "agent": {"type": "string", "maxLength": 200, "description":
          "Its name; default: default, or the agent of the conversation."},
        "plan": {"type": ["object", "array", "null"], "description":
          "The steps to follow instead of asking a model, as in a plan file."},
        "files": {"type": "array", "maxItems": 20, "description":
          "Ids of uploads, which are copied for the agent.",
          "items": {"type": "string", "maxLength": 100}},
        "steps": {"type": "integer", "minimum": 1, "maximum": 10000,
          "default": 100, "description": "Maximum number of tool calls."},
        "tokens": {"type": "integer", "minimum": 1, "description":
          "Maximum number of tokens of the model."},
        "seconds": {"type": "integer", "minimum": 1, "maximum": 604800,
          "description": "Maximum working time."}}})"},
    NamedSchema{"AgentTask", R"({
      "type": "object",
      "required": ["id", "task", "agent", "state", "groups", "calls", "answer",
        "at", "as_of"],
      "properties": {
        "id": {"type": "string"}, "task": {"type": "string"},
        "agent": {"type": "string"}, "state": {"type": "string"},
        "groups": {"type": "array", "description":
          "What was planned: skills, given plans and calls of the model.",
          "items": {"type": "object", "required": ["skill_id", "steps"]}},
        "calls": {"type": "array", "items": {"type": "object",
          "required": ["tool", "arguments", "is_finished", "succeeded"]}},
        "question": {"type": ["object", "null"], "description":
          "The call that waits for a permission: {tool, arguments, needs}."},
        "answers": {"type": "array", "items": {"type": "object",
          "required": ["question", "answer", "comment"]}},
        "history": {"type": "array", "description":
          "Earlier messages of the conversation: {role, content}."},
        "previous": {"type": "string"}, "next": {"type": "string"},
        "answer": {"type": "string"}, "at": {"type": "integer"},
        "as_of": {"type": "integer"}}})"},
    NamedSchema{"Evolution", R"({
      "type": "object", "additionalProperties": false,
      "properties": {
        "enabled": {"type": "boolean"},
        "auto_approve": {"type": "boolean"},
        "min_quality_score": {"type": "number", "minimum": 0, "maximum": 1},
        "max_evolve_per_hour": {"type": "integer", "minimum": 1,
          "maximum": 1000},
        "cooldown_minutes": {"type": "integer", "minimum": 0,
          "maximum": 1440}}})"},
    NamedSchema{"Agent", R"({
      "type": "object", "required": ["id", "org_id", "name", "config"],
      "properties": {
        "id": {"type": "string"}, "org_id": {"type": "string"},
        "name": {"type": "string"}, "instructions": {"type": "string"},
        "allowed": {"type": "array", "items": {"type": "string"}},
        "config": {"type": "object", "required": ["evolution"],
          "properties": {"evolution":
            {"$ref": "#/components/schemas/Evolution"}}},
        "created_at": {"type": "string"},
        "updated_at": {"type": "string"}}})"},
    NamedSchema{"EvolutionStats", R"({
      "type": "object",
      "required": ["total_evolved", "approved_count", "rejected_count",
        "pending_count", "approval_rate", "total_reuse_count",
        "avg_quality_score", "top_skills"],
      "properties": {
        "total_evolved": {"type": "integer"},
        "approved_count": {"type": "integer"},
        "rejected_count": {"type": "integer"},
        "pending_count": {"type": "integer"},
        "approval_rate": {"type": "number"},
        "total_reuse_count": {"type": "integer"},
        "avg_quality_score": {"type": "number"},
        "top_skills": {"type": "array", "items": {"type": "object",
          "required": ["id", "name", "use_count", "success_rate"],
          "properties": {
            "id": {"type": "string"}, "name": {"type": "string"},
            "use_count": {"type": "integer"},
            "success_rate": {"type": ["number", "null"]}}}}}})"},
    NamedSchema{"Job", R"({
      "type": "object", "required": ["id", "agent_id", "kind", "state"],
      "properties": {
        "id": {"type": "string"}, "agent_id": {"type": "string"},
        "kind": {"type": "string"},
        "state": {"enum": ["queued", "running", "done", "failed", "skipped"]},
        "message": {"type": "string"},
        "skill_id": {"type": ["string", "null"]},
        "attempts": {"type": "integer"}, "created_at": {"type": "string"},
        "updated_at": {"type": "string"}}})"},
    NamedSchema{"EvolutionLog", R"({
      "type": "object", "required": ["id", "agent_id", "stage", "status"],
      "properties": {
        "id": {"type": "string"}, "agent_id": {"type": "string"},
        "session_id": {"type": "string"},
        "stage": {"enum": ["extract", "validate", "register", "index"]},
        "status": {"enum": ["started", "completed", "failed", "skipped"]},
        "evolved_skill_id": {"type": ["string", "null"]},
        "error_message": {"type": ["string", "null"]},
        "duration_ms": {"type": "integer"}, "tokens_used": {"type": "integer"},
        "created_at": {"type": "string"}}})"},
    NamedSchema{"SkillUse", R"({
      "type": "object", "required": ["id", "skill_id", "skill_version"],
      "properties": {
        "id": {"type": "string"}, "skill_id": {"type": "string"},
        "skill_version": {"type": "integer"}, "agent_id": {"type": "string"},
        "session_id": {"type": "string"}, "kind": {"enum": ["offered", "used"]},
        "outcome": {"enum": [null, "success", "failure"]},
        "steps": {"type": "integer"}, "tokens": {"type": "integer"},
        "message": {"type": "string"}, "created_at": {"type": "string"}}})"},
    NamedSchema{"Task", R"({
      "type": "object", "required": ["agent_id", "success"],
      "additionalProperties": false,
      "properties": {
        "agent_id": {"type": "string", "maxLength": 200},
        "session_id": {"type": "string", "maxLength": 200},
        "family": {"type": "string", "maxLength": 200, "description":
          "The skill it was solved with, or could have been."},
        "used_skill": {"type": "boolean"}, "success": {"type": "boolean"},
        "steps": {"type": "integer", "minimum": 0},
        "tokens": {"type": "integer", "minimum": 0},
        "model_calls": {"type": "integer", "minimum": 0}}})"},
    NamedSchema{"Trace", R"({
      "type": "object", "required": ["request", "calls"],
      "additionalProperties": false,
      "properties": {
        "session_id": {"type": "string", "maxLength": 200},
        "request": {"type": "string", "minLength": 1, "maxLength": 20000},
        "calls": {"type": "array", "maxItems": 200, "items": {
          "type": "object", "required": ["tool"],
          "additionalProperties": false,
          "properties": {
            "tool": {"type": "string", "minLength": 1, "maxLength": 200},
            "arguments": {"type": "object"}, "result": {},
            "succeeded": {"type": "boolean"},
            "duration_ms": {"type": "integer", "minimum": 0}}}},
        "answer": {"type": "string"},
        "reflection": {"type": "object", "additionalProperties": false,
          "properties": {
            "success": {"type": "boolean"}, "summary": {"type": "string"},
            "reusability": {"type": "number", "minimum": 0, "maximum": 1}}},
        "skills_used": {"type": "array", "items": {"type": "string"}},
        "tokens": {"type": "integer", "minimum": 0},
        "model_calls": {"type": "integer", "minimum": 0}}})"},
    NamedSchema{"Webhook", R"({
      "type": "object", "required": ["id", "url", "events", "is_active"],
      "properties": {
        "id": {"type": "string"}, "url": {"type": "string"},
        "events": {"type": "array", "items": {"type": "string"}},
        "is_active": {"type": "boolean"},
        "secret": {"type": "string", "description":
          "Signs the requests; shown only when the webhook is created."},
        "created_at": {"type": "string"}}})"},
    NamedSchema{"Delivery", R"({
      "type": "object", "required": ["id", "webhook_id", "event_type", "state"],
      "properties": {
        "id": {"type": "string"}, "webhook_id": {"type": "string"},
        "event_type": {"type": "string"},
        "state": {"enum": ["pending", "delivered", "dead"]},
        "attempts": {"type": "integer"}, "message": {"type": "string"}}})"},
};

}  // namespace

std::span<const NamedSchema> route_schemas() { return kSchemas; }

}  // namespace lamarck::server
