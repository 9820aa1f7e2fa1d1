#include "lamarck/cli/think_views.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/one_line.h"
#include "lamarck/base/unicode.h"
#include "lamarck/store/redaction.h"
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

// Puts text on one line, without secrets unless `with_private`.
struct Shown {
  bool with_private = false;

  std::string operator()(std::string_view text) const {
    return one_line(with_private ? std::string(text) : store::redacted(text));
  }
  std::string content(const store::Event& event) const {
    return is_private(event) && !with_private ? "[private]"
                                              : (*this)(event.content);
  }
};

std::string branch_line(const thought::Branch& branch, const Shown& shown) {
  const std::string state = thought::shown_branch_state(branch);
  const std::string reward =
      branch.is_scored ? fmt::format("{:.2f}", thought::reward_of(branch.score))
                       : "-";
  return fmt::format(
      "  {:<14} {:<18} {:>4} steps {:>7} tokens  reward {:>4}  {}\n",
      truncate_characters(shown(branch.name), 14), state, branch.steps,
      branch.tokens, reward,
      branch.outcome == state ? "" : shown(branch.outcome));
}

std::string bar(double share, std::size_t length) {
  const auto filled = static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) *
                                               static_cast<double>(length));
  std::string text;
  for (std::size_t i = 0; i < length; ++i) {
    text += i < filled ? "\u2588" : "\u2591";
  }
  return text;
}

// "1:05:09".
std::string clock_text(std::chrono::milliseconds time) {
  const auto seconds = time.count() / 1000;
  return fmt::format("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60,
                     seconds % 60);
}

std::string metrics_text(const Json& metrics) {
  return fmt::format(
      "  {} tokens, {} model hops, first pass success {}, waste {:.2f}, "
      "{} early stops\n  all sessions: {} with {} tokens\n",
      metrics.value("tpst", 0), metrics.value("model_hops", 0),
      metrics.value("first_pass_success", false) ? "yes" : "no",
      metrics.value("waste_ratio", 0.0), metrics.value("early_stop_count", 0),
      metrics["cumulative"].value("sessions", 0),
      metrics["cumulative"].value("tokens", 0));
}

std::string link_text(const Json& link, const Shown& shown) {
  const std::string step = link.value("step", "");
  if (step.empty()) return "  (pruned)   " + link.value("event_id", "") + "\n";
  std::string text = link.value("status", "");
  if (step == "tests") {
    text = fmt::format("{} passed, {} failed", link.value("passed", 0),
                       link.value("failed", 0));
  }
  if (link.contains("branch_id")) {
    text += " on " + link.value("branch_id", "");
  }
  if (link.contains("tool")) text += ": " + shown(link.value("tool", ""));
  if (link.contains("exit_code")) {
    text += fmt::format(" (exit code {})", link.value("exit_code", 0));
  }
  if (link.value("late", false)) text += ", late";
  if (link.contains("stderr_tail")) {
    std::string tail = link.value("stderr_tail", "");
    tail.erase(tail.find_last_not_of("\r\n") + 1);
    const std::size_t line = tail.rfind('\n');
    text += ": " + shown(tail.substr(line == tail.npos ? 0 : line + 1));
  }
  return fmt::format("  {:<10} {}\n", step, text);
}

}  // namespace

std::string session_list_text(const std::vector<store::Run>& runs,
                              bool has_more) {
  if (runs.empty()) return has_more ? "" : "No sessions yet.\n";
  std::string text = fmt::format("{:<41}  {:<15} {:>6}  {}\n", "session",
                                 "state", "events", "goal");
  for (const store::Run& run : runs) {
    text += fmt::format("{:<41}  {:<15} {:>6}  {}\n", run.id, run.state,
                        run.head, truncate_characters(Shown()(run.title), 60));
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
                        {"goal", store::redacted(run.title)},
                        {"state", run.state},
                        {"events", run.head},
                        {"created", to_iso8601(run.created)},
                        {"updated", to_iso8601(run.updated)}});
  }
  Json list = {{"sessions", std::move(sessions)}};
  if (has_more && !runs.empty()) list["after"] = runs.back().id;
  return list;
}

