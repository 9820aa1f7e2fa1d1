// The functions of a run as lines of JSON to learn from, such as the examples
// of a fine-tuning.

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <ostream>

#include "lamarck/base/result.h"

namespace lamarck::archipelago {

struct ExportOptions {
  bool only_improved = false;  // Those that were the best of their island.
  bool only_chats = false;     // Those that a model made.
  bool has_failed = false;     // Also those that failed; they have no score.
  std::optional<double> least_score;
};

// One object in a line for each function that was stored, in the order of the
// journal: id, cycle, island, engine, move, parents (id, source, score),
// source, score, scores, constants, improved, best; and for those that a model
// made prompt, completion, and messages as chats are trained with. Returns how
// many. The journal is checked as by `replay`.
Result<std::int64_t> export_jsonl(const std::filesystem::path& journal,
                                  std::ostream& out,
                                  const ExportOptions& options = {});

}  // namespace lamarck::archipelago
