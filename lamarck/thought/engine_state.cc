#include <algorithm>
#include <optional>
#include <utility>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/ensure.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/unicode.h"
#include "lamarck/thought/internal/answers.h"
#include "lamarck/thought/internal/blank_text.h"
#include "lamarck/thought/internal/engine_state.h"
#include "lamarck/thought/internal/parallel_turn.h"
#include "lamarck/thought/internal/session_now.h"

namespace lamarck::thought {
namespace {

using internal::OpenSession;
using internal::Turn;

// Each conflict means that another writer made progress, so ordinary contention
// never reaches this limit.
constexpr int kMaxAttempts = 10'000;

bool is_head_conflict(const Error& error) {
  return error.code() == ErrorCode::Conflict && error.fields().contains("head");
}

}  // namespace

Result<void> check_text(std::string_view text, std::string_view what,
                        bool may_be_empty) {
  if (text.empty() && may_be_empty) return {};
  if (internal::is_blank(text)) {
    return Error(
        ErrorCode::InvalidArgument,
        fmt::format("{} must contain text, but it {}.", what,
                    text.empty() ? "is empty" : "is only white space"));
  }
  if (!is_valid_utf8(text)) {
    return Error(
        ErrorCode::InvalidArgument,
        fmt::format("{} must be valid UTF-8; encode it as UTF-8.", what));
  }
  const std::size_t length = unicode_length(text);
  if (length <= kMaxContent) return {};
  return Error(ErrorCode::InvalidArgument,
               fmt::format("{} must have at most {} characters, got {}; "
                           "shorten it or use several steps.",
                           what, kMaxContent, length),
               {{"length", std::to_string(length)},
                {"limit", std::to_string(kMaxContent)}});
}

Result<void> check_caller(const Caller& caller) {
  const std::size_t length = unicode_length(caller.node);
  if (internal::is_blank(caller.node) || length > kNameCharacters ||
      !is_valid_utf8(caller.node)) {
    return Error(ErrorCode::InvalidArgument,
                 fmt::format("The caller's node must be UTF-8 of 1 to {1} "
                             "characters and not blank, got {0}.",
                             in_quotes(caller.node), kNameCharacters));
  }
  return {};
}

// The arguments and the result of one transact() call.
struct ThoughtEngine::State::Attempt {
  OpenSession& open;
  const Caller& caller;
  const internal::RequestKey& key;
  const std::string& digest;
  const Decide& decide;
  std::string text;  // The answer, unless `error` is set.
  std::optional<Error> error;
  std::vector<std::string> runs_to_end;  // Before the next attempt.
  bool was_stopped = false;              // The clock of the session.
};

ThoughtEngine::State::State(EngineOptions opts, store::Journal& events,
                            Clock& time, Rng rng)
    : options(std::move(opts)),
      journal(events),
      clock(time),
      ids(time, rng.split("ids")),
      sessions(std::max<std::size_t>(1, options.max_open_sessions)),
      healing(events, time),
      usage(events, time) {}

Result<std::optional<std::string>> ThoughtEngine::State::answered(
    const internal::RequestKey& key, const std::string& digest) {
  if (key.stored.empty()) return std::optional<std::string>();
  ASSIGN_OR_RETURN(std::optional<store::Answer> known,
                   journal.answer(key.stored));
  if (known && known->digest != digest) return internal::key_conflict(key);
  if (!known && !key.older.empty()) {
    ASSIGN_OR_RETURN(known, journal.answer(key.older));
    // Earlier versions shared the key space with callers: an answer with
    // another digest belongs to a caller's request.
    if (known && known->digest != digest) known.reset();
  }
  if (!known) return std::optional<std::string>();
  return std::optional<std::string>(std::move(known->text));
}

Result<internal::HeldSession> ThoughtEngine::State::loaded(
    std::string_view session) {
  internal::HeldSession open(sessions.open(session));
  const Result<void> outcome = open->load(journal, clock);
  if (outcome) return open;
  sessions.forget(session);
  return outcome.error();
}

ThoughtEngine::Answer ThoughtEngine::State::transact(
    std::string_view session, const Caller& caller,
    const internal::RequestDigest& digest, const Decide& decide) {
  return transact(session,
                  internal::caller_key(session, caller.idempotency_key), caller,
                  digest, decide);
}

ThoughtEngine::Answer ThoughtEngine::State::transact(
    std::string_view session, const internal::RequestKey& key,
    const Caller& caller, const internal::RequestDigest& digest,
    const Decide& decide) {
  RETURN_IF_ERROR(check_caller(caller));
  const std::string hex = key.stored.empty() ? std::string() : digest.hex();
  ASSIGN_OR_RETURN(std::optional<std::string> known, answered(key, hex));
  if (known) return *std::move(known);
  for (int i = 0; i < kMaxAttempts; ++i) {
    std::vector<std::string> runs_to_end;
    {
      ASSIGN_OR_RETURN(const auto open, loaded(session));
      Attempt work{.open = *open,
                   .caller = caller,
                   .key = key,
                   .digest = hex,
                   .decide = decide};
      ASSIGN_OR_RETURN(const bool is_done, attempt(work));
      runs_to_end = std::move(work.runs_to_end);
      if (is_done && runs_to_end.empty()) {
        if (work.error) return *work.error;
        return std::move(work.text);
      }
    }
    // The session must be unlocked for this.
    for (const std::string& run : runs_to_end) {
      const Answer ended = end_run(session, run, "abandoned", caller.node);
      if (!ended && ended.error().code() != ErrorCode::NotFound) {
        return ended.error();
      }
    }
  }
  return Error(
      ErrorCode::Unavailable,
      fmt::format(
          "Session {} has too many concurrent writers; try again later.",
          session));
}

// Returns true once `work` has an answer or a final error. If an append fails
// or something throws, the cached session is dropped, since it may contain
// events that were never stored, and the next attempt reads it from the
// journal.
Result<bool> ThoughtEngine::State::attempt(Attempt& work) {
  OpenSession& open = work.open;
  RETURN_IF_ERROR(open.load(journal, clock));
  const SessionState before = open.session->state;
  work.was_stopped = internal::is_clock_stopped(*open.session);
  const internal::TurnSetup setup{.ids = ids,
                                  .clock = clock,
                                  .engine_node = options.node,
                                  .caller_node = work.caller.node,
                                  .time_used = open.time_used(clock),
                                  .is_abandoned = [&](std::string_view run) {
                                    return is_abandoned(open.id, run);
                                  }};
  try {
    Turn turn(*open.session, setup);
    turn.answer_key = work.key.stored;
    turn.answer_digest = work.digest;
    Result<Json> answer = work.decide(turn);
    work.error.reset();
    if (!answer) work.error = answer.error();
    work.runs_to_end = turn.runs_to_end();
    if (answer || turn.is_ended()) {
      if (answer && !turn.events().empty()) turn.warn();
      std::string text =
          answer
              ? dump_json(internal::complete_answer(*std::move(answer), turn))
              : std::string();
      return commit(work, turn, before, std::move(text));
    }
    ENSURE(turn.events().empty(), "a rejected call adds no events");
  } catch (...) {
    open.session.reset();
    throw;
  }
  // The rejection is final only if it was based on the latest events.
  ASSIGN_OR_RETURN(const std::uint64_t count, open.catch_up(journal, clock));
  return count == 0;
}

Result<bool> ThoughtEngine::State::commit(Attempt& work, Turn& turn,
                                          SessionState before,
                                          std::string text) {
  OpenSession& open = work.open;
  work.text = std::move(text);
  if (turn.events().empty()) return true;
  const Session& session = *open.session;
  store::Append append{.run = session.id,
                       .expected_head = session.head - turn.events().size()};
  if (session.state != before) {
    append.new_state = std::string(session_state_name(session.state));
  }
  append.events = turn.take_events();
  if (!work.error && !turn.answer_key.empty()) {
    append.answer = {.key = turn.answer_key,
                     .digest = turn.answer_digest,
                     .text = work.text};
  }
  Result<store::Appended> appended = journal.append(std::move(append));
  if (appended && !appended->is_repeat) {
    open.note_time(clock, work.was_stopped);
    if (is_final(session.state) && !is_final(before)) usage.record(session);
    checkpoint_if_due(open);
    return true;
  }
  open.session.reset();
  // is_repeat: another call with the same key was recorded first.
  if (appended) {
    work.text = std::move(appended->answer);
    return true;
  }
  if (is_head_conflict(appended.error())) return false;
  return internal::in_callers_words(appended.error(), work.key);
}

void ThoughtEngine::State::checkpoint_if_due(OpenSession& open) {
  const auto events =
      static_cast<std::int64_t>(open.session->head - open.checkpoint_seq);
  const bool is_due =
      events >= options.checkpoint_events ||
      clock.elapsed() - open.checkpoint_time >= options.checkpoint_interval ||
      is_final(open.session->state);
  if (is_due) save_checkpoint(open);
}

void ThoughtEngine::State::save_checkpoint(OpenSession& open) {
  const Session& session = *open.session;
  const Result<void> saved =
      journal.save_checkpoint({.run = session.id,
                               .seq = session.head,
                               .last_event_id = session.last_event,
                               .state_snapshot = dump_json(to_json(session)),
                               .ts = clock.wall_time()});
  // After a failure, the next attempt is made when the next checkpoint is due.
  open.checkpoint_time = clock.elapsed();
  if (saved) open.checkpoint_seq = session.head;
}

bool ThoughtEngine::State::is_abandoned(std::string_view session,
                                        std::string_view run) const {
  return !driven.contains(session, run) && !awaited.contains(session, run);
}

ThoughtEngine::Answer ThoughtEngine::State::end_run(std::string_view session,
                                                    std::string_view run,
                                                    const std::string& reason,
                                                    const std::string& node) {
  const auto decide = [&](Turn& turn) -> Result<Json> {
    ASSIGN_OR_RETURN(const internal::ParallelState state,
                     internal::find_run(turn.session(), run));
    if (is_final(turn.session().state)) return Json::object();
    return internal::end_without_winner(turn, state, reason);
  };
  return transact(session, {.node = node}, internal::RequestDigest("cancel"),
                  decide);
}

ThoughtEngine::Answer ThoughtEngine::State::look(std::string_view session,
                                                 const Decide& decide) {
  ASSIGN_OR_RETURN(const auto open, loaded(session));
  RETURN_IF_ERROR(open->catch_up(journal, clock));
  const internal::TurnSetup setup{.ids = ids,
                                  .clock = clock,
                                  .engine_node = options.node,
                                  .caller_node = options.node,
                                  .time_used = open->time_used(clock)};
  // Works on a copy if the clock has changed the state; see session_now.h.
  std::optional<Session> now =
      internal::session_now(*open->session, setup.time_used);
  Turn turn(now ? *now : *open->session, setup);
  ASSIGN_OR_RETURN(const Json answer, decide(turn));
  return dump_json(answer);
}

}  // namespace lamarck::thought
