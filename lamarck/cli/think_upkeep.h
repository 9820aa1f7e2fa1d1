// The actions of `lamarck think` that check and maintain a journal.

#pragma once

#include "lamarck/cli/think_context.h"

namespace lamarck::cli {

// Checks that the journal is consistent and that every session can be rebuilt
// from its events.
Result<void> verify_journal(const ThinkContext& think);

// Moves the events of a session to a file.
Result<void> prune_session(const ThinkContext& think);

// Rebuilds a session from its events and compares the states.
Result<void> replay_session(const ThinkContext& think);

}  // namespace lamarck::cli
