// The file in the folder of a run that names the run: a later run may have
// replaced the files of an earlier one in the same folder.

#pragma once

#include <filesystem>
#include <string>

#include "lamarck/base/result.h"

namespace lamarck::runs {

inline constexpr const char* kRecordFile = ".lamarck-run.json";

// The id of the run whose files the folder has; "" if it does not say.
std::string read_record_id(const std::filesystem::path& folder);

Result<void> write_record_id(const std::filesystem::path& folder,
                             const std::string& id);

}  // namespace lamarck::runs
