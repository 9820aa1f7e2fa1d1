// The Python that runs programs in a sandbox.

#pragma once

#include <string>
#include <vector>

#include "lamarck/base/result.h"

namespace lamarck {

struct PythonInterpreter {
  std::string path;                   // The whole one.
  std::vector<std::string> readable;  // Folders that it needs beside /usr.
};

// `preferred`, or else the system's own /usr/bin/python3, or else the first of
// PATH. Nothing is executed.
Result<PythonInterpreter> find_python(const std::string& preferred = "");

}  // namespace lamarck
