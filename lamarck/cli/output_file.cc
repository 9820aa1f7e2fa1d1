#include "lamarck/cli/output_file.h"

#include "lamarck/base/file.h"
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
  if (path.empty() || is_forced) return {};
  return with_remedy(check_new_file(path), path);
}

Result<void> write_output(const std::string& path, std::string_view bytes,
                          bool is_forced) {
  return with_remedy(
      write_file(path, bytes,
                 is_forced ? ExistingFile::Replace : ExistingFile::Refuse),
      path);
}

}  // namespace lamarck::cli
