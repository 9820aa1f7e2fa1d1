// Reads the records of tasks that people already have: chats with tool calls,
// session logs of coding agents and OpenTelemetry spans.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/result.h"
#include "lamarck/skills/trace.h"

namespace lamarck::skills {

struct TraceFile {
  std::vector<Trace> traces;
  // "lamarck", "chat", "session" (Claude Code), "rollout" (Codex) or "spans".
  std::vector<std::string> formats;
  std::size_t unknown_lines = 0;  // Entries that no format knows.
  std::size_t redactions = 0;     // Texts that contained a secret.
};

// `text` is JSON or JSON Lines; each conversation becomes a trace that counts
// as successful and reusable if its last call succeeded. Secrets are redacted.
// Fails if nothing in it is a trace.
Result<TraceFile> read_trace_text(std::string_view text, std::string_view name);

}  // namespace lamarck::skills
