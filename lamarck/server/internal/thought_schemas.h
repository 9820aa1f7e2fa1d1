// The schemas of the tools of thought: what goes in and what comes out.

#pragma once

#include <string_view>

#include "lamarck/server/internal/joined_text.h"

namespace lamarck::server {

inline constexpr std::string_view kSessionStartInput =
    R"json({"type":"object","additionalProperties":false,"properties":{
"goal":{"type":"string","minLength":1,"description":"What is to be reached, at most 400 characters"},
"success_criteria":{"type":"array","items":{"type":"string"},"maxItems":50,"description":"How one sees that it is reached"},
"token_budget":{"type":"integer","minimum":1,"maximum":100000000,"description":"Hard limit; 20000 if left out"},
"time_budget_ms":{"type":"integer","minimum":1,"maximum":31536000000,"description":"Hard limit in milliseconds, pauses apart; 600000 if left out"},
"max_branches":{"type":"integer","minimum":0,"maximum":1000,"description":"Beside main; 5 if left out"},
"idempotency_key":{"type":"string","minLength":1,"maxLength":200,"description":"Repeat it to repeat the call safely: the first answer comes again"},
"client":{"type":"string","minLength":1,"maxLength":100,"description":"Your name in vector clocks"}
},"required":["goal"]})json";

inline constexpr std::string_view kSessionControlInput =
    R"json({"type":"object","additionalProperties":false,"properties":{
"session":{"type":"string","description":"Id from think_session_start"},
"action":{"enum":["status","pause","resume","checkpoint","restore","complete","fail"]},
"note":{"type":"string","description":"Why, at most 400 characters"},
"idempotency_key":{"type":"string","minLength":1,"maxLength":200,"description":"Repeat it to repeat the call safely: the first answer comes again"},
"client":{"type":"string","minLength":1,"maxLength":100,"description":"Your name in vector clocks"}
},"required":["session","action"]})json";

inline constexpr std::string_view kPlanStepInput =
    R"json({"type":"object","additionalProperties":false,"properties":{
"session":{"type":"string","description":"Id from think_session_start"},
"content":{"type":"string","minLength":1,"description":"One thought, at most 400 characters"},
"branch":{"type":"string","description":"Id or name of the branch; main if left out"},
"kind":{"enum":["step","critique"],"description":"step if left out"},
"role":{"enum":["planner","critic","tester","decider"]},
"parents":{"type":"array","items":{"type":"string"},"maxItems":50,"description":"Ids of events it follows from"},
"edge_type":{"enum":["causes","refines","contradicts","supports"],"description":"How it hangs on its parents"},
"vector_clock":{"type":"object","additionalProperties":{"type":"integer","minimum":0},"description":"What you have seen, if others write too: the vector_clock of the last answer you got"},
"token_cost":{"type":"integer","minimum":0,"maximum":100000000,"description":"Tokens it took; estimated if left out"},
"private":{"type":"boolean","description":"Never shown in digests and exports"},
"idempotency_key":{"type":"string","minLength":1,"maxLength":200,"description":"Repeat it to repeat the call safely: the first answer comes again"},
"client":{"type":"string","minLength":1,"maxLength":100,"description":"Your name in vector clocks"}
},"required":["session","content"]})json";

inline constexpr std::string_view kBranchInput =
    R"json({"type":"object","additionalProperties":false,"properties":{
"session":{"type":"string","description":"Id from think_session_start"},
"action":{"enum":["fork","score","merge","stop","list"]},
"branch":{"type":"string","description":"fork: from which; merge: into which; score and stop: which; main if left out"},
"children":{"type":"array","minItems":1,"maxItems":50,"items":{"type":"object","additionalProperties":false,"properties":{"name":{"type":"string","minLength":1,"maxLength":60},"content":{"type":"string","minLength":1,"description":"Its first thought"}},"required":["name","content"]},"description":"fork: the new branches"},
"from":{"type":"array","minItems":1,"maxItems":50,"items":{"type":"string"},"description":"merge: the branches to join"},
"content":{"type":"string","description":"merge: what follows from them"},
"reason":{"type":"string","description":"stop: why"},
"completeness":{"type":"number","minimum":0,"maximum":1},
"risk":{"type":"number","minimum":0,"maximum":1,"description":"Less is better"},
"cost":{"type":"number","minimum":0,"description":"Tokens it will take"},
"history_prior":{"type":"number","minimum":0,"maximum":1,"description":"How often such plans went well"},
"idempotency_key":{"type":"string","minLength":1,"maxLength":200,"description":"Repeat it to repeat the call safely: the first answer comes again"},
"client":{"type":"string","minLength":1,"maxLength":100,"description":"Your name in vector clocks"}
},"required":["session","action"]})json";

