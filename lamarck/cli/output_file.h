// Files that a command writes where the user asked for them.

#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "lamarck/base/result.h"

namespace CLI {
class App;
}  // namespace CLI

namespace lamarck::cli {

// Adds --force, without which existing files are kept.
void add_force(CLI::App& app, bool& is_forced);

// Fails if the file exists and may not be replaced. Commands call it before
// they start to work. An empty path, of a flag that was not given, is fine.
Result<void> check_output(const std::string& path, bool is_forced);

// The same for several files, which must differ.
Result<void> check_outputs(std::initializer_list<std::string> paths,
                           bool is_forced);

// Writes the file. Fails as `check_output` does.
Result<void> write_output(const std::string& path, std::string_view bytes,
                          bool is_forced);

}  // namespace lamarck::cli
