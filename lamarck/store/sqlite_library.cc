#include "lamarck/store/sqlite_library.h"

#include <sqlite3.h>

namespace lamarck {

SqliteLibrary sqlite_library() {
  return {sqlite3_libversion(), sqlite3_threadsafe() != 0};
}

}  // namespace lamarck
