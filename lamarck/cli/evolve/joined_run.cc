#include "lamarck/cli/evolve/joined_run.h"

#include <fmt/format.h>

#include <string>
#include <system_error>

#include "lamarck/base/file.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"

namespace lamarck::cli {
namespace {

namespace fs = std::filesystem;

// A name from the database must not lead out of the folder.
bool is_inside(const fs::path& name) {
  if (name.empty() || name.is_absolute()) return false;
  for (const fs::path& part : name) {
    if (part == "..") return false;
  }
  return true;
}

}  // namespace

Result<JoinedRun> unpack_run(const crew::CrewRun& run, const fs::path& folder,
                             std::size_t threads) {
  JoinedRun joined{
      .flags = run.flags, .files = {}, .folder = folder, .threads = threads};
  for (const crew::CrewFile& file : run.files) {
    if (!is_inside(file.name)) {
      return Error(ErrorCode::DataDamaged,
                   fmt::format("The run has a file with the name {}, which is "
                               "not a relative path.",
                               in_quotes(file.name)));
    }
    const fs::path path = folder / file.name;
    std::error_code ignored;
    fs::create_directories(path.parent_path(), ignored);
    RETURN_IF_ERROR(write_file(path, file.bytes));
    joined.files.push_back(path);
  }
  return joined;
}

}  // namespace lamarck::cli
