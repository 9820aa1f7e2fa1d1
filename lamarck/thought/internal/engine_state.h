// The state of an engine, and the transaction that all of its calls share.

#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "lamarck/base/clock.h"
#include "lamarck/base/id.h"
#include "lamarck/base/json.h"
#include "lamarck/store/journal.h"
#include "lamarck/thought/internal/driven_runs.h"
#include "lamarck/thought/internal/healing_log.h"
#include "lamarck/thought/internal/open_sessions.h"
#include "lamarck/thought/internal/request_digest.h"
#include "lamarck/thought/internal/request_key.h"
#include "lamarck/thought/internal/turn.h"
#include "lamarck/thought/internal/usage_log.h"
#include "lamarck/thought/thought_engine.h"

namespace lamarck::thought {

// Maximum length of the name of a branch, a plan type or a caller's node.
inline constexpr std::size_t kNameCharacters = 100;

// Adds events to the turn and returns the members of the answer that are
// specific to the call. After an error nothing is recorded, unless
// Turn::is_ended() says that the session ended. Called again if another writer
// appended first.
using Decide = std::function<Result<Json>(internal::Turn&)>;

struct ThoughtEngine::State {
  State(EngineOptions opts, store::Journal& events, Clock& time, Rng rng);

  // Decides, appends and applies. The answer is stored under `key`, or under
  // the caller's idempotency key if none is given.
  Answer transact(std::string_view session, const Caller& caller,
                  const internal::RequestDigest& digest, const Decide& decide);
  Answer transact(std::string_view session, const internal::RequestKey& key,
                  const Caller& caller, const internal::RequestDigest& digest,
                  const Decide& decide);
  // Reads the session in its current state; records nothing.
  Answer look(std::string_view session, const Decide& decide);

  // Ends an active parallel run without a winner; NotFound if it is not active.
  Answer end_run(std::string_view session, std::string_view run,
                 const std::string& reason, const std::string& node);
  // Returns whether no thread of this process drives or awaits the run.
  bool is_abandoned(std::string_view session, std::string_view run) const;

  // Returns the stored answer for the key, if any; Conflict if it belongs to a
  // different request.
  Result<std::optional<std::string>> answered(const internal::RequestKey& key,
                                              const std::string& digest);
  // A failure is ignored: the events are safe without a checkpoint.
  void save_checkpoint(internal::OpenSession& open);
  // Locks the session, and restores it from the journal if necessary.
  Result<internal::HeldSession> loaded(std::string_view session);

  const EngineOptions options;
  store::Journal& journal;
  Clock& clock;
  IdGenerator ids;
  internal::OpenSessions sessions;
  internal::HealingLog healing;
  internal::UsageLog usage;
  // Parallel runs that threads of this process drive, and runs for which a call
  // waits for replies from outside.
  internal::DrivenRuns driven;
  internal::DrivenRuns awaited;

 private:
  struct Attempt;
  Result<bool> attempt(Attempt& work);
  Result<bool> commit(Attempt& work, internal::Turn& turn, SessionState before,
                      std::string text);
  void checkpoint_if_due(internal::OpenSession& open);
};

// Rejects a text that is empty (unless allowed), only white space, not UTF-8,
// or longer than 400 characters. `what` is the subject of the message: "The
// goal".
Result<void> check_text(std::string_view text, std::string_view what,
                        bool may_be_empty = false);
Result<void> check_caller(const Caller& caller);

}  // namespace lamarck::thought
