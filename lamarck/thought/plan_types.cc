// The plan types that are built into every session.

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
      "description": "Whether the executor shows changes before making them."},
    "rollback": {"type": "object", "required": ["strategy"],
      "description": "How the changes are undone.",
      "properties": {
        "strategy": {"enum": ["git_revert", "backup_restore", "none"]}}},
    "limits": {"type": "object", "required": ["max_changes"],
      "description": "Limits that the executor must not exceed.",
      "properties": {
        "max_changes": {"type": "integer", "minimum": 0, "maximum": 1000},
        "max_files": {"type": "integer", "minimum": 0}}},
    "capabilities_required": {"type": "array", "items": {"type": "string"},
      "description": "Capabilities that the executor must have."},
    "success_criteria": {"type": "array", "items": {"type": "string"},
      "description": "How to tell that the plan succeeded."},
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
      "description": "Path of the document inside the project."},
    "naming_convention": {"type": "string", "minLength": 1,
      "description": "Naming convention of the file."},
    "structure_template": {"type": ["string", "object"],
      "description": "Sections of the document."},
    "validation_rules": {"type": "array",
      "description": "Checks to run on the written document."}}})";

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
