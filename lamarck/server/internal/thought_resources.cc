#include "lamarck/server/internal/thought_resources.h"

#include <map>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/server/internal/tool_arguments.h"
#include "lamarck/store/redaction.h"
#include "lamarck/thought/session_export.h"

namespace lamarck::server {
namespace {

constexpr std::string_view kSessions = "thought://sessions";
constexpr std::string_view kSession = "thought://session/";
constexpr std::string_view kMermaid = "text/vnd.mermaid";

using Values = std::map<std::string, std::string>;

Json run_json(const store::Run& run) {
  return {{"session", run.id},
          {"goal", store::redacted(run.title)},
          {"state", run.state},
          {"events", run.head},
          {"created", to_iso8601(run.created)},
          {"updated", to_iso8601(run.updated)}};
}

Result<mcp::ResourceText> session_list(store::Journal& journal) {
  ASSIGN_OR_RETURN(const std::vector<store::Run> runs,
                   journal.runs({.kind = "thought", .limit = 1000}));
  Json list = Json::array();
  for (const store::Run& run : runs) list.push_back(run_json(run));
  return mcp::ResourceText{.text = dump_json(Json{{"sessions", list}})};
}

using Exporter = std::string (*)(const thought::Session&,
                                 const std::vector<store::Event>&,
                                 const thought::ExportOptions&);

Result<mcp::ResourceText> export_graph(const ThoughtTools& tools,
                                       const std::string& session,
                                       Exporter exporter,
                                       std::string_view mime) {
  ASSIGN_OR_RETURN(const thought::Session state,
                   tools.engine.session_now(session));
  ASSIGN_OR_RETURN(const std::vector<store::Event> events,
                   tools.journal.events(session));
  return mcp::ResourceText{.mime_type = std::string(mime),
                           .text = exporter(state, events, {})};
}

Result<mcp::ResourceText> json_text(Result<std::string> answer) {
  if (!answer) return answer.error();
  return mcp::ResourceText{.text = std::move(*answer)};
}

Result<mcp::ResourceText> session_status(const ThoughtTools& tools,
                                         const std::string& session) {
  ASSIGN_OR_RETURN(const std::string status,
                   tools.engine.control(session, thought::SessionAction::Status,
                                        "", thought::Caller{}));
  ASSIGN_OR_RETURN(const Json parsed, parse_json(status));
  return mcp::ResourceText{.text = dump_json(store::redacted_json(parsed))};
}

Result<void> check_session(const ThoughtTools& tools, const Values& values) {
  const std::string& id = values.at("session");
  const Result<store::Run> run = tools.journal.run(id);
  if (!run && run.error().code() != ErrorCode::NotFound) return run.error();
  if (run && run->kind == "thought") return {};
  return Error(ErrorCode::NotFound,
               "Session " + in_quotes(id) +
                   " does not exist; thought://sessions lists all sessions.");
}

Result<void> check_branch(const ThoughtTools& tools, const Values& values) {
  RETURN_IF_ERROR(check_session(tools, values));
  ASSIGN_OR_RETURN(
      const std::string found,
      tools.engine.digest(values.at("session"), values.at("branch")));
  return {};
}

auto checker(const ThoughtTools& tools) {
  return [tools](const Values& values) { return check_session(tools, values); };
}

std::vector<mcp::Resource> listed_sessions(const ThoughtTools& tools) {
  std::vector<mcp::Resource> list;
  const auto runs = tools.journal.runs({.kind = "thought", .limit = 1000});
  if (!runs) return list;
  for (const store::Run& run : *runs) {
    list.push_back({.uri = std::string(kSession) + run.id,
                    .name = run.id,
                    .title = one_line(store::redacted(run.title)),
                    .description = "Session in state " + run.state,
                    .mime_type = "application/json"});
  }
  return list;
}

mcp::ResourceTemplate session_template(const ThoughtTools& tools) {
  return {.uri_template = "thought://session/{session}",
          .name = "session",
          .title = "A session",
          .description = "State, branches and budgets of a session",
          .mime_type = "application/json",
          .read =
              [tools](mcp::CallContext&, const Values& values) {
                return session_status(tools, values.at("session"));
              },
          .check = checker(tools),
          .list = [tools] { return listed_sessions(tools); }};
}

mcp::ResourceTemplate view_template(const ThoughtTools& tools,
                                    std::string_view view,
                                    std::string_view description,
                                    std::string_view mime, Exporter exporter) {
  return {.uri_template = "thought://session/{session}/" + std::string(view),
          .name = "session_" + std::string(view),
          .title = std::string(description),
          .description = std::string(description),
          .mime_type = std::string(mime),
          .read =
              [tools, mime, exporter](mcp::CallContext&, const Values& values) {
                return export_graph(tools, values.at("session"), exporter,
                                    mime);
              },
          .check = checker(tools),
          .list = {}};
}

mcp::ResourceTemplate branch_template(const ThoughtTools& tools) {
  return {
      .uri_template = "thought://session/{session}/branch/{branch}",
      .name = "branch",
      .title = "A branch",
      .description = "Digest of one branch of a session",
      .mime_type = "application/json",
      .read =
          [tools](mcp::CallContext&, const Values& values) {
            return json_text(
                tools.engine.digest(values.at("session"), values.at("branch")));
          },
      .check =
          [tools](const Values& values) { return check_branch(tools, values); },
      .list = {}};
}

mcp::ResourceTemplate event_template(const ThoughtTools& tools) {
  const auto read = [tools](const Values& values) {
    return tools.engine.event(values.at("session"), values.at("event"));
  };
  return {
      .uri_template = "thought://session/{session}/event/{event}",
      .name = "event",
      .title = "An event",
      .description = "One event of a session, by its number or id",
      .mime_type = "application/json",
      .read = [read](mcp::CallContext&,
                     const Values& values) { return json_text(read(values)); },
      .check = [read](const Values& values) -> Result<void> {
        RETURN_IF_ERROR(read(values));
        return {};
      },
      .list = {}};
}

mcp::ResourceTemplate path_template(const ThoughtTools& tools) {
  constexpr std::size_t kMaxSteps = 1000;
  return {
      .uri_template = "thought://session/{session}/path/{branch}",
      .name = "path",
      .title = "The path of a branch",
      .description = "What led to a branch, oldest first",
      .mime_type = "application/json",
      .read =
          [tools](mcp::CallContext&, const Values& values) {
            return json_text(tools.engine.path(
                values.at("session"), values.at("branch"), 0, kMaxSteps));
          },
      .check =
          [tools](const Values& values) { return check_branch(tools, values); },
      .list = {}};
}

mcp::ResourceTemplate metrics_template(const ThoughtTools& tools) {
  return {.uri_template = "thought://session/{session}/metrics",
          .name = "session_metrics",
          .title = "Cost of a session",
          .description = "Tokens, model hops, waste and early stops",
          .mime_type = "application/json",
          .read =
              [tools](mcp::CallContext&, const Values& values) {
                return json_text(tools.engine.metrics(values.at("session")));
              },
          .check = checker(tools),
          .list = {}};
}

void add_completers(const ThoughtTools& tools, mcp::Registry& registry) {
  for (const mcp::ResourceTemplate& family : registry.templates) {
    registry.completers.push_back(
        {.of = family.uri_template,
         .argument = "session",
         .complete = [tools](std::string_view value, const Values&) {
           return sessions_like(tools.journal, value);
         }});
  }
  for (const char* family : {"thought://session/{session}/branch/{branch}",
                             "thought://session/{session}/path/{branch}"}) {
    registry.completers.push_back(
        {.of = family,
         .argument = "branch",
         .complete = [tools](std::string_view value, const Values& known) {
           const auto session = known.find("session");
           return session == known.end()
                      ? std::vector<std::string>{}
                      : branches_like(tools.engine, session->second, value);
         }});
  }
}

}  // namespace

std::vector<std::string> sessions_like(store::Journal& journal,
                                       std::string_view value) {
  std::vector<std::string> ids;
  const auto runs = journal.runs({.kind = "thought", .limit = 1000});
  if (!runs) return ids;
  for (const store::Run& run : *runs) {
    if (run.id.starts_with(value)) ids.push_back(run.id);
  }
  return ids;
}

std::vector<std::string> branches_like(thought::ThoughtEngine& engine,
                                       std::string_view session,
                                       std::string_view value) {
  std::vector<std::string> names;
  const auto state = engine.session(session);
  if (!state) return names;
  for (const auto& [id, branch] : state->branches) {
    // A name with a secret is replaced by the id, which also finds the branch.
    const bool is_public = store::redacted(branch.name) == branch.name;
    const std::string& name = is_public ? branch.name : id;
    if (name.starts_with(value)) names.push_back(name);
  }
  return names;
}

void add_thought_resources(const ThoughtTools& tools, mcp::Registry& registry) {
  registry.resources.push_back(
      {.uri = std::string(kSessions),
       .name = "sessions",
       .title = "All sessions",
       .description = "All thought sessions, newest first",
       .mime_type = "application/json",
       .read = [tools](mcp::CallContext&) {
         return session_list(tools.journal);
       }});
  registry.templates.push_back(session_template(tools));
  registry.templates.push_back(
      view_template(tools, "graph", "The graph of a session as Mermaid",
                    kMermaid, thought::to_mermaid));
  registry.templates.push_back(
      view_template(tools, "events", "All events and edges of a session",
                    "application/json", thought::to_json_text));
  registry.templates.push_back(metrics_template(tools));
  registry.templates.push_back(branch_template(tools));
  registry.templates.push_back(event_template(tools));
  registry.templates.push_back(path_template(tools));
  add_completers(tools, registry);
}

std::vector<std::string> changed_resources(std::string_view run) {
  // Other runs, such as tasks, are not resources.
  if (!run.starts_with("sess_")) return {};
  return {std::string(kSessions), std::string(kSession) + std::string(run)};
}

}  // namespace lamarck::server
