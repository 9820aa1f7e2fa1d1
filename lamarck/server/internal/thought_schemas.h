// Input and output schemas of the thought tools.

#pragma once

#include <string_view>

#include "lamarck/server/internal/joined_text.h"

namespace lamarck::server {

inline constexpr std::string_view kSessionStartInput =
    R"json({"type":"object","additionalProperties":false,"properties":{
"goal":{"type":"string","minLength":1,"maxLength":400,"description":"The goal"},
"success_criteria":{"type":"array","items":{"type":"string","minLength":1,"maxLength":400},"maxItems":50,"description":"How to tell that the goal is reached"},
"token_budget":{"type":"integer","minimum":1,"maximum":1000000000,"description":"Hard limit; default 20000"},
"time_budget_ms":{"type":"integer","minimum":1,"maximum":31536000000,"description":"Hard limit in milliseconds, not counting pauses and the execution of exported plans; default 600000"},
"max_branches":{"type":"integer","minimum":0,"maximum":1000,"description":"Not counting main; default 5"},
"idempotency_key":{"type":"string","minLength":1,"maxLength":200,"description":"Makes the call safe to repeat: a repeated key returns the first answer"},
"client":{"type":"string","minLength":1,"maxLength":100,"description":"Your name in vector clocks"}
},"required":["goal"]})json";

inline constexpr std::string_view kSessionControlInput =
    R"json({"type":"object","additionalProperties":false,"properties":{
"session":{"type":"string","description":"Id from think_session_start"},
"session_id":{"type":"string","description":"Another name of session"},
"action":{"enum":["status","pause","resume","extend","checkpoint","restore","complete","fail"]},
"add_time_ms":{"type":"integer","minimum":1,"maximum":31536000000,"description":"extend: milliseconds to add to the time budget"},
"note":{"type":"string","maxLength":400,"description":"Reason"},
"idempotency_key":{"type":"string","minLength":1,"maxLength":200,"description":"Makes the call safe to repeat: a repeated key returns the first answer"},
"client":{"type":"string","minLength":1,"maxLength":100,"description":"Your name in vector clocks"}
},"required":["session","action"]})json";

inline constexpr std::string_view kPlanStepInput =
    R"json({"type":"object","additionalProperties":false,"properties":{
"session":{"type":"string","description":"Id from think_session_start"},
"session_id":{"type":"string","description":"Another name of session"},
"content":{"type":"string","minLength":1,"maxLength":400,"description":"One thought"},
"branch":{"type":"string","description":"Id or name of the branch; default main"},
"branch_id":{"type":"string","description":"Another name of branch"},
"kind":{"enum":["step","critique"],"description":"Default step"},
"role":{"enum":["planner","critic","tester","decider"]},
"parents":{"type":"array","items":{"type":"string"},"maxItems":50,"description":"Ids of the events it follows from"},
"edge_type":{"enum":["causes","refines","contradicts","supports"],"description":"Relation to its parents"},
"vector_clock":{"type":"object","additionalProperties":{"type":"integer","minimum":0},"description":"What you have seen, if there are other writers: the vector_clock of the last answer you received"},
"token_cost":{"type":"integer","minimum":0,"maximum":1000000000,"description":"Tokens it used; estimated if omitted"},
"private":{"type":"boolean","description":"Exclude it from digests and exports"},
"idempotency_key":{"type":"string","minLength":1,"maxLength":200,"description":"Makes the call safe to repeat: a repeated key returns the first answer"},
"client":{"type":"string","minLength":1,"maxLength":100,"description":"Your name in vector clocks"}
},"required":["session","content"]})json";

inline constexpr std::string_view kBranchInput =
    R"json({"type":"object","additionalProperties":false,"properties":{
