#include "lamarck/server/thought_tools.h"

#include <array>
#include <nlohmann/json.hpp>

#include "lamarck/base/version.h"
#include "lamarck/server/internal/thought_calls.h"
#include "lamarck/server/internal/thought_prompts.h"
#include "lamarck/server/internal/thought_resources.h"
#include "lamarck/server/internal/thought_schemas.h"

namespace lamarck::server {
namespace {

constexpr std::string_view kInstructions =
    "Think in a persistent graph: every step is stored before it is answered, "
    "branches are compared, plans are validated before they are exported, and "
    "budgets are hard limits.\n"
    "Typical use: think_session_start with the goal; think_plan_step for "
    "each short thought; think_branch (fork) when there are several plans, "
    "then score them; think_validate_plan with the plan as JSON; if it is "
    "rejected, follow the suggestions and validate again; think_parallel_run "
    "to let branches race; think_export_plan for the winner; execute the plan "
    "yourself and report the result with think_receive_evidence; finally "
    "think_session_control (complete). think_digest summarizes the session in "
    "200 tokens, also after a restart. Every answer states the next step.\n"
    "A step has at most 400 characters. The server never executes anything for "
    "you.";

// The list that everything iterates; see thought_tools.h.
constexpr std::array kTools = {
    ThoughtTool{
        .name = "think_session_start",
        .title = "Start a thought session",
        .description =
            "Call this first, once per goal. It opens a session with hard "
            "budgets for tokens, time and branches and returns its id, which "
            "all other tools take as `session`. Example: {\"goal\": \"Make the "
            "login test pass\", \"success_criteria\": [\"test_login is "
            "green\"], \"token_budget\": 8000}",
        .input_schema = kSessionStartInput,
        .output_schema = kSessionOutput,
        .idempotent = false,
        .call = call_session_start},
    ThoughtTool{
        .name = "think_session_control",
        .title = "Inspect, pause, resume or end a session",
        .description =
            "Call it with action `status` to see state, branches and budgets; "
            "`pause` and `resume` stop and start the clock of the time budget, "
            "which also stands still while an exported plan is executed; "
            "`extend` adds `add_time_ms` to it; "
            "`checkpoint` and `restore` save and reload; `complete` when the "
            "success criteria are met, `fail` when they cannot be. Example: "
            "{\"session\": \"sess_...\", \"action\": \"complete\", \"note\": "
            "\"All tests pass\"}",
        .input_schema = kSessionControlInput,
        .output_schema = kSessionOutput,
        .call = call_session_control},
    ThoughtTool{
        .name = "think_plan_step",
        .title = "Add one thought",
        .description =
            "Call it for each step of reasoning: one idea in at most 400 "
            "characters, on `main` or on a branch. With `kind` critique it is "
            "an objection. `parents` lists the events it follows from; by "
            "default it follows the last event of the branch. A repeated "
            "`idempotency_key` returns the first answer again and adds "
            "nothing. "
            "Example: {\"session\": \"sess_...\", \"content\": \"The token "
            "expires before the test ends\"}",
        .input_schema = kPlanStepInput,
        .output_schema = kStepOutput,
        .call = call_plan_step},
    ThoughtTool{
        .name = "think_branch",
        .title = "Fork, score, merge or stop branches",
        .description =
            "Call it with action `fork` when there is more than one approach: "
            "give each child a name and its first thought. `score` rates the "
            "completeness, risk and cost of a branch; `merge` merges the "
            "findings of branches into another; `stop` ends one, with a "
            "reason; `list` shows all branches. Example: {\"session\": "
            "\"sess_...\", "
            "\"action\": \"fork\", \"children\": [{\"name\": \"retry\", "
            "\"content\": \"Retry once on 401\"}, {\"name\": \"refresh\", "
            "\"content\": \"Refresh the token first\"}]}",
        .input_schema = kBranchInput,
        .output_schema = kBranchOutput,
        .call = call_branch},
    ThoughtTool{
        .name = "think_parallel_run",
        .title = "Let branches compete",
        .description =
            "Call it to decide between branches. Strategies: `race` takes the "
            "first valid plan and stops the other branches, `best` the highest "
            "score, `vote` the plan that most branches agree on, `bandit` "
            "spends tokens on the most promising branch. With `max_rounds` 0 "
            "it decides with the existing plans; otherwise your own model "
            "(through sampling) or the server's model continues each branch "
            "within the budget. Example: {\"session\": \"sess_...\", "
            "\"strategy\": \"race\", \"branches\": [\"retry\", \"refresh\"], "
            "\"max_rounds\": 0}",
        .input_schema = kParallelRunInput,
        .output_schema = kParallelOutput,
        .blocks_on_disk_only = false,
        .call = call_parallel_run},
    ThoughtTool{
        .name = "think_validate_plan",
        .title = "Validate a plan before export",
        .description =
            "Call it with the branch's plan as a JSON object. It is checked "
            "against the schema of its type (ExecutionPlan: dry_run, rollback, "
            "limits, capabilities_required, success_criteria; DocPlan: "
            "target_path, naming_convention, structure_template, "
            "validation_rules; or your own with `schema`), its completeness "
            "and its risk. For a rejected plan the answer says what to change. "
            "Example: {\"session\": \"sess_...\", \"branch\": \"refresh\", "
            "\"plan\": {\"dry_run\": true, \"rollback\": {\"strategy\": "
            "\"git_revert\"}, \"limits\": {\"max_changes\": 40, \"max_files\": "
            "2}, \"capabilities_required\": [\"edit\"], \"success_criteria\": "
            "[\"test_login is green\"]}}",
        .input_schema = kValidatePlanInput,
        .output_schema = kValidationOutput,
        .call = call_validate_plan},
    ThoughtTool{
        .name = "think_export_plan",
        .title = "Export a validated plan",
        .description =
            "Call it when a branch's ExecutionPlan is validated and you are "
            "about to execute it. It returns the plan with its metadata and "
            "marks the branch as executing; a plan that is not validated "
            "cannot be exported. If the answer was lost, call it again. "
            "Example: {\"session\": "
            "\"sess_...\", \"branch\": \"refresh\"}",
        .input_schema = kExportInput,
        .output_schema = kExportOutput,
        .call = call_export_plan},
    ThoughtTool{
        .name = "think_receive_evidence",
        .title = "Report the result of a plan",
        .description =
            "Call it after you executed a plan, with the same `execution_id` "
            "if you have to repeat the call. On failure pass "
            "stderr, tool and exit_code: the failure is classified, compared "
            "with earlier ones, and you get the strategies that fixed it most "
            "often and whether to retry; name the one you tried in "
            "`healing_action` next time. Example: {\"session\": \"sess_...\", "
            "\"branch\": \"refresh\", \"execution_id\": \"run-1\", "
            "\"success\": false, \"summary\": \"1 test fails\", \"stderr\": "
            "\"AssertionError: 401\", \"tests_failed\": 1}",
        .input_schema = kEvidenceInput,
        .output_schema = kEvidenceOutput,
        .call = call_receive_evidence},
    ThoughtTool{
        .name = "think_export_doc_plan",
        .title = "Export a validated documentation plan",
        .description =
            "Like think_export_plan, for a branch whose validated plan is a "
            "DocPlan. Example: {\"session\": \"sess_...\", \"branch\": "
            "\"main\"}",
        .input_schema = kExportInput,
        .output_schema = kExportOutput,
        .call = call_export_doc_plan},
    ThoughtTool{
        .name = "think_receive_doc_validation",
        .title = "Report the check of a document",
        .description =
            "Call it with the result of a check of the written document: its "
            "compliance from 0 to 1 (0.95 is enough) and whether the file is "
            "in the right place. Example: {\"session\": \"sess_...\", "
            "\"branch\": \"main\", \"validation_id\": \"doc-1\", "
            "\"compliance_score\": 0.97, \"placement_correct\": true}",
        .input_schema = kDocValidationInput,
        .output_schema = kEvidenceOutput,
        .call = call_receive_doc_validation},
    ThoughtTool{
        .name = "think_digest",
        .title = "Read a session",
        .description =
            "Call it to continue after a break, or instead of repeating "
            "yourself: `digest` summarizes the session in at most 200 tokens, "
            "without private steps and secrets: goal, criteria, open failures, "
            "decisions, next step and the key steps. #12 in it is an event: "
            "`event` returns it in full, `events` a page of events and `path` "
            "all that led to a branch. `metrics` counts tokens, hops and "
            "waste; `mermaid`, `dot` and `json` return the whole graph. "
            "Without "
            "`session` it lists the sessions, 50 at a time. Example: "
            "{\"session\": \"sess_...\"}",
        .input_schema = kDigestInput,
        .output_schema = kDigestOutput,
        .read_only = true,
        .idempotent = true,
        .call = call_digest},
};

}  // namespace

std::span<const ThoughtTool> thought_tools() { return kTools; }

void add_thought_tools(const ThoughtTools& tools, mcp::Registry& registry) {
  registry.server_version = std::string(version());
  registry.instructions = kInstructions;
  for (const ThoughtTool& tool : kTools) {
    registry.tools.push_back(
        {.name = std::string(tool.name),
         .title = std::string(tool.title),
         .description = std::string(tool.description),
         .input_schema = std::string(tool.input_schema),
         .output_schema = std::string(tool.output_schema),
         .aliases = {{"session_id", "session"}, {"branch_id", "branch"}},
         .read_only = tool.read_only,
         .idempotent = tool.idempotent,
         .blocks_on_disk_only = tool.blocks_on_disk_only,
         .call = [tools, call = tool.call](mcp::CallContext& context,
                                           const Json& arguments)
             -> mcp::Outcome { return call(tools, context, arguments); }});
  }
  add_thought_resources(tools, registry);
  add_thought_prompts(tools, registry);
}

}  // namespace lamarck::server