inline constexpr std::string_view kParallelRunInput =
    R"json({"type":"object","additionalProperties":false,"properties":{
"session":{"type":"string","description":"Id from think_session_start"},
"branches":{"type":"array","items":{"type":"string"},"maxItems":50,"description":"Ids or names; all open ones if left out"},
"strategy":{"enum":["race","best","vote","bandit"],"description":"race if left out"},
"plan_type":{"type":"string","description":"What the branches are to plan; ExecutionPlan if left out"},
"max_rounds":{"type":"integer","minimum":0,"maximum":50,"description":"Thoughts per branch; 0 decides on what is there; 4 if left out"},
"thinker":{"enum":["auto","client","server","none"],"description":"Who thinks: your model (client), the model the server was given, or nobody; auto takes the first there is"},
"idempotency_key":{"type":"string","minLength":1,"maxLength":200,"description":"Repeat it to repeat the call safely: the first answer comes again"},
"client":{"type":"string","minLength":1,"maxLength":100,"description":"Your name in vector clocks"}
},"required":["session"]})json";

inline constexpr std::string_view kValidatePlanInput =
    R"json({"type":"object","additionalProperties":false,"properties":{
"session":{"type":"string","description":"Id from think_session_start"},
"branch":{"type":"string","description":"Id or name of the branch; main if left out"},
"plan":{"type":"object","description":"The plan"},
"plan_type":{"type":"string","minLength":1,"maxLength":100,"description":"ExecutionPlan, DocPlan or one of your own; ExecutionPlan if left out"},
"schema":{"type":"object","description":"JSON Schema 2020-12 of a plan_type of your own, once per session"},
"idempotency_key":{"type":"string","minLength":1,"maxLength":200,"description":"Repeat it to repeat the call safely: the first answer comes again"},
"client":{"type":"string","minLength":1,"maxLength":100,"description":"Your name in vector clocks"}
},"required":["session","plan"]})json";

inline constexpr std::string_view kExportInput =
    R"json({"type":"object","additionalProperties":false,"properties":{
"session":{"type":"string","description":"Id from think_session_start"},
"branch":{"type":"string","description":"Id or name of the branch; main if left out"},
"idempotency_key":{"type":"string","minLength":1,"maxLength":200,"description":"Repeat it to repeat the call safely: the first answer comes again"},
"client":{"type":"string","minLength":1,"maxLength":100,"description":"Your name in vector clocks"}
},"required":["session"]})json";

inline constexpr std::string_view kEvidenceInput =
    R"json({"type":"object","additionalProperties":false,"properties":{
"session":{"type":"string","description":"Id from think_session_start"},
"branch":{"type":"string","description":"Id or name of the branch; main if left out"},
"execution_id":{"type":"string","minLength":1,"maxLength":200,"description":"Your name for this execution; counted once"},
"success":{"type":"boolean"},
"summary":{"type":"string","description":"In a sentence"},
"tests_passed":{"type":"integer","minimum":0},
"tests_failed":{"type":"integer","minimum":0},
"stderr":{"type":"string","description":"What it printed when it failed"},
"tool":{"type":"string","description":"What was run"},
"tool_arguments":{"type":"object"},
"exit_code":{"type":"integer","minimum":-2147483648,"maximum":2147483647},
"healing_action":{"type":"string","description":"The strategy that this was the trial of"},
"client":{"type":"string","minLength":1,"maxLength":100,"description":"Your name in vector clocks"}
},"required":["session","execution_id","success"]})json";

inline constexpr std::string_view kDocValidationInput =
    R"json({"type":"object","additionalProperties":false,"properties":{
"session":{"type":"string","description":"Id from think_session_start"},
"branch":{"type":"string","description":"Id or name of the branch; main if left out"},
"validation_id":{"type":"string","minLength":1,"maxLength":200,"description":"Your name for this check; counted once"},
"compliance_score":{"type":"number","minimum":0,"maximum":1},
"placement_correct":{"type":"boolean"},
"summary":{"type":"string"},
"client":{"type":"string","minLength":1,"maxLength":100,"description":"Your name in vector clocks"}
},"required":["session","validation_id","compliance_score","placement_correct"]})json";

