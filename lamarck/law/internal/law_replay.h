// Restores what a law search remembers from the journal of its run.

#pragma once

#include <filesystem>

#include "lamarck/base/result.h"
#include "lamarck/law/internal/law_recorder.h"

namespace lamarck::law {

// Replays the journal up to the checkpoint. Returns whether the stop rule has
// already ended the run.
Result<bool> replay_to_checkpoint(const std::filesystem::path& folder,
                                  LawRecorder& recorder, StopRule& rule);

}  // namespace lamarck::law
