// The SQLite library that is linked in.

#pragma once

#include <string>

namespace lamarck {

struct SqliteLibrary {
  std::string version;          // Such as "3.40.1", of the loaded library.
  bool is_thread_safe = false;  // Compiled with mutexes.
};

SqliteLibrary sqlite_library();

}  // namespace lamarck
