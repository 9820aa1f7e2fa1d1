// lamarck.toml: the same settings as the flags, kept in a file.

#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "lamarck/base/result.h"

namespace lamarck::cli {

struct FileSetting {
  std::string text;
  std::size_t line = 0;
};

// The settings of the file by key (`llm.model`). The error names the file and
// the line; a key that is not a setting is an error too, with the nearest one.
Result<std::map<std::string, FileSetting, std::less<>>> read_settings_file(
    const std::filesystem::path& path);

}  // namespace lamarck::cli
