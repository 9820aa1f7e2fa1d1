// Exports the functions of a run as JSON Lines, for example to fine-tune a
// model.

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <ostream>

#include "lamarck/base/result.h"

namespace lamarck::archipelago {

struct ExportOptions {
  bool only_improved = false;  // Only functions that improved their island.
  bool only_chats = false;     // Only functions that a model wrote.
  // Also functions without a score, and the conversations of a model that gave
  // no function; both have the field "failure".
  bool include_failed = false;
  std::optional<double> min_score;
};

// Writes one JSON object per line for each stored function, in the order of the
// journal: id, cycle, island, engine, move, parents (id, source, score),
// source, score, scores, constants, improved, best. Functions that a model
// wrote also have prompt, completion, and messages in the format for training
// chat models: the system message, the prompt, an unusable draft with the
// correction that was asked for, and the reply. Returns the number of lines.
// Checks the journal as `replay` does.
Result<std::int64_t> export_jsonl(const std::filesystem::path& journal,
                                  std::ostream& out,
                                  const ExportOptions& options = {});

}  // namespace lamarck::archipelago
