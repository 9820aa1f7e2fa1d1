#include "lamarck/server/internal/thought_calls.h"

#include <array>
#include <nlohmann/json.hpp>

#include "lamarck/base/ensure.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/server/internal/tool_arguments.h"
#include "lamarck/store/redaction.h"
#include "lamarck/thought/session_export.h"

namespace lamarck::server {
namespace {

using thought::SessionAction;

constexpr std::int64_t kEventPage = 20;

struct NamedAction {
  std::string_view name;
  SessionAction action;
};
constexpr std::array kActions = {
    NamedAction{"status", SessionAction::Status},
    NamedAction{"pause", SessionAction::Pause},
    NamedAction{"resume", SessionAction::Resume},
    NamedAction{"checkpoint", SessionAction::Checkpoint},
    NamedAction{"restore", SessionAction::Restore},
    NamedAction{"complete", SessionAction::Complete},
    NamedAction{"fail", SessionAction::Fail}};

SessionAction parse_action(std::string_view name) {
  for (const NamedAction& entry : kActions) {
    if (entry.name == name) return entry.action;
  }
  ENSURE(false, "the schema allows no other action");
  return SessionAction::Status;
}

store::ClockCounts parse_clock(const Json& arguments) {
  const auto found = arguments.find("vector_clock");
  return found == arguments.end() ? store::ClockCounts{}
                                  : found->get<store::ClockCounts>();
}

std::string object_text(const Json& arguments, std::string_view name) {
  const auto found = arguments.find(name);
  return found == arguments.end() ? "" : dump_json(*found);
}

Result<std::string> fork_branch(const ThoughtTools& tools,
                                const Json& arguments,
                                const thought::Caller& caller) {
  thought::BranchFork fork;
  fork.session = get_text(arguments, "session");
  fork.from = get_text(arguments, "branch", "main");
  if (!arguments.contains("children")) {
    return Error(ErrorCode::InvalidArgument,
                 "The action fork needs `children`, such as [{\"name\": "
                 "\"a\", \"content\": \"Its first thought\"}].");
  }
  for (const Json& child : arguments.at("children")) {
    fork.children.push_back({.name = get_text(child, "name"),
                             .content = get_text(child, "content")});
  }
  return tools.engine.fork(fork, caller);
}

Result<std::string> merge_branches(const ThoughtTools& tools,
                                   const Json& arguments,
                                   const thought::Caller& caller) {
  if (get_texts(arguments, "from").empty()) {
    return Error(ErrorCode::InvalidArgument,
                 "The action merge needs `from` with the branches to merge, "
                 "such as [\"retry\", \"refresh\"].");
  }
  return tools.engine.merge({.session = get_text(arguments, "session"),
                             .into = get_text(arguments, "branch", "main"),
                             .from = get_texts(arguments, "from"),
                             .content = get_text(arguments, "content")},
                            caller);
}

Result<std::string> score_branch(const ThoughtTools& tools,
                                 const Json& arguments,
                                 const thought::Caller& caller) {
  const thought::BranchScore defaults;
  return tools.engine.score_branch(
      {.session = get_text(arguments, "session"),
       .branch = get_text(arguments, "branch", "main"),
       .score = {.completeness = get_number(arguments, "completeness",
                                            defaults.completeness),
                 .risk = get_number(arguments, "risk", defaults.risk),
                 .cost = get_number(arguments, "cost", defaults.cost),
                 .history_prior = get_number(arguments, "history_prior",
                                             defaults.history_prior)}},
      caller);
}

Result<void> check_after(store::Journal& journal, const std::string& after) {
  if (after.empty()) return {};
  const Result<store::Run> run = journal.run(after);
  if (!run && run.error().code() != ErrorCode::NotFound) return run.error();
  if (run && run->kind == "thought") return {};
  return Error(ErrorCode::NotFound,
               "Session " + in_quotes(after) +
                   " does not exist; pass the `after` of the previous page, or "
                   "omit it for the newest sessions.",
               {{"session", after}});
}

Result<std::string> session_list(store::Journal& journal,
                                 const std::string& after) {
  constexpr std::size_t kPage = 50;
  RETURN_IF_ERROR(check_after(journal, after));
  // One extra entry shows whether there is another page.
  ASSIGN_OR_RETURN(
      std::vector<store::Run> runs,
      journal.runs({.kind = "thought", .after = after, .limit = kPage + 1}));
  const bool has_more = runs.size() > kPage;
  if (has_more) runs.pop_back();
  ASSIGN_OR_RETURN(const std::uint64_t total, journal.run_count("thought"));
  Json sessions = Json::array();
  for (const store::Run& run : runs) {
    sessions.push_back({{"session", run.id},
                        {"goal", store::redacted(run.title)},
                        {"state", run.state},
                        {"events", run.head},
                        {"updated", to_iso8601(run.updated)}});
  }
  Json list = {{"format", "list"}, {"sessions", sessions}, {"total", total}};
  if (has_more) {
    list["next_step"] = "For older sessions, call think_digest with after " +
                        in_quotes(runs.back().id) + ".";
    list["after"] = runs.back().id;
  }
  return dump_json(list);
}

using Exporter = std::string (*)(const thought::Session&,
                                 const std::vector<store::Event>&,
                                 const thought::ExportOptions&);

Result<std::string> exported(const ThoughtTools& tools,
                             const std::string& session,
                             std::string_view format, Exporter exporter) {
  ASSIGN_OR_RETURN(const thought::Session state, tools.engine.session(session));
  ASSIGN_OR_RETURN(const std::vector<store::Event> events,
                   tools.journal.events(session));
  return dump_json(Json{{"format", format},
                        {"session", session},
                        {"text", exporter(state, events, {})}});
}

Result<std::string> event_of(const ThoughtTools& tools,
                             const std::string& session,
                             const Json& arguments) {
  const std::string name = get_text(arguments, "event");
  if (!name.empty()) return tools.engine.event(session, name);
  return Error(ErrorCode::InvalidArgument,
               "The format event needs `event`, such as \"#12\" from a digest "
               "or an id.");
}

Result<std::string> make_digest(const ThoughtTools& tools,
                                const Json& arguments) {
  const std::string session = get_text(arguments, "session");
  if (session.empty()) {
    return session_list(tools.journal, get_text(arguments, "after"));
  }
  const std::string format = get_text(arguments, "format", "digest");
  if (format == "metrics") return tools.engine.metrics(session);
  if (format == "mermaid") {
    return exported(tools, session, format, thought::to_mermaid);
  }
  if (format == "dot") return exported(tools, session, format, thought::to_dot);
  if (format == "json") {
    return exported(tools, session, format, thought::to_json_text);
  }
  const auto after =
      static_cast<std::uint64_t>(get_count(arguments, "after_seq", 0));
  const auto limit =
      static_cast<std::size_t>(get_count(arguments, "limit", kEventPage));
  if (format == "events") return tools.engine.events(session, after, limit);
  if (format == "path") {
    return tools.engine.path(session, get_text(arguments, "branch", "main"),
                             after, limit);
  }
  if (format == "event") return event_of(tools, session, arguments);
  return tools.engine.digest(session, get_text(arguments, "branch"),
                             get_count(arguments, "max_tokens", 200));
}

}  // namespace

mcp::Outcome call_session_start(const ThoughtTools& tools,
                                mcp::CallContext& context,
                                const Json& arguments) {
  const thought::SessionBudgets defaults;
  return make_outcome(tools.engine.start_session(
      {.goal = get_text(arguments, "goal"),
       .success_criteria = get_texts(arguments, "success_criteria"),
       .budgets =
           {.tokens = get_count(arguments, "token_budget", defaults.tokens),
            .wall_time = std::chrono::milliseconds(get_count(
                arguments, "time_budget_ms", defaults.wall_time.count())),
            .branches =
                get_count(arguments, "max_branches", defaults.branches)}},
      make_caller(context, arguments)));
}

mcp::Outcome call_session_control(const ThoughtTools& tools,
                                  mcp::CallContext& context,
                                  const Json& arguments) {
  if (get_text(arguments, "action") == "extend") {
    return make_outcome(tools.engine.extend_time(
        get_text(arguments, "session"),
        std::chrono::milliseconds(get_count(arguments, "add_time_ms", 0)),
        get_text(arguments, "note"), make_caller(context, arguments)));
  }
  return make_outcome(tools.engine.control(
      get_text(arguments, "session"),
      parse_action(get_text(arguments, "action")), get_text(arguments, "note"),
      make_caller(context, arguments)));
}

mcp::Outcome call_plan_step(const ThoughtTools& tools,
                            mcp::CallContext& context, const Json& arguments) {
  const bool is_critique = get_text(arguments, "kind", "step") == "critique";
  return make_outcome(tools.engine.add_step(
      {.session = get_text(arguments, "session"),
       .branch = get_text(arguments, "branch", "main"),
       .content = get_text(arguments, "content"),
       .role = get_text(arguments, "role", is_critique ? "critic" : "planner"),
       .is_critique = is_critique,
       .parents = get_texts(arguments, "parents"),
       .edge_type = get_text(arguments, "edge_type",
                             is_critique ? "contradicts" : "causes"),
       .vector_clock = parse_clock(arguments),
       .token_cost = get_count(arguments, "token_cost", 0),
       .is_private = get_flag(arguments, "private")},
      make_caller(context, arguments)));
}

mcp::Outcome call_branch(const ThoughtTools& tools, mcp::CallContext& context,
                         const Json& arguments) {
  const thought::Caller caller = make_caller(context, arguments);
  const std::string action = get_text(arguments, "action");
  if (action == "fork")
    return make_outcome(fork_branch(tools, arguments, caller));
  if (action == "merge")
    return make_outcome(merge_branches(tools, arguments, caller));
  if (action == "score")
    return make_outcome(score_branch(tools, arguments, caller));
  if (action == "stop") {
    return make_outcome(tools.engine.stop_branch(
        {.session = get_text(arguments, "session"),
         .branch = get_text(arguments, "branch", "main"),
         .reason = get_text(arguments, "reason", "given up by the client")},
        caller));
  }
  return make_outcome(tools.engine.control(get_text(arguments, "session"),
                                           SessionAction::Status, "", caller));
}

mcp::Outcome call_validate_plan(const ThoughtTools& tools,
                                mcp::CallContext& context,
                                const Json& arguments) {
  return make_outcome(tools.engine.validate_plan(
      {.session = get_text(arguments, "session"),
       .branch = get_text(arguments, "branch", "main"),
       .plan = object_text(arguments, "plan"),
       .plan_type = get_text(arguments, "plan_type", "ExecutionPlan"),
       .schema = object_text(arguments, "schema"),
       .context = object_text(arguments, "context")},
      make_caller(context, arguments)));
}

mcp::Outcome call_export_plan(const ThoughtTools& tools,
                              mcp::CallContext& context,
                              const Json& arguments) {
  return make_outcome(tools.engine.export_plan(
      get_text(arguments, "session"), get_text(arguments, "branch", "main"),
      make_caller(context, arguments)));
}

mcp::Outcome call_receive_evidence(const ThoughtTools& tools,
                                   mcp::CallContext& context,
                                   const Json& arguments) {
  return make_outcome(tools.engine.receive_evidence(
      {.session = get_text(arguments, "session"),
       .branch = get_text(arguments, "branch", "main"),
       .execution_id = get_text(arguments, "execution_id"),
       .success = get_flag(arguments, "success"),
       .summary = get_text(arguments, "summary"),
       .tests_passed = get_count(arguments, "tests_passed", 0),
       .tests_failed = get_count(arguments, "tests_failed", 0),
       .failure = {.stderr_text = get_text(arguments, "stderr"),
                   .tool = get_text(arguments, "tool"),
                   .arguments = object_text(arguments, "tool_arguments"),
                   .exit_code =
                       static_cast<int>(get_count(arguments, "exit_code", 1))},
       .healing_action = get_text(arguments, "healing_action"),
       .criteria_met = get_texts(arguments, "criteria_met"),
       .criteria_failed = get_texts(arguments, "criteria_failed")},
      make_caller(context, arguments)));
}

mcp::Outcome call_export_doc_plan(const ThoughtTools& tools,
                                  mcp::CallContext& context,
                                  const Json& arguments) {
  return make_outcome(tools.engine.export_doc_plan(
      get_text(arguments, "session"), get_text(arguments, "branch", "main"),
      make_caller(context, arguments)));
}

mcp::Outcome call_receive_doc_validation(const ThoughtTools& tools,
                                         mcp::CallContext& context,
                                         const Json& arguments) {
  return make_outcome(tools.engine.receive_doc_validation(
      {.session = get_text(arguments, "session"),
       .branch = get_text(arguments, "branch", "main"),
       .validation_id = get_text(arguments, "validation_id"),
       .compliance_score = get_number(arguments, "compliance_score", 0),
       .placement_correct = get_flag(arguments, "placement_correct"),
       .summary = get_text(arguments, "summary")},
      make_caller(context, arguments)));
}

mcp::Outcome call_digest(const ThoughtTools& tools, mcp::CallContext&,
                         const Json& arguments) {
  return make_outcome(make_digest(tools, arguments));
}

}  // namespace lamarck::server
