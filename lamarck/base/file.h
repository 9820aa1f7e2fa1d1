// Reads whole files and replaces them atomically.

#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "lamarck/base/result.h"

namespace lamarck {

// Reads the bytes of a regular file. Fails with NotFound, IoFailed, or
// InvalidArgument if it is larger than `max_bytes`.
Result<std::string> read_file(const std::filesystem::path& path,
                              std::uint64_t max_bytes = std::uint64_t{1} << 32);

// Replaces the file atomically: after a crash or on a full disk, readers see
// either the old bytes or all the new ones. Syncs to disk before it returns.
// Follows a symbolic link and keeps the mode of an existing file.
Result<void> write_file(const std::filesystem::path& path,
                        std::string_view bytes);

}  // namespace lamarck
