#include "lamarck/server/internal/thought_calls.h"

#include <array>
#include <nlohmann/json.hpp>

#include "lamarck/base/ensure.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/server/internal/tool_arguments.h"
#include "lamarck/thought/redaction.h"
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

SessionAction action_named(std::string_view name) {
  for (const NamedAction& entry : kActions) {
    if (entry.name == name) return entry.action;
  }
  ENSURE(false, "the schema allows no other action");
  return SessionAction::Status;
}

store::ClockCounts clock_of(const Json& arguments) {
  const auto found = arguments.find("vector_clock");
  return found == arguments.end() ? store::ClockCounts{}
                                  : found->get<store::ClockCounts>();
}

std::string object_text(const Json& arguments, std::string_view name) {
  const auto found = arguments.find(name);
  return found == arguments.end() ? "" : dump_json(*found);
}

Result<std::string> fork_of(const ThoughtTools& tools, const Json& arguments,
                            const thought::Caller& caller) {
  thought::BranchFork fork;
  fork.session = text_of(arguments, "session");
  fork.from = text_of(arguments, "branch", "main");
  if (!arguments.contains("children")) {
    return Error(ErrorCode::InvalidArgument,
                 "The action fork needs `children`, such as [{\"name\": "
                 "\"a\", \"content\": \"Its first thought\"}].");
  }
  for (const Json& child : arguments.at("children")) {
    fork.children.push_back(
        {.name = text_of(child, "name"), .content = text_of(child, "content")});
  }
  return tools.engine.fork(fork, caller);
}

Result<std::string> merge_of(const ThoughtTools& tools, const Json& arguments,
                             const thought::Caller& caller) {
  if (texts_of(arguments, "from").empty()) {
    return Error(ErrorCode::InvalidArgument,
                 "The action merge needs `from` with the branches to merge, "
                 "such as [\"retry\", \"refresh\"].");
  }
  return tools.engine.merge({.session = text_of(arguments, "session"),
                             .into = text_of(arguments, "branch", "main"),
                             .from = texts_of(arguments, "from"),
                             .content = text_of(arguments, "content")},
                            caller);
}

Result<std::string> score_of(const ThoughtTools& tools, const Json& arguments,
                             const thought::Caller& caller) {
  const thought::BranchScore defaults;
  return tools.engine.score_branch(
      {.session = text_of(arguments, "session"),
       .branch = text_of(arguments, "branch", "main"),
       .score = {.completeness = number_of(arguments, "completeness",
                                           defaults.completeness),
                 .risk = number_of(arguments, "risk", defaults.risk),
                 .cost = number_of(arguments, "cost", defaults.cost),
                 .history_prior = number_of(arguments, "history_prior",
                                            defaults.history_prior)}},
      caller);
}

