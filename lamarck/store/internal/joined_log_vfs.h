// A file system for one SQLite connection, in which the frames of a commit
// reach the write-ahead log in one write.
//
// SQLite writes each frame of its log in two pieces, its header and its page.
// They are held here until the frame that ends the commit is complete, or until
// anything else is done with the log. So a failure is told where SQLite expects
// it: by the write of the last page, or by the sync.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <sqlite3.h>

namespace lamarck::store::internal {

// Thread safety: as the connection's, of which it takes one.
class JoinedLogVfs {
 public:
  // Everything is passed on to `base` ("" = SQLite's default).
  // REQUIRES: SQLite knows it.
  explicit JoinedLogVfs(const std::string& base);
  ~JoinedLogVfs();
  JoinedLogVfs(const JoinedLogVfs&) = delete;
  JoinedLogVfs& operator=(const JoinedLogVfs&) = delete;

  // By which SQLite knows it.
  const std::string& name() const { return name_; }

 private:
  struct LogFile;
  // SQLite gives the first member back.
  struct Registered {
    sqlite3_vfs vfs{};
    JoinedLogVfs* self = nullptr;
  };

  static LogFile& log_of(sqlite3_file* file);
  static const sqlite3_io_methods& log_methods();
  static int open(sqlite3_vfs* vfs, const char* path, sqlite3_file* file,
                  int flags, int* out_flags);

  int write(sqlite3_file& log, const void* bytes, int size,
            std::int64_t offset);
  bool hold(const void* bytes, int size, std::int64_t offset);
  // Writes what is held.
  int flush(sqlite3_file& log);

  sqlite3_vfs* const base_;
  const std::string name_;
  Registered registered_;
  std::vector<char> held_;
  int used_ = 0;              // Of held_.
  std::int64_t offset_ = 0;   // Where in the log it begins.
  bool ends_commit_ = false;  // The frame whose header is held last.
};

}  // namespace lamarck::store::internal
