// Reads settings from lamarck.toml.

#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "lamarck/base/result.h"

namespace lamarck::cli {

struct FileSetting {
  std::string text;
  std::size_t line = 0;  // Counted from 1.
};

// Returns the settings of the file by key (`llm.model`). Errors name the file
// and the line. An unknown key is an error that suggests the nearest key.
Result<std::map<std::string, FileSetting, std::less<>>> read_settings_file(
    const std::filesystem::path& path);

}  // namespace lamarck::cli