// Counts page by page, so that a long journal does not have to fit into memory.
Result<std::size_t> session_count(store::Journal& journal) {
  store::RunFilter filter{.kind = "thought", .limit = 1000};
  for (std::size_t count = 0;;) {
    ASSIGN_OR_RETURN(const std::vector<store::Run> page, journal.runs(filter));
    count += page.size();
    if (page.size() < filter.limit) return count;
    filter.after = page.back().id;
  }
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
  ASSIGN_OR_RETURN(const std::size_t total, session_count(journal));
  Json sessions = Json::array();
  for (const store::Run& run : runs) {
    sessions.push_back({{"session", run.id},
                        {"goal", thought::redacted(run.title)},
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
  const std::string name = text_of(arguments, "event");
  if (!name.empty()) return tools.engine.event(session, name);
  return Error(ErrorCode::InvalidArgument,
               "The format event needs `event`, such as \"#12\" from a digest "
               "or an id.");
}

Result<std::string> digest_of(const ThoughtTools& tools,
                              const Json& arguments) {
  const std::string session = text_of(arguments, "session");
  if (session.empty()) {
    return session_list(tools.journal, text_of(arguments, "after"));
  }
  const std::string format = text_of(arguments, "format", "digest");
  if (format == "metrics") return tools.engine.metrics(session);
  if (format == "mermaid") {
    return exported(tools, session, format, thought::to_mermaid);
  }
  if (format == "dot") return exported(tools, session, format, thought::to_dot);
  if (format == "json") {
    return exported(tools, session, format, thought::to_json_text);
  }
  const auto after =
      static_cast<std::uint64_t>(count_of(arguments, "after_seq", 0));
  const auto limit =
      static_cast<std::size_t>(count_of(arguments, "limit", kEventPage));
  if (format == "events") return tools.engine.events(session, after, limit);
  if (format == "path") {
    return tools.engine.path(session, text_of(arguments, "branch", "main"),
                             after, limit);
  }
  if (format == "event") return event_of(tools, session, arguments);
  return tools.engine.digest(session, text_of(arguments, "branch"),
                             count_of(arguments, "max_tokens", 200));
}

}  // namespace

mcp::Outcome call_session_start(const ThoughtTools& tools,
                                mcp::CallContext& context,
                                const Json& arguments) {
  const thought::SessionBudgets defaults;
  return outcome_of(tools.engine.start_session(
      {.goal = text_of(arguments, "goal"),
       .success_criteria = texts_of(arguments, "success_criteria"),
       .budgets =
           {.tokens = count_of(arguments, "token_budget", defaults.tokens),
            .wall_time = std::chrono::milliseconds(count_of(
                arguments, "time_budget_ms", defaults.wall_time.count())),
            .branches =
                count_of(arguments, "max_branches", defaults.branches)}},
      caller_of(context, arguments)));
}

mcp::Outcome call_session_control(const ThoughtTools& tools,
                                  mcp::CallContext& context,
                                  const Json& arguments) {
  if (text_of(arguments, "action") == "extend") {
    return outcome_of(tools.engine.extend_time(
        text_of(arguments, "session"),
        std::chrono::milliseconds(count_of(arguments, "add_time_ms", 0)),
        text_of(arguments, "note"), caller_of(context, arguments)));
  }
  return outcome_of(tools.engine.control(
      text_of(arguments, "session"), action_named(text_of(arguments, "action")),
      text_of(arguments, "note"), caller_of(context, arguments)));
}

mcp::Outcome call_plan_step(const ThoughtTools& tools,
                            mcp::CallContext& context, const Json& arguments) {
  const bool is_critique = text_of(arguments, "kind", "step") == "critique";
  return outcome_of(tools.engine.add_step(
      {.session = text_of(arguments, "session"),
       .branch = text_of(arguments, "branch", "main"),
       .content = text_of(arguments, "content"),
       .role = text_of(arguments, "role", is_critique ? "critic" : "planner"),
       .is_critique = is_critique,
       .parents = texts_of(arguments, "parents"),
       .edge_type = text_of(arguments, "edge_type",
                            is_critique ? "contradicts" : "causes"),
       .vector_clock = clock_of(arguments),
       .token_cost = count_of(arguments, "token_cost", 0),
       .is_private = flag_of(arguments, "private")},
      caller_of(context, arguments)));
}

mcp::Outcome call_branch(const ThoughtTools& tools, mcp::CallContext& context,
                         const Json& arguments) {
  const thought::Caller caller = caller_of(context, arguments);
  const std::string action = text_of(arguments, "action");
  if (action == "fork") return outcome_of(fork_of(tools, arguments, caller));
  if (action == "merge") return outcome_of(merge_of(tools, arguments, caller));
  if (action == "score") return outcome_of(score_of(tools, arguments, caller));
  if (action == "stop") {
    return outcome_of(tools.engine.stop_branch(
        {.session = text_of(arguments, "session"),
         .branch = text_of(arguments, "branch", "main"),
         .reason = text_of(arguments, "reason", "given up by the client")},
        caller));
  }
  return outcome_of(tools.engine.control(text_of(arguments, "session"),
                                         SessionAction::Status, "", caller));
}

mcp::Outcome call_validate_plan(const ThoughtTools& tools,
                                mcp::CallContext& context,
                                const Json& arguments) {
  return outcome_of(tools.engine.validate_plan(
      {.session = text_of(arguments, "session"),
       .branch = text_of(arguments, "branch", "main"),
       .plan = object_text(arguments, "plan"),
       .plan_type = text_of(arguments, "plan_type", "ExecutionPlan"),
       .schema = object_text(arguments, "schema"),
       .context = object_text(arguments, "context")},
      caller_of(context, arguments)));
}

mcp::Outcome call_export_plan(const ThoughtTools& tools,
                              mcp::CallContext& context,
                              const Json& arguments) {
  return outcome_of(tools.engine.export_plan(
      text_of(arguments, "session"), text_of(arguments, "branch", "main"),
      caller_of(context, arguments)));
}

mcp::Outcome call_receive_evidence(const ThoughtTools& tools,
                                   mcp::CallContext& context,
                                   const Json& arguments) {
  return outcome_of(tools.engine.receive_evidence(
      {.session = text_of(arguments, "session"),
       .branch = text_of(arguments, "branch", "main"),
       .execution_id = text_of(arguments, "execution_id"),
       .success = flag_of(arguments, "success"),
       .summary = text_of(arguments, "summary"),
       .tests_passed = count_of(arguments, "tests_passed", 0),
       .tests_failed = count_of(arguments, "tests_failed", 0),
       .failure = {.stderr_text = text_of(arguments, "stderr"),
                   .tool = text_of(arguments, "tool"),
                   .arguments = object_text(arguments, "tool_arguments"),
                   .exit_code =
                       static_cast<int>(count_of(arguments, "exit_code", 1))},
       .healing_action = text_of(arguments, "healing_action"),
       .criteria_met = texts_of(arguments, "criteria_met"),
       .criteria_failed = texts_of(arguments, "criteria_failed")},
      caller_of(context, arguments)));
}

mcp::Outcome call_export_doc_plan(const ThoughtTools& tools,
                                  mcp::CallContext& context,
                                  const Json& arguments) {
  return outcome_of(tools.engine.export_doc_plan(
      text_of(arguments, "session"), text_of(arguments, "branch", "main"),
      caller_of(context, arguments)));
}

mcp::Outcome call_receive_doc_validation(const ThoughtTools& tools,
                                         mcp::CallContext& context,
                                         const Json& arguments) {
  return outcome_of(tools.engine.receive_doc_validation(
      {.session = text_of(arguments, "session"),
       .branch = text_of(arguments, "branch", "main"),
       .validation_id = text_of(arguments, "validation_id"),
       .compliance_score = number_of(arguments, "compliance_score", 0),
       .placement_correct = flag_of(arguments, "placement_correct"),
       .summary = text_of(arguments, "summary")},
      caller_of(context, arguments)));
}

mcp::Outcome call_digest(const ThoughtTools& tools, mcp::CallContext&,
                         const Json& arguments) {
  return outcome_of(digest_of(tools, arguments));
}

}  // namespace lamarck::server
