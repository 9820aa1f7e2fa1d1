// One connection to a SQLite file, its statements prepared once each, and its
// failures as sentences.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "lamarck/base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace lamarck::store::internal {

class JoinedLogVfs;
class SqliteConnection;

// A statement while it is used. What is bound is not copied, so it must live as
// long as the query. Bind in the order of the parameters.
class Query {
 public:
  Query(SqliteConnection& connection, sqlite3_stmt* statement)
      : connection_(connection), statement_(statement) {}
  ~Query();
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;

  Query& integer(std::int64_t value);
  Query& text(std::string_view value);
  Query& text_or_null(std::string_view value);  // NULL for "".
  Query& blob(std::string_view value);
  Query& null();

  // Whether there is a row.
  Result<bool> next();
  // To the end, without looking at rows.
  Result<void> run();

  // Of the row; columns count from 0.
  std::int64_t integer_at(int column) const;
  std::string text_at(int column) const;  // Also of blobs; "" for NULL.
  // Until the next row.
  std::string_view bytes_at(int column) const;
  bool is_blob_at(int column) const;

 private:
  SqliteConnection& connection_;
  sqlite3_stmt* statement_;  // Null if it could not be prepared.
  int bound_ = 0;
};

// Thread safety: one thread at a time.
class SqliteConnection {
 public:
  // Makes the file if it is not there. `vfs` "" = SQLite's default.
  static Result<std::unique_ptr<SqliteConnection>> open(const std::string& path,
                                                        const std::string& vfs);
  // Likewise; what it commits reaches the log in few writes.
  static Result<std::unique_ptr<SqliteConnection>> open_writer(
      const std::string& path, const std::string& vfs);
  ~SqliteConnection();
  SqliteConnection(const SqliteConnection&) = delete;
  SqliteConnection& operator=(const SqliteConnection&) = delete;

  // REQUIRES: `sql` is a literal: it is known by its address.
  Query query(const char* sql);
  // One or several statements without parameters.
  Result<void> execute(const char* sql);
  // The number that `sql` gives, such as "PRAGMA user_version".
  Result<std::int64_t> number(const char* sql);

  bool is_read_only() const;
  bool is_in_transaction() const;
  std::int64_t changes() const;      // Rows of the last statement.
  std::int64_t last_number() const;  // Of the row inserted last.
  const std::string& path() const { return path_; }
  sqlite3* handle() { return handle_; }

  // What the last call failed with.
  Error error() const;

 private:
  SqliteConnection(sqlite3* handle, std::string path);

  std::unique_ptr<JoinedLogVfs> own_vfs_;  // Null unless it is a writer.
  sqlite3* handle_;
  std::string path_;
  std::unordered_map<const char*, sqlite3_stmt*> statements_;
};

// Codes that say that the disk or the file failed, not the request.
bool is_world_failure(ErrorCode code);

// Calls `attempt` again and again while other processes keep the file busy, for
// about a minute; only then the error is what the user sees.
Result<void> retry_while_busy(const std::function<Result<void>()>& attempt);

}  // namespace lamarck::store::internal
