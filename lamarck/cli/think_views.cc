#include "lamarck/cli/think_views.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/one_line.h"
#include "lamarck/base/unicode.h"
#include "lamarck/thought/redaction.h"
#include "lamarck/thought/session_export.h"

namespace lamarck::cli {
namespace {

// The constraints are stored as JSON text; anything else counts as empty.
Json parse_constraints(const store::Event& event) {
  const Result<Json> parsed = parse_json(event.constraints);
  return parsed && parsed->is_object() ? *parsed : Json::object();
}

bool is_private(const store::Event& event) {
  const Json constraints = parse_constraints(event);
  const auto found = constraints.find("private");
  return found != constraints.end() && found->is_boolean() &&
         found->get<bool>();
}

// Redacts secrets and puts the text on one line.
std::string shown(std::string_view text) {
  return one_line(thought::redacted(text));
}

std::string shown_content(const store::Event& event) {
  return is_private(event) ? "[private]" : shown(event.content);
}

std::string branch_line(const thought::Branch& branch) {
  return fmt::format("  {:<14} {:<18} {:>4} steps {:>7} tokens  {}\n",
                     truncate_characters(shown(branch.name), 14),
                     thought::branch_state_name(branch.state), branch.steps,
                     branch.tokens, shown(branch.outcome));
}

}  // namespace

std::string session_list_text(const std::vector<store::Run>& runs,
                              bool has_more) {
  if (runs.empty()) return has_more ? "" : "No sessions yet.\n";
  std::string text = fmt::format("{:<41}  {:<15} {:>6}  {}\n", "session",
                                 "state", "events", "goal");
  for (const store::Run& run : runs) {
    text += fmt::format("{:<41}  {:<15} {:>6}  {}\n", run.id, run.state,
                        run.head, truncate_characters(shown(run.title), 60));
  }
  if (has_more) {
    text += fmt::format("There are older sessions; add --after {}.\n",
                        runs.back().id);
  }
  return text;
}

Json session_list_json(const std::vector<store::Run>& runs, bool has_more) {
  Json sessions = Json::array();
  for (const store::Run& run : runs) {
    sessions.push_back({{"session", run.id},
                        {"goal", thought::redacted(run.title)},
                        {"state", run.state},
                        {"events", run.head},
                        {"created", to_iso8601(run.created)},
                        {"updated", to_iso8601(run.updated)}});
  }
  Json list = {{"sessions", std::move(sessions)}};
  if (has_more && !runs.empty()) list["after"] = runs.back().id;
  return list;
}

std::string session_text(const thought::Session& session,
                         const std::vector<store::Event>& last) {
  std::string text =
      fmt::format("{}\n{}: {}\n{}\n", session.id,
                  thought::session_state_name(session.state),
                  shown(session.goal), thought::audit_bar(session));
  for (const std::string& criterion : session.success_criteria) {
    text += "  done when " + shown(criterion) + "\n";
  }
  text += "\nBranches\n";
  for (const auto& [id, branch] : session.branches) text += branch_line(branch);
  if (!session.alerts.empty()) text += "\nAlerts\n";
  for (const thought::Alert& alert : session.alerts) {
    text += "  " + shown(alert.message) + "\n";
  }
  text += "\nLast events\n";
  for (const store::Event& event : last) text += "  " + event_line(event);
  return text;
}

std::string event_line(const store::Event& event) {
  return fmt::format("{:>5}  {}  {:<10} {:<8} {}\n", event.seq,
                     to_iso8601(event.ts), shown(event.type), shown(event.role),
                     shown_content(event));
}

Json event_json(const store::Event& event, bool with_private) {
  Json parents = Json::array();
  for (const store::Edge& edge : event.parents) {
    parents.push_back({{"id", edge.from}, {"type", edge.type}});
  }
  Json json = {{"id", event.id},
               {"session", event.run},
               {"seq", event.seq},
               {"type", event.type},
               {"role", event.role},
               {"content", event.content},
               {"status", event.status},
               {"parents", std::move(parents)},
               {"vector_clock", event.vector_clock},
               {"constraints", parse_constraints(event)},
               {"token_cost", event.token_cost},
               {"walltime_ms", event.walltime_ms},
               {"retry_count", event.retry_count},
               {"version", event.version},
               {"ts", to_iso8601(event.ts)}};
  if (const auto score = parse_json(event.score)) json["score"] = *score;
  if (!event.early_stop_reason.empty()) {
    json["early_stop_reason"] = event.early_stop_reason;
  }
  if (!event.failure_signature.empty()) {
    json["failure_signature"] = event.failure_signature;
  }
  // redacted_json also redacts keys, such as names in the vector clock.
  if (with_private) return json;
  if (is_private(event)) json["content"] = "[private]";
  return thought::redacted_json(json);
}

}  // namespace lamarck::cli