"session":{"type":"string","description":"Id from think_session_start"},
"session_id":{"type":"string","description":"Another name of session"},
"action":{"enum":["fork","score","merge","stop","list"]},
"branch":{"type":"string","description":"fork: source; merge: target; score and stop: the branch itself; default main"},
"branch_id":{"type":"string","description":"Another name of branch"},
"children":{"type":"array","minItems":1,"maxItems":50,"items":{"type":"object","additionalProperties":false,"properties":{"name":{"type":"string","minLength":1,"maxLength":100},"content":{"type":"string","minLength":1,"maxLength":400,"description":"Its first thought"}},"required":["name","content"]},"description":"fork: the new branches"},
"from":{"type":"array","minItems":1,"maxItems":50,"items":{"type":"string"},"description":"merge: the branches to merge"},
"content":{"type":"string","maxLength":400,"description":"merge: the conclusion"},
"reason":{"type":"string","maxLength":400,"description":"stop: the reason"},
"completeness":{"type":"number","minimum":0,"maximum":1},
"risk":{"type":"number","minimum":0,"maximum":1,"description":"Lower is better"},
"cost":{"type":"number","minimum":0,"description":"Expected cost in tokens"},
"history_prior":{"type":"number","minimum":0,"maximum":1,"description":"How often such plans succeeded"},
"idempotency_key":{"type":"string","minLength":1,"maxLength":200,"description":"Makes the call safe to repeat: a repeated key returns the first answer"},
"client":{"type":"string","minLength":1,"maxLength":100,"description":"Your name in vector clocks"}
},"required":["session","action"]})json";

inline constexpr std::string_view kParallelRunInput =
    R"json({"type":"object","additionalProperties":false,"properties":{
"session":{"type":"string","description":"Id from think_session_start"},
"session_id":{"type":"string","description":"Another name of session"},
"branches":{"type":"array","items":{"type":"string"},"maxItems":50,"description":"Ids or names; default all open branches"},
"strategy":{"enum":["race","best","vote","bandit"],"description":"Default race"},
"plan_type":{"type":"string","description":"Plan type that the branches produce; default ExecutionPlan"},
"max_rounds":{"type":"integer","minimum":0,"maximum":50,"description":"Thoughts per branch; 0 decides with the existing plans; default 4"},
"reply_timeout_ms":{"type":"integer","minimum":100,"maximum":3600000,"description":"How long your own model may take for one thought; a slower one costs its branch that thought; default 120000"},
"thinker":{"enum":["auto","client","server","none"],"description":"Which model thinks: your own (client), the server's (server) or none; auto takes the first one available"},
"idempotency_key":{"type":"string","minLength":1,"maxLength":200,"description":"Makes the call safe to repeat: a repeated key returns the first answer"},
"client":{"type":"string","minLength":1,"maxLength":100,"description":"Your name in vector clocks"}
},"required":["session"]})json";

inline constexpr std::string_view kValidatePlanInput =
    R"json({"type":"object","additionalProperties":false,"properties":{
"session":{"type":"string","description":"Id from think_session_start"},
"session_id":{"type":"string","description":"Another name of session"},
"branch":{"type":"string","description":"Id or name of the branch; default main"},
"branch_id":{"type":"string","description":"Another name of branch"},
"plan":{"type":"object","description":"The plan"},
"plan_type":{"type":"string","minLength":1,"maxLength":100,"description":"ExecutionPlan, DocPlan or your own type; default ExecutionPlan"},
"schema":{"type":"object","description":"JSON Schema 2020-12 of your own plan_type; needed once per session"},
"context":{"type":"object","properties":{"similar_operations":{"type":"array","maxItems":1000,"items":{"type":"object","properties":{"success":{"type":"boolean"}},"required":["success"]}}},"description":"similar_operations: how operations like this one ended; replaces what the server knows about similar plans"},
"idempotency_key":{"type":"string","minLength":1,"maxLength":200,"description":"Makes the call safe to repeat: a repeated key returns the first answer"},
"client":{"type":"string","minLength":1,"maxLength":100,"description":"Your name in vector clocks"}
},"required":["session","plan"]})json";

