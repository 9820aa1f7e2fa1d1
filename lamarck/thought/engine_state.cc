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
#include "lamarck/thought/internal/session_now.h"

namespace lamarck::thought {
namespace {

using internal::OpenSession;
using internal::Turn;

constexpr std::size_t kContentCharacters = 400;
// Each refusal means that another writer got on, so this is never reached by
// ordinary contention.
constexpr int kMostAttempts = 10'000;

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
        fmt::format("{} {}; say something.", what,
                    text.empty() ? "is empty" : "is only white space"));
  }
  if (!is_valid_utf8(text)) {
    return Error(ErrorCode::InvalidArgument,
                 fmt::format("{} is not UTF-8; send it as such.", what));
  }
  const std::size_t length = unicode_length(text);
  if (length <= kContentCharacters) return {};
  return Error(ErrorCode::InvalidArgument,
               fmt::format("{} has {} characters, and {} are allowed; say it "
                           "shorter or in several steps.",
                           what, length, kContentCharacters),
               {{"length", std::to_string(length)},
                {"limit", std::to_string(kContentCharacters)}});
}

Result<void> check_caller(const Caller& caller) {
  const std::size_t length = unicode_length(caller.node);
  if (internal::is_blank(caller.node) || length > kNameCharacters ||
      !is_valid_utf8(caller.node)) {
    return Error(ErrorCode::InvalidArgument,
                 fmt::format("The caller's node {} must be a name of 1 to {} "
                             "characters.",
                             in_quotes(caller.node), kNameCharacters));
  }
  return {};
}

// What one call of transact works on.
struct ThoughtEngine::State::Attempt {
  OpenSession& open;
  const Caller& caller;
  const internal::RequestKey& key;
  const std::string& digest;
  const Decide& decide;
  std::string text;            // The answer,
  std::optional<Error> error;  // or this.
};

ThoughtEngine::State::State(EngineOptions opts, store::Journal& events,
                            Clock& time, Rng rng)
    : options(std::move(opts)),
      journal(events),
      clock(time),
      ids(time, rng.split("ids")),
      sessions(std::max<std::size_t>(1, options.max_open_sessions)),
      healing(events, time) {}

Result<std::optional<std::string>> ThoughtEngine::State::answered(
    const internal::RequestKey& key, const std::string& digest) {
  if (key.stored.empty()) return std::optional<std::string>();
  ASSIGN_OR_RETURN(std::optional<store::Answer> known,
                   journal.answer(key.stored));
  if (known && known->digest != digest) return internal::key_conflict(key);
  if (!known && !key.older.empty()) {
    ASSIGN_OR_RETURN(known, journal.answer(key.older));
    // With another digest it is a caller's.
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
  ASSIGN_OR_RETURN(const auto open, loaded(session));
  Attempt work{.open = *open,
               .caller = caller,
               .key = key,
               .digest = hex,
               .decide = decide};
  for (int i = 0; i < kMostAttempts; ++i) {
    ASSIGN_OR_RETURN(const bool is_done, attempt(work));
    if (!is_done) continue;
    if (work.error) return *work.error;
    return std::move(work.text);
  }
  return Error(ErrorCode::Unavailable,
               fmt::format("Session {} is written to by too many others; try "
                           "again later.",
                           session));
}

// Whether it is done: an answer, or an error that counts. If something fails or
// throws on the way the session is read anew.
Result<bool> ThoughtEngine::State::attempt(Attempt& work) {
  OpenSession& open = work.open;
  RETURN_IF_ERROR(open.load(journal, clock));
  const SessionState before = open.session->state;
  const internal::TurnSetup setup{.ids = ids,
                                  .clock = clock,
                                  .engine_node = options.node,
                                  .caller_node = work.caller.node,
                                  .time_used = open.time_used(clock)};
  try {
    Turn turn(*open.session, setup);
    turn.answer_key = work.key.stored;
    turn.answer_digest = work.digest;
    Result<Json> answer = work.decide(turn);
    work.error.reset();
    if (!answer) work.error = answer.error();
    if (answer || turn.is_ended()) {
      if (answer && !turn.events().empty()) turn.warn();
      std::string text =
          answer
              ? dump_json(internal::complete_answer(*std::move(answer), turn))
              : std::string();
      return commit(work, turn, before, std::move(text));
    }
    ENSURE(turn.events().empty(), "a refused call has left nothing behind");
  } catch (...) {
    open.session.reset();
    throw;
  }
  // The refusal counts only if nothing new has come from elsewhere.
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
    open.note_time(clock, before == SessionState::Paused);
    checkpoint_if_due(open);
    return true;
  }
  open.session.reset();
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
  // A checkpoint that fails is tried again when the next one is due.
  open.checkpoint_time = clock.elapsed();
  if (saved) open.checkpoint_seq = session.head;
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
  std::optional<Session> now =
      internal::session_now(*open->session, setup.time_used);
  Turn turn(now ? *now : *open->session, setup);
  ASSIGN_OR_RETURN(const Json answer, decide(turn));
  return dump_json(answer);
}

}  // namespace lamarck::thought