inline constexpr std::string_view kDigestInput =
    R"json({"type":"object","additionalProperties":false,"properties":{
"session":{"type":"string","description":"Id from think_session_start"},
"branch":{"type":"string","description":"Only this branch"},
"format":{"enum":["digest","metrics","mermaid","dot","json"],"description":"digest if left out"},
"max_tokens":{"type":"integer","minimum":20,"maximum":200,"description":"Of the digest; 200 if left out"},
"after":{"type":"string","description":"Of the list: the last session of the page before"}
},"required":[]})json";

// What every answer about a session has: the beginning of its schema.
inline constexpr std::string_view kAnswerMembers =
    R"json({"type":"object","properties":{
"session":{"type":"string"},
"session_state":{"enum":["init","active","warning","paused","completed","failed","timeout","budget_exceeded"]},
"events":{"type":"array","items":{"type":"string"},"description":"Ids of what was added"},
"budgets":{"type":"object","properties":{"tokens_used":{"type":"integer"},"tokens_left":{"type":"integer","minimum":0},"time_left_ms":{"type":"integer","minimum":0},"branches_left":{"type":"integer","minimum":0}},"required":["tokens_used","tokens_left","time_left_ms","branches_left"]},
"audit":{"type":"string"},
"vector_clock":{"type":"object","additionalProperties":{"type":"integer","minimum":0}},
"next_step":{"type":"string"},
"alerts":{"type":"array","items":{"type":"object","properties":{"kind":{"type":"string"},"message":{"type":"string"}},"required":["kind","message"]}},
"branch":{"type":"string","description":"Its id"},
"state":{"enum":["init","planning","scoring","validating","validated","rejected","executing","evidence_received","early_stopped","completed"],"description":"Of the branch"})json";
inline constexpr std::string_view kAnswerRequired =
    R"json(},"required":["session","session_state","events","budgets","audit","vector_clock","next_step")json";
inline constexpr std::string_view kAnswerEnd = "]}";

// The schema of an answer that has members of its own, each after a comma.
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
"metrics":{"type":"object"},
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
"repeated":{"type":"boolean","description":"It had been taken before; nothing was added"})json";
inline constexpr std::string_view kExportRequired =
    R"json(,"branch","state","plan_type","plan")json";
inline constexpr std::string_view kExportOutput =
    kAnswerSchema<kExportMembers, kExportRequired>;

inline constexpr std::string_view kEvidenceMembers =
    R"json(,
"event":{"type":"string"},
"success":{"type":"boolean"},
"critic_needed":{"type":"boolean"},
"compliant":{"type":"boolean"},
"critique":{"type":"string","description":"Id of the critic's event"},
"failure":{"type":"object","properties":{"category":{"type":"string"},"signature":{"type":"string"},"may_retry":{"type":"boolean"},"reason":{"type":"string"},"retries":{"type":"integer"}},"required":["category","signature","may_retry"]},
"healing":{"type":"array","items":{"type":"object","properties":{"action":{"type":"string"},"parameters":{"type":"object"},"success_rate":{"type":"number"}},"required":["action","parameters","success_rate"]}})json";
inline constexpr std::string_view kEvidenceRequired =
    R"json(,"branch","success","critic_needed","event")json";
inline constexpr std::string_view kEvidenceOutput =
    kAnswerSchema<kEvidenceMembers, kEvidenceRequired>;

inline constexpr std::string_view kDigestOutput =
    R"json({"type":"object","properties":{
"session":{"type":"string"},
"format":{"type":"string"},
"digest":{"type":"string","description":"At most 200 tokens"},
"tokens":{"type":"integer","minimum":0},
"text":{"type":"string","description":"The graph"},
"tpst":{"type":"integer","description":"All tokens"},
"sessions":{"type":"array","items":{"type":"object"},"description":"The newest first, at most 50"},
"total":{"type":"integer","minimum":0,"description":"Sessions there are"},
"after":{"type":"string","description":"What to send for the next page; not there on the last one"},
"next_step":{"type":"string"}
}})json";

}  // namespace lamarck::server
