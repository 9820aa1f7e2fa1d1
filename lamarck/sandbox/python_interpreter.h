// Finds the Python interpreter that runs programs in a sandbox.

#pragma once

#include <string>
#include <vector>

#include "lamarck/base/result.h"

namespace lamarck {

struct PythonInterpreter {
  std::string path;                   // Absolute.
  std::vector<std::string> readable;  // Folders it needs besides /usr.
};

// Returns `preferred` if given, else /usr/bin/python3, /usr/local/bin/python3
// or the first python3 in PATH. Executes nothing.
Result<PythonInterpreter> find_python(const std::string& preferred = "");

}  // namespace lamarck
