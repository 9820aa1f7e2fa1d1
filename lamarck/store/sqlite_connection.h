// A connection to a SQLite file that caches its prepared statements and reports
// failures as full sentences.

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

namespace lamarck::store {

namespace internal {
class JoinedLogVfs;
}
class SqliteConnection;

// A statement in use. Bound values are not copied and must outlive the query.
// Bind in the order of the parameters.
class Query {
 public:
  Query(SqliteConnection& connection, sqlite3_stmt* statement)
      : connection_(connection), statement_(statement) {}
  ~Query();
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;

  Query& integer(std::int64_t value);
  Query& real(double value);
  Query& text(std::string_view value);
  Query& text_or_null(std::string_view value);  // NULL for "".
  Query& blob(std::string_view value);
  Query& null();

  // Advances to the next row; false at the end.
  Result<bool> next();
  // Runs to the end and ignores rows.
  Result<void> run();

  // Columns of the current row, counted from 0.
  std::int64_t integer_at(int column) const;
  double real_at(int column) const;
  bool is_null_at(int column) const;
  std::string text_at(int column) const;  // Also for blobs; "" for NULL.
  // Valid until the next row.
  std::string_view bytes_at(int column) const;
  bool is_blob_at(int column) const;

 private:
  SqliteConnection& connection_;
  sqlite3_stmt* statement_;  // Null if preparing it failed.
  int bound_ = 0;
};

// Thread safety: one thread at a time.
class SqliteConnection {
 public:
  // Creates the file if it does not exist; "" = in memory. `vfs` "" = SQLite's
  // default. Messages call the file by `noun` and path.
  static Result<std::unique_ptr<SqliteConnection>> open(
      const std::string& path, const std::string& vfs,
      std::string_view noun = "journal");
  // Like `open`, but with JoinedLogVfs, which commits in few writes.
  static Result<std::unique_ptr<SqliteConnection>> open_writer(
      const std::string& path, const std::string& vfs);
  // Opens an existing file that this process cannot write. Without a log
  // (path-wal), SQLite takes the file for immutable: it needs no other file
  // then, but does not see a writer that starts later.
  static Result<std::unique_ptr<SqliteConnection>> open_read_only(
      const std::string& path);
  ~SqliteConnection();
  SqliteConnection(const SqliteConnection&) = delete;
  SqliteConnection& operator=(const SqliteConnection&) = delete;

  // REQUIRES: `sql` is a literal, because statements are cached by address.
  Query query(const char* sql);
  // Runs one or more statements without parameters.
  Result<void> execute(const char* sql);
  // Returns the number that `sql` selects, such as "PRAGMA user_version".
  Result<std::int64_t> number(const char* sql);

  bool is_read_only() const;
  bool is_immutable() const { return is_immutable_; }
  // Fails with Unavailable if a writer started to use an immutable file.
  Result<void> check_unchanged() const;
  bool is_in_transaction() const;
  std::int64_t changes() const;  // Rows changed by the last statement.
  std::int64_t last_insert_number() const;  // Rowid of the last insert.
  const std::string& path() const { return path_; }
  sqlite3* handle() { return handle_; }

  // The error of the last call.
  Error error() const;

 private:
  SqliteConnection(sqlite3* handle, std::string path,
                   std::string_view noun = "journal");

  std::unique_ptr<internal::JoinedLogVfs>
      own_vfs_;  // Null unless opened as a writer.
  sqlite3* handle_;
  std::string path_;
  std::string noun_;
  bool is_immutable_ = false;
  std::unordered_map<const char*, sqlite3_stmt*> statements_;
};

// Whether the code means that the disk or file failed, not the request.
bool is_storage_failure(ErrorCode code);

// Retries `attempt` for about a minute while other processes keep the file
// busy, then returns its error.
Result<void> retry_while_busy(const std::function<Result<void>()>& attempt);

}  // namespace lamarck::store
