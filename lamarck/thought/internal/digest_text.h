// The summary of a session that a model continues from.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/thought/internal/path_memory.h"
#include "lamarck/thought/session.h"

namespace lamarck::thought::internal {

// The branch that the next step is about: the winner if it is still open,
// otherwise the open branch that changed last, or main.
const Branch& focus_of(const Session& session);

// Goal, success criteria and their state, decisions, open failures, the next
// step and the most informative steps, in at most `max_tokens` tokens and
// without secrets. "#12" is the number of an event to fetch. `path` belongs to
// `branch`; `is_alone`: leaves the other branches out.
struct DigestParts {
  const Session& session;
  const Branch& branch;
  bool is_alone = false;
  const std::vector<PathStep>& path;
  std::string_view next_step;
};
std::string digest_text(const DigestParts& parts, std::int64_t max_tokens);

// The numbers that a digest mentions.
std::vector<std::uint64_t> mentioned_events(std::string_view digest);

}  // namespace lamarck::thought::internal
