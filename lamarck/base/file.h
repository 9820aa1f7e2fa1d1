// Reads whole files and replaces them atomically.

#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "lamarck/base/cancel_token.h"
#include "lamarck/base/result.h"

namespace lamarck {

// Reads the bytes of a regular file. Fails with NotFound, IoFailed, or
// InvalidArgument if it is larger than `max_bytes`.
Result<std::string> read_file(const std::filesystem::path& path,
                              std::uint64_t max_bytes = std::uint64_t{1} << 32);

// Reads a pipe, a terminal or a file to its end. `name` is for messages. Fails
// if there are more than `max_bytes`, and with Cancelled soon after `cancel`.
Result<std::string> read_descriptor(int descriptor, const std::string& name,
                                    std::uint64_t max_bytes,
                                    const CancelToken& cancel = {});

enum class ExistingFile : std::uint8_t {
  Replace,
  Refuse,  // Fails with AlreadyExists.
};

// Writes a new file and renames it: after a crash or on a full disk, readers
// see either the old bytes or all the new ones. Syncs to disk before it
// returns. Keeps the mode of an existing file. Follows a symbolic link within
// its folder and refuses one that leaves it, because someone else may have put
// it there. Devices and pipes such as /dev/null are written to directly.
Result<void> write_file(const std::filesystem::path& path,
                        std::string_view bytes,
                        ExistingFile existing = ExistingFile::Replace);

// Fails as `write_file` would with ExistingFile::Refuse if the file exists, so
// that a command can say so before it works for minutes.
Result<void> check_new_file(const std::filesystem::path& path);

}  // namespace lamarck
