// Digests, and the events behind them.

#include <algorithm>
#include <charconv>
#include <utility>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/thought/internal/advice.h"
#include "lamarck/thought/internal/digest_text.h"
#include "lamarck/thought/internal/engine_state.h"
#include "lamarck/thought/session_export.h"
#include "lamarck/thought/token_estimate.h"

namespace lamarck::thought {
namespace {

using internal::PathReader;
using internal::PathStep;
using internal::Turn;

// The number in "12" or "#12"; nullopt for an id.
std::optional<std::uint64_t> number_of(std::string_view name) {
  if (name.starts_with('#')) name.remove_prefix(1);
  std::uint64_t seq = 0;
  const char* const end = name.data() + name.size();
  const auto [last, error] = std::from_chars(name.data(), end, seq);
  if (error != std::errc() || last != end || seq == 0) return std::nullopt;
  return seq;
}

Error no_event(const Session& session, std::string_view name) {
  return {ErrorCode::NotFound,
          fmt::format("Session {} has no event {}; it has the events #1 to "
                      "#{}.",
                      session.id, in_quotes(name), session.head),
          {{"session", session.id}, {"event", std::string(name)}}};
}

Error pruned_event(const Session& session, std::uint64_t seq) {
  return {ErrorCode::NotFound,
          fmt::format("Event #{} of session {} was pruned; it is in {}.", seq,
                      session.id,
                      session.pruned_to.empty()
                          ? "the file that `lamarck think prune` wrote"
                          : session.pruned_to),
          {{"session", session.id}, {"event", std::to_string(seq)}}};
}

Result<store::Event> event_number(store::Journal& journal,
                                  const Session& session, std::uint64_t seq) {
  if (seq > session.head) return no_event(session, fmt::format("#{}", seq));
  ASSIGN_OR_RETURN(std::vector<store::Event> found,
                   journal.events(session.id, seq - 1, 1));
  if (found.empty() || found.front().seq != seq) {
    return pruned_event(session, seq);
  }
  return std::move(found.front());
}

Result<store::Event> named_event(store::Journal& journal,
                                 const Session& session,
                                 std::string_view name) {
  if (const auto seq = number_of(name)) {
    return event_number(journal, session, *seq);
  }
  Result<store::Event> event = journal.event(name);
  const bool is_missing = !event && event.error().code() == ErrorCode::NotFound;
  if (is_missing || (event && event->run != session.id)) {
    return no_event(session, name);
  }
  return event;
}

// {"#12": "evt_..."} for the events that the digest mentions.
Json references(store::Journal& journal, const Session& session,
                std::string_view digest) {
  Json list = Json::object();
  for (const std::uint64_t seq : internal::mentioned_events(digest)) {
    if (seq == 0) continue;
    const auto event = event_number(journal, session, seq);
    if (event) list[fmt::format("#{}", seq)] = event->id;
  }
  return list;
}

Json step_json(const PathStep& step) {
  return {{"event", step.id},
          {"seq", step.seq},
          {"type", step.type},
          {"content", step.text}};
}

// Adds what a client needs to read on.
Json page(const Session& session, std::string_view format, Json list,
          bool has_more, std::uint64_t last) {
  Json answer = {{"format", format},
                 {"session", session.id},
                 {"head", session.head},
                 {"events", std::move(list)}};
  if (has_more) {
    answer["after_seq"] = last;
    answer["next_step"] = fmt::format(
        "For later events, call think_digest with format {} and after_seq {}.",
        format, last);
  }
  return answer;
}

}  // namespace

ThoughtEngine::Answer ThoughtEngine::digest(std::string_view session,
                                            std::string_view branch,
                                            std::int64_t max_tokens) {
  const std::int64_t max = std::clamp<std::int64_t>(max_tokens, 20, 2000);
  return state_->look(session, [&](Turn& turn) -> Result<Json> {
    const Session& now = turn.session();
    const Branch* focus = &internal::focus_of(now);
    if (!branch.empty()) {
      ASSIGN_OR_RETURN(focus, turn.branch(branch));
    }
    PathReader reader(state_->journal, now.id);
    ASSIGN_OR_RETURN(const std::vector<PathStep> path,
                     reader.path(focus->head));
    const std::string next = internal::next_step(
        now, std::max(now.time_used, turn.time_used()), focus, "");
    const std::string text = internal::digest_text({.session = now,
                                                    .branch = *focus,
                                                    .is_alone = !branch.empty(),
                                                    .path = path,
                                                    .next_step = next},
                                                   max);
    return Json{{"session", now.id},
                {"session_state", session_state_name(now.state)},
                {"digest", text},
                {"tokens", estimate_tokens(text)},
                {"head", now.head},
                {"references", references(state_->journal, now, text)}};
  });
}

ThoughtEngine::Answer ThoughtEngine::event(std::string_view session,
                                           std::string_view name) {
  return state_->look(session, [&](Turn& turn) -> Result<Json> {
    ASSIGN_OR_RETURN(const store::Event found,
                     named_event(state_->journal, turn.session(), name));
    return Json{{"format", "event"},
                {"session", turn.session().id},
                {"event", event_to_json(found)}};
  });
}

ThoughtEngine::Answer ThoughtEngine::events(std::string_view session,
                                            std::uint64_t after,
                                            std::size_t limit) {
  return state_->look(session, [&](Turn& turn) -> Result<Json> {
    // One more, to see whether there is another page.
    ASSIGN_OR_RETURN(
        std::vector<store::Event> found,
        state_->journal.events(turn.session().id, after, limit + 1));
    const bool has_more = found.size() > limit;
    if (has_more) found.pop_back();
    Json list = Json::array();
    for (const store::Event& one : found) list.push_back(event_to_json(one));
    return page(turn.session(), "events", std::move(list), has_more,
                found.empty() ? after : found.back().seq);
  });
}

ThoughtEngine::Answer ThoughtEngine::path(std::string_view session,
                                          std::string_view branch,
                                          std::uint64_t after,
                                          std::size_t limit) {
  return state_->look(session, [&](Turn& turn) -> Result<Json> {
    ASSIGN_OR_RETURN(const Branch* own, turn.branch(branch));
    PathReader reader(state_->journal, turn.session().id);
    ASSIGN_OR_RETURN(std::vector<PathStep> steps, reader.path(own->head));
    std::erase_if(steps,
                  [&](const PathStep& step) { return step.seq <= after; });
    const bool has_more = steps.size() > limit;
    if (has_more) steps.resize(limit);
    Json list = Json::array();
    for (const PathStep& step : steps) list.push_back(step_json(step));
    Json answer = page(turn.session(), "path", std::move(list), has_more,
                       steps.empty() ? after : steps.back().seq);
    answer["branch"] = own->id;
    return answer;
  });
}

}  // namespace lamarck::thought
