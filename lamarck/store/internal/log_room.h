// Room ahead in the write-ahead log.
//
// A sync of a file that has grown must also write where its new blocks are,
// which takes about as long as the sync of the data. So the log grows by a
// large piece at a time, filled with zeros: SQLite reads a log up to the first
// frame that it did not write, and zeros are none.

#pragma once

#include <cstdint>

#include "lamarck/store/internal/sqlite_connection.h"

namespace lamarck::store::internal {

// Thread safety: as the connection's.
class LogRoom {
 public:
  // Takes the place of SQLite's own automatic checkpoints: one is made when the
  // log has so many frames.
  LogRoom(SqliteConnection& connection, int frames_to_checkpoint);
  ~LogRoom();
  LogRoom(const LogRoom&) = delete;
  LogRoom& operator=(const LogRoom&) = delete;

  // Makes room if little is left. Nothing happens if that fails: it can only be
  // slower. REQUIRES: the connection is in a transaction that writes, so that
  // nobody else touches the log.
  void keep();

 private:
  static int note_commit(void* self, sqlite3* handle, const char* name,
                         int frames);

  SqliteConnection& connection_;
  const int frames_to_checkpoint_;
  std::int64_t used_ = 0;  // Bytes of the log, as of our last commit.
  std::int64_t size_ = 0;  // Of the file, when it was looked at last.
};

}  // namespace lamarck::store::internal
