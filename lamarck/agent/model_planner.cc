#include "lamarck/agent/model_planner.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "lamarck/agent/plan_session.h"
#include "lamarck/agent/planner_messages.h"
#include "lamarck/agent/provenance.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/llm/token_usage.h"
#include "lamarck/skills/skill_replay.h"

namespace lamarck::agent {
namespace {

// Groups that the model asked for with its last reply.
std::vector<const StepGroup*> last_groups(const AgentRun& run) {
  std::vector<const StepGroup*> found;
  if (run.messages.empty()) return found;
  for (const llm::ChatToolCall& call :
       to_chat_message(run.messages.back()).tool_calls) {
    const auto group = std::ranges::find(run.groups.rbegin(), run.groups.rend(),
                                         call.id, &StepGroup::call_id);
    if (group != run.groups.rend()) found.push_back(&*group);
  }
  return found;
}

Json group_outcome(const StepGroup& group, const AgentRun& run) {
  // Nothing was called; the planner itself answers.
  if (group.steps.empty()) return group.params;
  if (group.has_succeeded()) {
    return group.results.size() == 1 ? group.results.front()
                                     : Json(group.results);
  }
  Json outcome = {{"error", group.error}};
  const auto index = static_cast<std::size_t>(&group - run.groups.data());
  for (const CallRecord& record : run.calls) {
    if (record.group == index && record.is_finished && !record.call.succeeded) {
      outcome = record.call.result;
    }
  }
  if (!group.skill_id.empty()) {
    outcome["note"] = fmt::format(
        "The skill failed at step {} of {}. Its earlier results follow. Solve "
        "the rest with the tools.",
        group.results.size() + 1, group.steps.size());
    outcome["results"] = group.results;
  }
  return outcome;
}

// The judgement of a model that only wrote text: by what the tools returned.
skills::Reflection judge(const AgentRun& run) {
  const auto succeeded = std::ranges::count_if(
      run.calls, [](const CallRecord& one) { return one.call.succeeded; });
  const bool success = run.groups.empty() || run.groups.back().has_succeeded();
  return {.success = success,
          .summary = "The model answered.",
          .reusability = success && succeeded >= 3 ? 0.7 : 0.0};
}

skills::Reflection read_reflection(const Json& arguments) {
  const auto number = json_field_or<double>(arguments, "reusability", 0.0);
  return {
      .success =
          json_field_or<bool>(arguments, "success", true).value_or(false),
      .summary = json_field_or<std::string>(arguments, "summary", "Finished.")
                     .value_or("Finished."),
      .reusability = std::clamp(number.value_or(0.0), 0.0, 1.0)};
}

StepGroup refused_call(const llm::ChatToolCall& call, std::string why) {
  return {.call_id = call.id,
          .is_literal = true,
          .steps = {{.tool = call.name}},
          .error = std::move(why)};
}

}  // namespace

ModelPlanner::ModelPlanner(ModelPlannerOptions options, llm::ChatModel& model,
                           const ToolRegistry& tools,
                           skills::SkillLibrary* library,
                           thought::ThoughtEngine* thoughts)
    : options_(std::move(options)),
      model_(model),
      tools_(tools),
      library_(library),
      thoughts_(thoughts) {}

// Finds the skills that fit and enters them in the ledger as offered; opens the
// thought session.
Result<void> ModelPlanner::look_up_skills(const AgentRun& run,
                                          const Record& record,
                                          const CancelToken& cancel) {
  if (library_ != nullptr) {
    const skills::AgentRecord& agent = options_.agent;
    auto found = library_->search(agent.org_id, agent.id, run.task,
                                  options_.max_skills, cancel);
    // Without its memory the agent can still plan.
    if (!found) found = skills::SkillMatches{.reason = found.error().message()};
    Json ids = Json::array();
    Json suggestions = Json::object();
    std::string names;
    for (const skills::SkillMatch& match : found->matches) {
      ids.push_back(match.skill.id);
      suggestions[match.skill.id] = match.suggested_arguments;
      names += (names.empty() ? "" : ", ") + match.skill.definition.name;
      static_cast<void>(library_->store().record_use(
          agent.org_id, {.skill_id = match.skill.id,
                         .skill_version = match.skill.version,
                         .agent_id = agent.id,
                         .session_id = run.id,
                         .kind = "offered"}));
    }
    RETURN_IF_ERROR(record("skills_offered", {{"skills", ids},
                                              {"suggestions", suggestions},
                                              {"names", names},
                                              {"reason", found->reason}}));
  }
  if (thoughts_ != nullptr) {
    if (const auto id = open_plan_session(*thoughts_, run)) {
      RETURN_IF_ERROR(record("session_opened", {{"session", *id}}));
    }
  }
  return {};
}

std::vector<skills::Skill> ModelPlanner::offered_skills(
    const AgentRun& run) const {
  std::vector<skills::Skill> skills;
  if (library_ == nullptr) return skills;
  for (const std::string& id : run.skills_offered) {
    if (auto skill = library_->store().skill(options_.agent.org_id, id)) {
      skills.push_back(std::move(*skill));
    }
  }
  return skills;
}

Result<llm::ChatReply> ModelPlanner::ask(const Json& messages,
                                         std::vector<llm::ChatTool> functions,
                                         Budget& budget,
                                         const CancelToken& cancel) {
  llm::ChatRequest request{.max_tokens = options_.max_tokens,
                           .temperature = options_.temperature};
  for (const Json& message : messages) {
    request.messages.push_back(options_.uses_json_protocol
                                   ? to_plain_message(message)
                                   : to_chat_message(message));
  }
  if (options_.uses_json_protocol) {
    request.response_schema = json_protocol_schema();
  } else {
    request.tools = std::move(functions);
  }
  ASSIGN_OR_RETURN(Reservation reservation,
                   budget.reserve(llm::budget_amounts(llm::max_usage(request),
                                                      model_.price())));
  auto reply = model_.complete(request, cancel);
  if (!reply) return reply.error();
  reservation.settle(llm::budget_amounts(reply->usage, model_.price()));
  if (options_.uses_json_protocol) {
    reply->tool_calls = parse_json_protocol(
        reply->text, static_cast<std::size_t>(messages.size()));
  }
  return reply;
}

StepGroup ModelPlanner::make_group(const AgentRun& run,
                                   const llm::ChatToolCall& call,
                                   const std::vector<skills::Skill>& skills) {
  const auto arguments = parse_json(call.arguments, {.depth = 64});
  if (!arguments || !arguments->is_object()) {
    return refused_call(call, "The arguments must be a JSON object.");
  }
  if (call.name == kFinishFunction) {
    return refused_call(call, "Call finish alone, after all other calls.");
  }
  if (call.name == kCompareFunction) {
    const auto compared = parse_compared_ways(*arguments);
    if (!compared) return refused_call(call, compared.error().message());
    note_ways(thoughts_, run, *compared);
    return {.call_id = call.id,
            .is_literal = true,
            .params = {{"take", compared->ways[compared->chosen].name},
                       {"ways", compared->ways.size()},
                       {"why", compared->why}}};
  }
  const skills::Skill* skill = find_skill_function(call.name, skills);
  const std::string name = tool_of_function(call.name, tools_);
  const Tool* tool = tools_.find(name);
  const Json schema = skill != nullptr  ? skill_schema(*skill)
                      : tool != nullptr ? tool->info.input_schema
                                        : Json::object();
  if (options_.uses_json_protocol) {
    std::vector<std::string> texts = {run.task};
    for (const Json& message : run.history) {
      texts.push_back(message.value("content", ""));
    }
    for (const CallRecord& one : run.calls) {
      texts.push_back(dump_json(one.call.result));
    }
    if (const auto known = check_provenance(*arguments, schema, texts);
        !known) {
      return refused_call(call, known.error().message());
    }
  }
  if (skill == nullptr) {
    return {.call_id = call.id,
            .is_literal = true,
            .steps = {{.tool = name, .arguments = *arguments}}};
  }
  const auto bound = skills::bind_arguments(skill->definition, *arguments);
  if (!bound) return refused_call(call, bound.error().message());
  const auto use = library_->begin_use(options_.agent.org_id, options_.agent.id,
                                       skill->id, run.id);
  return {.call_id = call.id,
          .skill_id = skill->id,
          .skill_name = skill->definition.name,
          .use_id = use ? use->id : "",
          .steps = skill->definition.steps,
          .params = *bound};
}

Result<PlannedTurn> ModelPlanner::next(const AgentRun& run, Budget& budget,
                                       const Record& record,
                                       const CancelToken& cancel) {
  PlannedTurn turn;
  const bool is_first = run.messages.empty();
  if (is_first) RETURN_IF_ERROR(look_up_skills(run, record, cancel));
  const std::vector<skills::Skill> skills = offered_skills(run);
  std::vector<llm::ChatTool> functions =
      chat_tools(tools_, skills,
                 {.suggestions = run.suggestions,
                  .may_delegate = run.depth < kMaxDelegations,
                  .may_compare = thoughts_ != nullptr});
  if (is_first) {
    turn.sent = Json::array(
        {{{"role", "system"},
          {"content",
           system_prompt({.instructions = options_.agent.instructions,
                          .uses_json = options_.uses_json_protocol},
                         functions)}}});
    turn.sent.insert(turn.sent.end(), run.history.begin(), run.history.end());
    turn.sent.push_back({{"role", "user"}, {"content", run.task}});
  }
  for (const StepGroup* group : last_groups(run)) {
    turn.sent.push_back(
        result_message(group->call_id, group_outcome(*group, run)));
  }
  Json messages = run.messages;
  messages.insert(messages.end(), turn.sent.begin(), turn.sent.end());
  ASSIGN_OR_RETURN(const llm::ChatReply reply,
                   ask(messages, std::move(functions), budget, cancel));
  turn.reply = reply_message(reply);
  turn.tokens = reply.usage.total();
  turn.money_micros = reply.money_micros.value_or(0);

  const bool finishes = reply.tool_calls.size() == 1 &&
                        reply.tool_calls[0].name == kFinishFunction;
  if (reply.tool_calls.empty() || finishes) {
    const Json arguments =
        finishes
            ? parse_json(reply.tool_calls[0].arguments).value_or(Json::object())
            : Json::object();
    turn.reflection = finishes ? read_reflection(arguments) : judge(run);
    turn.answer = json_field_or<std::string>(arguments, "answer", reply.text)
                      .value_or(reply.text);
    close_plan_session(thoughts_, run, *turn.reflection);
    return turn;
  }
  for (const llm::ChatToolCall& call : reply.tool_calls) {
    turn.groups.push_back(make_group(run, call, skills));
  }
  note_plan(thoughts_, run, turn.groups, reply.text, tools_);
  return turn;
}

}  // namespace lamarck::agent
