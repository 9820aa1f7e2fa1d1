#include "lamarck/thought/session_export.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/json.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/unicode.h"
#include "lamarck/store/redaction.h"
#include "lamarck/thought/internal/digest_text.h"
#include "lamarck/thought/internal/export_graph.h"
#include "lamarck/thought/internal/session_views.h"

namespace lamarck::thought {
namespace {

// Parses a JSON text; any other text becomes a JSON string.
Json parse_value(const std::string& text) {
  if (text.empty()) return nullptr;
  auto json = parse_json(text);
  return json ? std::move(*json) : Json(text);
}

// The part of a private event's constraints that is exported.
Json public_part(const Json& constraints) {
  Json result = {{"private", true}};
  if (constraints.is_object() && constraints.contains("branch")) {
    result["branch"] = constraints.at("branch");
  }
  return result;
}

std::int64_t milliseconds_of(Clock::WallTime time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             time.time_since_epoch())
      .count();
}

void append_edges(Json& edges, const store::Event& event) {
  for (const store::Edge& edge : event.parents) {
    edges.push_back(
        {{"from", edge.from}, {"to", event.id}, {"type", edge.type}});
  }
}

// What an open branch still costs is unknown; finished branches tell.
std::int64_t expected_tokens(const Session& session) {
  std::int64_t finished = 0;
  std::int64_t finished_tokens = 0;
  const auto is_finished = [](const Branch& branch) {
    return branch.validated > 0;
  };
  for (const auto& [id, branch] : session.branches) {
    if (!is_finished(branch)) continue;
    ++finished;
    finished_tokens += branch.tokens;
  }
  std::int64_t expected = session.tokens_used + session.tokens_reserved;
  if (finished == 0 || is_final(session.state)) return expected;
  for (const auto& [id, branch] : session.branches) {
    if (is_finished(branch) || is_final(branch.state)) continue;
    expected +=
        std::max<std::int64_t>(0, finished_tokens / finished - branch.tokens);
  }
  return expected;
}

}  // namespace

Json event_to_json(const store::Event& event, const ExportOptions& options) {
  const bool is_hidden = !options.with_private && internal::is_private(event);
  Json constraints = parse_value(event.constraints);
  if (is_hidden) constraints = public_part(constraints);
  Json json = {{"id", event.id},
               {"seq", event.seq},
               {"type", event.type},
               {"role", event.role},
               {"content", is_hidden ? "[private]" : event.content},
               {"constraints", std::move(constraints)},
               {"score", parse_value(event.score)},
               {"status", event.status},
               {"early_stop_reason", event.early_stop_reason},
               {"failure_signature", event.failure_signature},
               {"retry_count", event.retry_count},
               {"token_cost", event.token_cost},
               {"walltime_ms", event.walltime_ms},
               {"ts_ms", milliseconds_of(event.ts)},
               {"version", event.version},
               {"vector_clock", event.vector_clock}};
  return store::redacted_json(json);
}

std::string to_json_text(const Session& session,
                         const std::vector<store::Event>& events,
                         const ExportOptions& options) {
  Json event_list = Json::array();
  Json edges = Json::array();
  for (const store::Event& event : events) {
    event_list.push_back(event_to_json(event, options));
    append_edges(edges, event);
  }
  return dump_json({{"session", store::redacted_json(to_json(session))},
                    {"events", std::move(event_list)},
                    {"edges", std::move(edges)}});
}

std::string shown_branch_state(const Branch& branch) {
  return std::string(internal::shown_state(branch));
}

std::string audit_bar(const Session& session) {
  constexpr std::int64_t kLength = 10;
  const std::int64_t used = std::max<std::int64_t>(session.tokens_used, 0);
  const std::int64_t budget = session.budgets.tokens;
  const std::int64_t filled =
      used >= budget
          ? kLength
          : static_cast<std::int64_t>(static_cast<double>(used) /
                                      static_cast<double>(budget) * kLength);
  std::string bar;
  for (std::int64_t i = 0; i < kLength; ++i) {
    bar += i < filled ? "\u2588" : "\u2591";
  }
  return fmt::format("Token Budget: [{}] {}/{}", bar, used, budget);
}

std::string audit_box(const Session& session) {
  const Branch& branch = internal::focus_of(session);
  std::int64_t sum = 0;
  for (const auto& [id, other] : session.branches) sum += other.tokens;
  const std::int64_t expected = expected_tokens(session);
  const std::vector<std::string> lines = {
      audit_bar(session),
      fmt::format("Current Branch: {} ({} tokens)",
                  one_line(store::redacted(branch.name), 40), branch.tokens),
      fmt::format("Total Branches: {} ({} tokens)", session.branches.size(),
                  sum),
      fmt::format("Estimated: {} tokens ({} budget)", expected,
                  expected <= session.budgets.tokens ? "within" : "over")};
  std::size_t width = 0;
  for (const std::string& line : lines) {
    width = std::max(width, unicode_length(line));
  }
  std::string rule;
  for (std::size_t i = 0; i < width + 2; ++i) rule += "\u2500";
  std::string box = "\u250c" + rule + "\u2510\n";
  for (const std::string& line : lines) {
    box += "\u2502 " + line + std::string(width - unicode_length(line), ' ') +
           " \u2502\n";
  }
  return box + "\u2514" + rule + "\u2518\n";
}

}  // namespace lamarck::thought