inline constexpr std::string_view kExportInput =
    R"json({"type":"object","additionalProperties":false,"properties":{
"session":{"type":"string","description":"Id from think_session_start"},
"session_id":{"type":"string","description":"Another name of session"},
"branch":{"type":"string","description":"Id or name of the branch; default main"},
"branch_id":{"type":"string","description":"Another name of branch"},
"idempotency_key":{"type":"string","minLength":1,"maxLength":200,"description":"Makes the call safe to repeat: a repeated key returns the first answer"},
"client":{"type":"string","minLength":1,"maxLength":100,"description":"Your name in vector clocks"}
},"required":["session"]})json";

inline constexpr std::string_view kEvidenceInput =
    R"json({"type":"object","additionalProperties":false,"properties":{
"session":{"type":"string","description":"Id from think_session_start"},
"session_id":{"type":"string","description":"Another name of session"},
"branch":{"type":"string","description":"Id or name of the branch; default main"},
"branch_id":{"type":"string","description":"Another name of branch"},
"execution_id":{"type":"string","minLength":1,"maxLength":200,"description":"Your id for this execution; it is counted once"},
"success":{"type":"boolean"},
"summary":{"type":"string","description":"One sentence"},
"tests_passed":{"type":"integer","minimum":0},
"tests_failed":{"type":"integer","minimum":0},
"stderr":{"type":"string","description":"Error output of the failed execution"},
"tool":{"type":"string","description":"Tool that was run"},
"tool_arguments":{"type":"object"},
"exit_code":{"type":"integer","minimum":-2147483648,"maximum":2147483647},
"healing_action":{"type":"string","description":"The healing strategy that this execution tried"},
"criteria_met":{"type":"array","items":{"type":"string"},"maxItems":50,"description":"Success criteria of the session that are now met, by text or number"},
"criteria_failed":{"type":"array","items":{"type":"string"},"maxItems":50,"description":"Success criteria that are not met"},
"client":{"type":"string","minLength":1,"maxLength":100,"description":"Your name in vector clocks"}
},"required":["session","execution_id","success"]})json";

inline constexpr std::string_view kDocValidationInput =
    R"json({"type":"object","additionalProperties":false,"properties":{
"session":{"type":"string","description":"Id from think_session_start"},
"session_id":{"type":"string","description":"Another name of session"},
"branch":{"type":"string","description":"Id or name of the branch; default main"},
"branch_id":{"type":"string","description":"Another name of branch"},
"validation_id":{"type":"string","minLength":1,"maxLength":200,"description":"Your id for this check; it is counted once"},
"compliance_score":{"type":"number","minimum":0,"maximum":1},
"placement_correct":{"type":"boolean"},
"summary":{"type":"string"},
"client":{"type":"string","minLength":1,"maxLength":100,"description":"Your name in vector clocks"}
},"required":["session","validation_id","compliance_score","placement_correct"]})json";

inline constexpr std::string_view kDigestInput =
    R"json({"type":"object","additionalProperties":false,"properties":{
"session":{"type":"string","description":"Id from think_session_start"},
"session_id":{"type":"string","description":"Another name of session"},
"branch":{"type":"string","description":"Restricts the digest to this branch; path: the branch, default main"},
"branch_id":{"type":"string","description":"Another name of branch"},
"format":{"enum":["digest","event","events","path","metrics","mermaid","dot","json"],"description":"Default digest; event: one event; events: a page of events; path: what led to the branch"},
"event":{"type":"string","description":"event: its number in a digest (#12) or its id"},
"after_seq":{"type":"integer","minimum":0,"description":"events, path: the number of the last event of the previous page"},
"limit":{"type":"integer","minimum":1,"maximum":200,"description":"events, path: the maximum number of events; default 20"},
"max_tokens":{"type":"integer","minimum":20,"maximum":200,"description":"Length of the digest; default 200"},
"after":{"type":"string","description":"For the list: the last session of the previous page"}
},"required":[]})json";

