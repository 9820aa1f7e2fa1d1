// A SQLite VFS for one connection that writes all frames of a commit to the
// write-ahead log in one write.
//
// SQLite writes each frame of its log in two pieces, a header and a page. This
// VFS buffers them until the frame that ends the commit is complete, or until
// the log is read, truncated or synced. A failure is therefore reported where
// SQLite expects it: by the write of the last page, or by the sync.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <sqlite3.h>

namespace lamarck::store::internal {

// Thread safety: same as the one connection that uses it.
class JoinedLogVfs {
 public:
  // Forwards to the VFS called `base` ("" = SQLite's default).
  // REQUIRES: `base` is registered with SQLite.
  explicit JoinedLogVfs(const std::string& base);
  ~JoinedLogVfs();
  JoinedLogVfs(const JoinedLogVfs&) = delete;
  JoinedLogVfs& operator=(const JoinedLogVfs&) = delete;

  // The name under which it is registered with SQLite.
  const std::string& name() const { return name_; }

 private:
  struct LogFile;
  // SQLite passes a pointer to `vfs` back, which is also one to this struct.
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
  // Writes the buffered bytes.
  int flush(sqlite3_file& log);

  sqlite3_vfs* const base_;
  const std::string name_;
  Registered registered_;
  std::vector<char> held_;
  int used_ = 0;              // Bytes used of held_.
  std::int64_t offset_ = 0;   // Offset of held_ in the log.
  bool ends_commit_ = false;  // Whether the last buffered frame ends a commit.
};

}  // namespace lamarck::store::internal
