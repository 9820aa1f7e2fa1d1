#pragma once

#include <string>

namespace lamarck {

struct SqliteLibrary {
  std::string version;          // "3.40.1", of the library that is loaded.
  bool is_thread_safe = false;  // Compiled with locks.
};

SqliteLibrary sqlite_library();

}  // namespace lamarck