// The members that every answer about a session has: the start of its schema.
inline constexpr std::string_view kAnswerMembers =
    R"json({"type":"object","properties":{
"session":{"type":"string"},
"session_state":{"enum":["init","active","warning","paused","completed","failed","timeout","budget_exceeded"]},
"events":{"type":"array","items":{"type":"string"},"description":"Ids of the added events"},
"budgets":{"type":"object","properties":{"tokens_used":{"type":"integer"},"tokens_left":{"type":"integer","minimum":0},"time_left_ms":{"type":"integer","minimum":0},"branches_left":{"type":"integer","minimum":0}},"required":["tokens_used","tokens_left","time_left_ms","branches_left"]},
"audit":{"type":"string"},
"vector_clock":{"type":"object","additionalProperties":{"type":"integer","minimum":0}},
"next_step":{"type":"string"},
"alerts":{"type":"array","items":{"type":"object","properties":{"kind":{"type":"string"},"message":{"type":"string"}},"required":["kind","message"]}},
"branch":{"type":"string","description":"Id of the branch"},
"state":{"enum":["init","planning","scoring","validating","validated","rejected","executing","evidence_received","early_stopped","completed"],"description":"State of the branch"},
"error":{"type":"object","description":"Instead of all else, if the call failed","properties":{"code":{"type":"string"},"message":{"type":"string"},"fields":{"type":"object"}},"required":["code","message"]})json";
inline constexpr std::string_view kAnswerRequired =
    R"json(},"anyOf":[{"required":["error"]},{"required":["session","session_state","events","budgets","audit","vector_clock","next_step")json";
inline constexpr std::string_view kAnswerEnd = "]}]}";

// The schema of an answer with additional members; each starts with a comma.
template <const std::string_view& Members, const std::string_view& Required>
inline constexpr std::string_view kAnswerSchema =
    JoinedText<kAnswerMembers, Members, kAnswerRequired, Required,
               kAnswerEnd>::kText;

inline constexpr std::string_view kSessionMembers =
    R"json(,
"goal":{"type":"string"},
"success_criteria":{"type":"array","items":{"type":"string"}},
"branches":{"type":"array","items":{"type":"object"}},
"winner":{"type":"string"},
"time_budget_ms":{"type":"integer","description":"extend: the new budget"},
"metrics":{"type":"object"},
"warning":{"type":"string","description":"complete: criteria that failed"},
"restored":{"type":"object"})json";
inline constexpr std::string_view kSessionRequired = "";
inline constexpr std::string_view kSessionOutput =
    kAnswerSchema<kSessionMembers, kSessionRequired>;

inline constexpr std::string_view kStepMembers =
    R"json(,
"event":{"type":"string"})json";
inline constexpr std::string_view kStepRequired =
    R"json(,"branch","state","event")json";
inline constexpr std::string_view kStepOutput =
    kAnswerSchema<kStepMembers, kStepRequired>;

inline constexpr std::string_view kBranchMembers =
    R"json(,
"event":{"type":"string"},
"branches":{"type":"array","items":{"type":"object"}},
"merged":{"type":"array","items":{"type":"string"}},
"reason":{"type":"string"},
"reward":{"type":"number","minimum":0,"maximum":1})json";
inline constexpr std::string_view kBranchRequired = "";
inline constexpr std::string_view kBranchOutput =
    kAnswerSchema<kBranchMembers, kBranchRequired>;

inline constexpr std::string_view kParallelMembers =
    R"json(,
"run":{"type":"string"},
"strategy":{"enum":["race","best","vote","bandit"]},
"winner":{"type":"string","description":"Id of the branch; empty if none won"},
"reason":{"type":"string"},
"stopped":{"type":"array","items":{"type":"string"}},
"branches":{"type":"array","items":{"type":"object"}})json";
inline constexpr std::string_view kParallelRequired =
    R"json(,"run","strategy","winner","reason","stopped")json";
