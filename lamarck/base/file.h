// Whole files, read and written so that nothing is lost half-way.

#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "lamarck/base/result.h"

namespace lamarck {

// The bytes of a regular file. Fails with NotFound, IoFailed, or
// InvalidArgument if it is larger than `max_bytes`.
Result<std::string> read_file(const std::filesystem::path& path,
                              std::uint64_t max_bytes = std::uint64_t{1} << 32);

// Replaces the file in one step: after a crash or a full disk, readers see the
// old bytes or the new ones, never a part. The new bytes are on the disk when
// it returns.
Result<void> write_file(const std::filesystem::path& path,
                        std::string_view bytes);

}  // namespace lamarck
