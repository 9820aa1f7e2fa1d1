// The plans that every session knows.

#include <string_view>

#include "lamarck/thought/plan_check.h"

namespace lamarck::thought {
namespace {

constexpr std::string_view kExecutionPlan = R"({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "ExecutionPlan",
  "type": "object",
  "required": ["dry_run", "rollback", "limits", "capabilities_required",
               "success_criteria"],
  "properties": {
    "dry_run": {"type": "boolean",
      "description": "Whether the executor first only shows what it would do."},
    "rollback": {"type": "object", "required": ["strategy"],
      "description": "How the changes are taken back.",
      "properties": {
        "strategy": {"enum": ["git_revert", "backup_restore", "none"]}}},
    "limits": {"type": "object", "required": ["max_changes"],
      "description": "What the executor may not exceed.",
      "properties": {
        "max_changes": {"type": "integer", "minimum": 0, "maximum": 1000},
        "max_files": {"type": "integer", "minimum": 0}}},
    "capabilities_required": {"type": "array", "items": {"type": "string"},
      "description": "What the executor must be able to do."},
    "success_criteria": {"type": "array", "items": {"type": "string"},
      "description": "How one sees that it worked."},
    "steps": {"type": "array"},
    "risk_estimate": {"type": "object", "properties": {
      "test_coverage": {"type": "number", "minimum": 0, "maximum": 1}}},
    "context_sufficiency": {"type": "object", "properties": {
      "unresolved_symbol_rate":
        {"type": "number", "minimum": 0, "maximum": 1},
      "callgraph_coverage":
        {"type": "number", "minimum": 0, "maximum": 1}}}}})";

constexpr std::string_view kDocPlan = R"({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "DocPlan",
  "type": "object",
  "required": ["target_path", "naming_convention", "structure_template",
               "validation_rules"],
  "properties": {
    "target_path": {"type": "string", "minLength": 1,
      "description": "Where the document goes, inside the project."},
    "naming_convention": {"type": "string", "minLength": 1,
      "description": "How its file is named."},
    "structure_template": {"type": ["string", "object"],
      "description": "Which sections it has."},
    "validation_rules": {"type": "array",
      "description": "What is checked when it is written."}}})";

}  // namespace

const std::vector<PlanType>& built_in_plan_types() {
  static const std::vector<PlanType> kTypes = {
      {"ExecutionPlan",
       std::string(kExecutionPlan),
       {"dry_run", "rollback", "limits", "capabilities_required",
        "success_criteria"}},
      {"DocPlan",
       std::string(kDocPlan),
       {"target_path", "naming_convention", "structure_template",
        "validation_rules"}}};
  return kTypes;
}

}  // namespace lamarck::thought
