#include "lamarck/agent/routing_planner.h"

#include <algorithm>
#include <set>
#include <nlohmann/json.hpp>

#include "lamarck/agent/planner_messages.h"
#include "lamarck/base/ascii.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/llm/token_usage.h"
#include "lamarck/skills/skill_replay.h"
#include "lamarck/text/value_shape.h"

namespace lamarck::agent {
namespace {

constexpr std::size_t kMaxNameSize = 60;
constexpr std::size_t kMaxShaped = 80;  // Longer texts have no shape in common.

// "Book a flight" -> "book_a_flight".
std::string identifier_of(std::string_view name) {
  std::string text;
  for (const char given : name) {
    const char c = ascii::lower(given);
    if (ascii::is_digit(c) || (c >= 'a' && c <= 'z')) {
      text += c;
    } else if (!text.empty() && !text.ends_with('_')) {
      text += '_';
    }
    if (text.size() == kMaxNameSize) break;
  }
  while (text.ends_with('_')) text.pop_back();
  return text.empty() ? "skill" : text;
}

bool was_made_before(const AgentRun& run, const std::string& tool,
                     const Json& arguments) {
  return std::ranges::any_of(run.calls, [&](const CallRecord& one) {
    return one.call.tool == tool && one.call.arguments == arguments;
  });
}

const StepGroup* last_group(const AgentRun& run) {
  return run.groups.empty() ? nullptr : &run.groups.back();
}

// Ends the run: it succeeded if its last group did.
PlannedTurn finished(const AgentRun& run, PlannedTurn turn) {
  const StepGroup* last = last_group(run);
  const bool success = last != nullptr && last->has_succeeded();
  const bool is_new =
      success && last->skill_id.empty() && run.calls.size() >= 3;
  turn.reflection = skills::Reflection{
      .success = success,
      .summary = success ? "The last call succeeded." : "No call succeeded.",
      .reusability = is_new ? 0.7 : 0.0};
  if (success && !last->results.empty()) {
    turn.answer = dump_json(last->results.back());
  }
  return turn;
}

// The results of the last group, in the form of the protocol.
Json results_of(const StepGroup& group) {
  if (!group.has_succeeded()) {
    return {{"error", group.error.empty() ? "It failed." : group.error}};
  }
  return group.results.size() == 1 ? group.results.front()
                                   : Json(group.results);
}

}  // namespace

Json shaped_schema(const skills::Skill& skill) {
  Json schema = skill_schema(skill);
  for (auto& [name, property] : schema["properties"].items()) {
    std::set<std::string> shapes;
    for (const Json& one : skill.definition.evals) {
      const Json arguments = one.value("arguments", Json::object());
      const Json value =
          arguments.is_object() ? arguments.value(name, Json()) : Json();
      if (value.is_string() && value.get<std::string>().size() <= kMaxShaped) {
        shapes.insert(text::value_shape(value.get<std::string>()));
      }
    }
    if (!shapes.empty()) property[text::kShapesKeyword] = shapes;
  }
  return schema;
}

std::vector<llm::ChatTool> skill_functions(
    const std::vector<skills::Skill>& skills) {
  std::vector<llm::ChatTool> functions;
  for (const skills::Skill& skill : skills) {
    const std::string base = identifier_of(skill.definition.name);
    std::string name = base;
    const auto is_taken = [&](const llm::ChatTool& one) {
      return one.name == name;
    };
    for (int i = 2; std::ranges::any_of(functions, is_taken); ++i) {
      name = base + "_" + std::to_string(i);
    }
    functions.push_back(
        {.name = name,
         .description = one_line(skill.definition.description, 500),
         .parameters = dump_json(shaped_schema(skill))});
  }
  return functions;
}

RoutingPlanner::RoutingPlanner(RoutingPlannerOptions options,
                               llm::ChatModel& model, const ToolRegistry& tools,
                               skills::SkillLibrary* library)
    : options_(std::move(options)),
      model_(model),
      tools_(tools),
      library_(library) {}

// Finds the skills that fit and enters them in the ledger as offered.
Result<std::vector<skills::Skill>> RoutingPlanner::offer_skills(
    const AgentRun& run, const Record& record, const CancelToken& cancel) {
  std::vector<skills::Skill> offered;
  if (library_ == nullptr) return offered;
  const skills::AgentRecord& agent = options_.agent;
  auto found = library_->search(agent.org_id, agent.id, run.task,
                                options_.max_skills, cancel);
  // Without its memory the agent can still use tools.
  if (!found) found = skills::SkillMatches{.reason = found.error().message()};
  Json ids = Json::array();
  std::string names;
  for (skills::SkillMatch& match : found->matches) {
    ids.push_back(match.skill.id);
    names += (names.empty() ? "" : ", ") + match.skill.definition.name;
    static_cast<void>(library_->store().record_use(
        agent.org_id, {.skill_id = match.skill.id,
                       .skill_version = match.skill.version,
                       .agent_id = agent.id,
                       .session_id = run.id,
                       .kind = "offered"}));
    offered.push_back(std::move(match.skill));
  }
  RETURN_IF_ERROR(record("skills_offered", {{"skills", ids},
                                            {"suggestions", Json::object()},
                                            {"names", names},
                                            {"reason", found->reason}}));
  return offered;
}

Result<llm::ChatReply> RoutingPlanner::ask(const Json& messages,
                                           std::vector<llm::ChatTool> functions,
                                           PlannedTurn& turn, Budget& budget,
                                           const CancelToken& cancel) {
  llm::ChatRequest request{.max_tokens = options_.max_tokens};
  for (const Json& message : messages) {
    request.messages.push_back(to_chat_message(message));
  }
  request.tools = std::move(functions);
  ASSIGN_OR_RETURN(Reservation reservation,
                   budget.reserve(llm::budget_amounts(llm::max_usage(request),
                                                      model_.price())));
  ASSIGN_OR_RETURN(llm::ChatReply reply, model_.complete(request, cancel));
  reservation.settle(llm::budget_amounts(reply.usage, model_.price()));
  turn.tokens += reply.usage.total();
  turn.money_micros += reply.money_micros.value_or(0);
  turn.reply = reply_message(reply);
  return reply;
}

Result<StepGroup> RoutingPlanner::use_skill(const AgentRun& run,
                                            const llm::ChatToolCall& call,
                                            const skills::Skill& skill) {
  ASSIGN_OR_RETURN(const Json arguments,
                   parse_json(call.arguments, {.depth = 64}));
  ASSIGN_OR_RETURN(Json bound,
                   skills::bind_arguments(skill.definition, arguments));
  const auto use = library_->begin_use(options_.agent.org_id, options_.agent.id,
                                       skill.id, run.id);
  return StepGroup{.call_id = call.id,
                   .skill_id = skill.id,
                   .skill_name = skill.definition.name,
                   .use_id = use ? use->id : "",
                   .steps = skill.definition.steps,
                   .params = std::move(bound)};
}

Result<PlannedTurn> RoutingPlanner::route_to_tools(const AgentRun& run,
                                                   PlannedTurn turn,
                                                   Budget& budget,
                                                   const CancelToken& cancel) {
  if (run.calls.size() >= options_.max_calls) {
    return finished(run, std::move(turn));
  }
  std::vector<llm::ChatTool> functions =
      chat_tools(tools_, {}, {.may_delegate = false});
  std::erase_if(functions, [](const llm::ChatTool& one) {
    return one.name == kFinishFunction;
  });
  Json messages = run.messages;
  messages.insert(messages.end(), turn.sent.begin(), turn.sent.end());
  ASSIGN_OR_RETURN(const llm::ChatReply reply,
                   ask(messages, std::move(functions), turn, budget, cancel));
  for (const llm::ChatToolCall& call : reply.tool_calls) {
    const std::string tool = tool_of_function(call.name, tools_);
    const auto arguments = parse_json(call.arguments, {.depth = 64});
    if (!arguments || !arguments->is_object() ||
        was_made_before(run, tool, *arguments)) {
      continue;
    }
    turn.groups.push_back({.call_id = call.id,
                           .is_literal = true,
                           .steps = {{.tool = tool, .arguments = *arguments}}});
  }
  if (turn.groups.empty()) return finished(run, std::move(turn));
  return turn;
}

Result<PlannedTurn> RoutingPlanner::next(const AgentRun& run, Budget& budget,
                                         const Record& record,
                                         const CancelToken& cancel) {
  PlannedTurn turn;
  const StepGroup* last = last_group(run);
  if (last != nullptr) {
    if (!last->skill_id.empty() && last->has_succeeded()) {
      return finished(run, std::move(turn));
    }
    turn.sent.push_back(result_message(last->call_id, results_of(*last)));
    return route_to_tools(run, std::move(turn), budget, cancel);
  }
  turn.sent.push_back({{"role", "user"}, {"content", run.task}});
  ASSIGN_OR_RETURN(const std::vector<skills::Skill> skills,
                   offer_skills(run, record, cancel));
  if (!skills.empty()) {
    const std::vector<llm::ChatTool> functions = skill_functions(skills);
    ASSIGN_OR_RETURN(const llm::ChatReply reply,
                     ask(turn.sent, functions, turn, budget, cancel));
    for (const llm::ChatToolCall& call : reply.tool_calls) {
      const auto index =
          std::ranges::find(functions, call.name, &llm::ChatTool::name) -
          functions.begin();
      if (index == std::ssize(functions)) continue;
      auto group =
          use_skill(run, call, skills[static_cast<std::size_t>(index)]);
      if (!group) continue;  // The arguments do not fit.
      turn.groups.push_back(std::move(*group));
      return turn;
    }
  }
  return route_to_tools(run, std::move(turn), budget, cancel);
}

}  // namespace lamarck::agent