inline constexpr std::string_view kParallelOutput =
    kAnswerSchema<kParallelMembers, kParallelRequired>;

inline constexpr std::string_view kValidationMembers =
    R"json(,
"event":{"type":"string"},
"passes":{"type":"boolean"},
"score":{"type":"object"},
"reward":{"type":"number"},
"critique":{"type":"string","description":"Id of the critic's event"},
"review":{"type":"object","properties":{"violations":{"type":"array","items":{"type":"object","properties":{"instance_path":{"type":"string"},"schema_path":{"type":"string"},"message":{"type":"string"}},"required":["instance_path","message"]}},"completeness":{"type":"number","minimum":0,"maximum":1},"missing_fields":{"type":"array","items":{"type":"string"}},"risk":{"type":"object"},"suggestions":{"type":"array","items":{"type":"string"}}},"required":["violations","completeness","risk","suggestions"]})json";
inline constexpr std::string_view kValidationRequired =
    R"json(,"branch","state","passes","review")json";
inline constexpr std::string_view kValidationOutput =
    kAnswerSchema<kValidationMembers, kValidationRequired>;

inline constexpr std::string_view kExportMembers =
    R"json(,
"event":{"type":"string"},
"plan_type":{"type":"string"},
"plan":{"type":"object"},
"repeated":{"type":"boolean","description":"The plan was exported before; no event was added"})json";
inline constexpr std::string_view kExportRequired =
    R"json(,"branch","state","plan_type","plan")json";
inline constexpr std::string_view kExportOutput =
    kAnswerSchema<kExportMembers, kExportRequired>;

inline constexpr std::string_view kEvidenceMembers =
    R"json(,
"event":{"type":"string"},
"success":{"type":"boolean"},
"critic_needed":{"type":"boolean"},
"evidence_id":{"type":"string","description":"Id of the evidence event"},
"advice":{"type":"string","description":"The next step as a sentence"},
"late":{"type":"boolean","description":"The session had ended before"},
"compliant":{"type":"boolean"},
"critique":{"type":"string","description":"Id of the critic's event"},
"failure":{"type":"object","properties":{"category":{"type":"string"},"signature":{"type":"string"},"may_retry":{"type":"boolean"},"reason":{"type":"string"},"retries":{"type":"integer"}},"required":["category","signature","may_retry"]},
"healing":{"type":"array","items":{"type":"object","properties":{"action":{"type":"string"},"parameters":{"type":"object"},"success_rate":{"type":"number"}},"required":["action","parameters","success_rate"]}})json";
inline constexpr std::string_view kEvidenceRequired =
    R"json(,"branch","success","critic_needed","event","evidence_id","advice")json";
inline constexpr std::string_view kEvidenceOutput =
    kAnswerSchema<kEvidenceMembers, kEvidenceRequired>;

inline constexpr std::string_view kDigestOutput =
    R"json({"type":"object","properties":{
"session":{"type":"string"},
"format":{"type":"string"},
"digest":{"type":"string","description":"At most 200 tokens"},
"tokens":{"type":"integer","minimum":0},
"references":{"type":"object","additionalProperties":{"type":"string"},"description":"Ids of the events that the digest mentions"},
"event":{"type":"object","description":"The event"},
"events":{"type":"array","items":{"type":"object"},"description":"A page of events, oldest first"},
"after_seq":{"type":"integer","description":"Pass it for the next page; absent on the last page"},
"branch":{"type":"string"},
"head":{"type":"integer","description":"Number of the last event"},
"text":{"type":"string","description":"The graph as text"},
"tpst":{"type":"integer","description":"Total tokens"},
"sessions":{"type":"array","items":{"type":"object"},"description":"Newest first, at most 50"},
"total":{"type":"integer","minimum":0,"description":"Number of sessions"},
"error":{"type":"object"},
"after":{"type":"string","description":"Pass it as `after` for the next page; absent on the last page"},
"next_step":{"type":"string"}
}})json";

}  // namespace lamarck::server
