// Preallocates space in the write-ahead log.
//
// The sync of a file that has grown must also write the file's metadata, which
// takes about as long as the data. The log therefore grows in large pieces
// filled with zeros. SQLite reads a log up to the first invalid frame, and
// zeros are not a valid frame.

#pragma once

#include <cstdint>

#include "lamarck/store/sqlite_connection.h"

namespace lamarck::store::internal {

// Thread safety: same as the connection.
class LogPreallocation {
 public:
  // Replaces SQLite's automatic checkpoints: runs one when the log has this
  // many frames.
  LogPreallocation(SqliteConnection& connection, int frames_to_checkpoint);
  ~LogPreallocation();
  LogPreallocation(const LogPreallocation&) = delete;
  LogPreallocation& operator=(const LogPreallocation&) = delete;

  // Extends the log if little space is left. A failure is ignored, because it
  // only costs speed. REQUIRES: the connection is in a write transaction, so
  // that nothing else touches the log.
  void reserve();

 private:
  static int note_commit(void* self, sqlite3* handle, const char* name,
                         int frames);

  SqliteConnection& connection_;
  const int frames_to_checkpoint_;
  std::int64_t used_ = 0;  // Bytes of the log used at our last commit.
  std::int64_t size_ = 0;  // Known size of the log file.
};

}  // namespace lamarck::store::internal
