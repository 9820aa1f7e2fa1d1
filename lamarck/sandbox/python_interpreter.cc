#include "lamarck/sandbox/python_interpreter.h"

#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fmt/format.h>

#include "lamarck/base/one_line.h"
#include "lamarck/base/string_split.h"

namespace lamarck {
namespace {

namespace fs = std::filesystem;

bool is_program(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
}

PythonInterpreter make_interpreter(const fs::path& path) {
  std::error_code ignored;
  fs::path real = fs::canonical(path, ignored);
  if (real.string().starts_with("/usr/")) return {path.string(), {}};
  // The library of PREFIX/bin/python3 is in PREFIX/lib.
  return {real.string(), {real.parent_path().parent_path().string()}};
}

std::vector<fs::path> candidates() {
  std::vector<fs::path> list = {"/usr/bin/python3", "/usr/local/bin/python3"};
  const char* path = getenv("PATH");
  for (const std::string_view folder : split_text(path ? path : "", ':')) {
    if (folder.starts_with("/")) list.push_back(fs::path(folder) / "python3");
  }
  return list;
}

}  // namespace

Result<PythonInterpreter> find_python(const std::string& preferred) {
  if (!preferred.empty()) {
    if (preferred.front() == '/' && is_program(preferred)) {
      return make_interpreter(preferred);
    }
    return Error(ErrorCode::NotFound,
                 fmt::format("{} is not the absolute path of a program; give "
                             "the path of Python, such as /usr/bin/python3.",
                             in_quotes(preferred)));
  }
  for (const fs::path& path : candidates()) {
    if (is_program(path)) return make_interpreter(path);
  }
  return Error(ErrorCode::NotFound,
               "Cannot find python3, which runs evolved programs; install it, "
               "for example with `apt install python3`.");
}

}  // namespace lamarck
