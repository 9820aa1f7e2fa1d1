// What an engine is made of, and how each of its calls is done.

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
#include "lamarck/thought/thought_engine.h"

namespace lamarck::thought {

// The longest name of a branch, a plan type or a caller's node.
inline constexpr std::size_t kNameCharacters = 100;

// Adds events to the turn and gives what the answer says beyond what all say.
// An error leaves nothing behind, unless the turn says that it ended there. May
// be called again when another writer was faster.
using Decide = std::function<Result<Json>(internal::Turn&)>;

struct ThoughtEngine::State {
  State(EngineOptions opts, store::Journal& events, Clock& time, Rng rng);

  // Decides, appends and applies; the answer is kept under the key, which is
  // the caller's if none is given.
  Answer transact(std::string_view session, const Caller& caller,
                  const internal::RequestDigest& digest, const Decide& decide);
  Answer transact(std::string_view session, const internal::RequestKey& key,
                  const Caller& caller, const internal::RequestDigest& digest,
                  const Decide& decide);
  // Looks at the session as it is now.
  Answer look(std::string_view session, const Decide& decide);

  // What was answered to the key; Conflict if that was another request.
  Result<std::optional<std::string>> answered(const internal::RequestKey& key,
                                              const std::string& digest);
  // Nothing if the checkpoint fails: the events are safe without it.
  void save_checkpoint(internal::OpenSession& open);
  Result<internal::HeldSession> loaded(std::string_view session);

  const EngineOptions options;
  store::Journal& journal;
  Clock& clock;
  IdGenerator ids;
  internal::OpenSessions sessions;
  internal::HealingLog healing;
  // Parallel runs: by threads of this process, and by calls that wait for the
  // replies of somebody else.
  internal::DrivenRuns driven;
  internal::DrivenRuns awaited;

 private:
  struct Attempt;
  Result<bool> attempt(Attempt& work);
  Result<bool> commit(Attempt& work, internal::Turn& turn, SessionState before,
                      std::string text);
  void checkpoint_if_due(internal::OpenSession& open);
};

// Refuses what is empty (unless it may be), only white space, not UTF-8, or
// over 400 characters, with its length. `what` begins the sentence: "The goal".
Result<void> check_text(std::string_view text, std::string_view what,
                        bool may_be_empty = false);
Result<void> check_caller(const Caller& caller);

}  // namespace lamarck::thought