std::string pruned_text(const thought::Session& session) {
  if (session.pruned_to.empty()) return "";
  return fmt::format("Events 1 to {} are in {}.\n", session.pruned_seq,
                     Shown()(session.pruned_to));
}

std::string session_text(const thought::Session& session, const Json& metrics,
                         const std::vector<store::Event>& last,
                         bool with_private) {
  const Shown shown{with_private};
  std::string text = fmt::format(
      "{}\n{}: {}\n{}", session.id, thought::session_state_name(session.state),
      shown(session.goal), thought::audit_box(session));
  for (std::size_t i = 0; i < session.success_criteria.size(); ++i) {
    text += fmt::format(
        "  done when {} ({})\n", shown(session.success_criteria[i]),
        i < session.criteria.size() ? session.criteria[i].state : "open");
  }
  text += "\nBranches\n";
  for (const auto& [id, branch] : session.branches)
    text += branch_line(branch, shown);
  if (!session.alerts.empty()) text += "\nAlerts\n";
  for (const thought::Alert& alert : session.alerts) {
    text += "  " + shown(alert.message) + "\n";
  }
  text += "\nMetrics\n" + metrics_text(metrics);
  const Json& chain = metrics["evidence_chain"];
  if (!chain.empty()) text += "\nEvidence\n";
  for (const Json& link : chain) text += link_text(link, shown);
  text += "\nLast events\n";
  for (const store::Event& event : last)
    text += "  " + event_line(event, with_private);
  return text + pruned_text(session);
}

std::string watch_text(const thought::Session& session,
                       const std::vector<store::Event>& last,
                       bool with_private) {
  const Shown shown{with_private};
  const auto budget = std::max<std::int64_t>(1, session.budgets.tokens);
  const auto time = session.budgets.wall_time;
  std::string text = fmt::format(
      "{}\n{}: {}\n\n  tokens [{}] {} of {}\n  time   [{}] {} of {}\n\n",
      session.id, thought::session_state_name(session.state),
      shown(session.goal),
      bar(static_cast<double>(session.tokens_used) /
              static_cast<double>(budget),
          30),
      session.tokens_used, session.budgets.tokens,
      bar(static_cast<double>(session.time_used.count()) /
              static_cast<double>(std::max<std::int64_t>(1, time.count())),
          30),
      clock_text(session.time_used), clock_text(time));
  for (const auto& [id, branch] : session.branches) {
    const std::string line = branch_line(branch, shown);
    text += (id == session.winner ? "* " : "  ") + line.substr(2);
  }
  text += "\n";
  for (const store::Event& event : last)
    text += "  " + event_line(event, with_private);
  return text;
}

std::string healing_text(const Json& history) {
  const Shown shown;
  std::string text;
  if (history["rates"].empty()) text += "No healing strategy was tried yet.\n";
  for (const Json& rate : history["rates"]) {
    text += fmt::format("{:<22} {:<20} success rate {:.2f}\n",
                        rate.value("category", ""), rate.value("action", ""),
                        rate.value("rate", 0.0));
  }
  for (const Json& plan : history["plans"]) {
    std::string parts;
    for (const Json& part : plan["plan"]["parts"]) {
      parts += (parts.empty() ? "" : ", ") + shown(part.get<std::string>());
    }
    text += fmt::format("{:<22} {} of {} succeeded, success rate {:.2f}  {}\n",
                        shown(plan["plan"].value("plan_type", "")),
                        plan.value("successes", 0), plan.value("outcomes", 0),
                        plan.value("success_rate", 0.5), parts);
  }
  return text;
}

std::string event_line(const store::Event& event, bool with_private) {
  const Shown shown{with_private};
  return fmt::format("{:>5}  {}  {:<10} {:<8} {}\n", event.seq,
                     to_iso8601(event.ts), shown(event.type), shown(event.role),
                     shown.content(event));
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
  return store::redacted_json(json);
}

}  // namespace lamarck::cli
