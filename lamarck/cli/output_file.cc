#include "lamarck/cli/output_file.h"

#include <filesystem>
#include <set>

#include "lamarck/base/file.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/cli/command_option.h"

namespace lamarck::cli {
namespace {

// The library cannot name the flag.
Result<void> with_remedy(const Result<void>& result, const std::string& path) {
  if (result || result.error().code() != ErrorCode::AlreadyExists) {
    return result;
  }
  return Error(ErrorCode::AlreadyExists,
               one_line(path, 300) +
                   " already exists; choose another file, or add --force to "
                   "replace it.");
}

}  // namespace

void add_force(CLI::App& app, bool& is_forced) {
  add_switch(app, "--force", is_forced, "Replace files that exist");
}

Result<void> check_output(const std::string& path, bool is_forced) {
  if (path.empty()) return {};
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return invalid_argument(in_quotes(path) +
                            " is a folder; give the name of a file.");
  }
  if (is_forced) return {};
  return with_remedy(check_new_file(path), path);
}

Result<void> check_outputs(std::initializer_list<std::string> paths,
                           bool is_forced) {
  std::set<std::string> seen;
  for (const std::string& path : paths) {
    if (path.empty()) continue;
    if (!seen.insert(std::filesystem::path(path).lexically_normal()).second) {
      return invalid_argument("Two outputs would be written to " +
                              in_quotes(path) + "; give each its own file.");
    }
    RETURN_IF_ERROR(check_output(path, is_forced));
  }
  return {};
}

Result<void> write_output(const std::string& path, std::string_view bytes,
                          bool is_forced) {
  return with_remedy(
      write_file(path, bytes,
                 is_forced ? ExistingFile::Replace : ExistingFile::Refuse),
      path);
}

}  // namespace lamarck::cli
