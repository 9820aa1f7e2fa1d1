#include "lamarck/store/sqlite_connection.h"

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>

#include <fmt/format.h>
#include <sqlite3.h>

#include "lamarck/base/clock.h"
#include "lamarck/base/macros.h"
#include "lamarck/store/internal/joined_log_vfs.h"

namespace lamarck::store {
namespace {

constexpr int kBusyMilliseconds = 10'000;

// Journals are private: a new file is readable by its owner only, and an empty
// one, such as `mktemp` and `touch` create, is as good as new. SQLite gives the
// -wal and -shm files the same permissions.
void make_private(const std::string& path) {
  namespace fs = std::filesystem;
  const int file = ::open(path.c_str(), O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file >= 0) {
    ::close(file);
    return;
  }
  // Not opened: closing it would end the locks of other connections.
  std::error_code failure;
  if (!fs::is_regular_file(path, failure)) return;
  if (fs::file_size(path, failure) != 0 || failure) return;
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write,
                  failure);
}

// Whether changes are stored in a log that is not part of the file yet.
bool has_log(const std::string& path) {
  std::error_code failure;
  const auto size = std::filesystem::file_size(path + "-wal", failure);
  return !failure && size > 0;
}

// In a URI, these characters would end the name or start an escape.
std::string file_uri(const std::string& path) {
  std::string uri = path.starts_with('/') ? "file:" : "file:./";
  for (const char c : path) {
    if (c == '%' || c == '?' || c == '#') {
      uri += fmt::format("%{:02x}", static_cast<int>(c));
    } else {
      uri += c;
    }
  }
  return uri;
}

Error sqlite_error(int code, std::string_view noun, const std::string& path,
                   std::string_view detail) {
  const Error::Fields fields = {{"file", path}};
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
      return {ErrorCode::Unavailable,
              fmt::format(
                  "The {} {} is locked by another process; try again later.",
                  noun, path),
              fields};
    case SQLITE_NOMEM:
      return {ErrorCode::Unavailable,
              fmt::format("Not enough memory to use the {} {}.", noun, path),
              fields};
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return {
          ErrorCode::DataDamaged,
          fmt::format("The {} {} is damaged ({}); restore it from a backup.",
                      noun, path, detail),
          fields};
    case SQLITE_FULL:
      return {ErrorCode::IoFailed,
              fmt::format("The disk of the {} {} is full; free some space "
                          "and try again.",
                          noun, path),
              fields};
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_CANTOPEN:
    case SQLITE_IOERR:
      return {ErrorCode::IoFailed,
              fmt::format("The {} {} cannot be read or written: {}.", noun,
                          path, detail),
              fields};
    default:
      return {ErrorCode::Internal,
              fmt::format("The {} {} failed: {}.", noun, path, detail), fields};
  }
}

}  // namespace

bool is_storage_failure(ErrorCode code) {
  return code == ErrorCode::IoFailed || code == ErrorCode::Unavailable ||
         code == ErrorCode::DataDamaged || code == ErrorCode::Internal;
}

Result<void> retry_while_busy(const std::function<Result<void>()>& attempt) {
  using std::chrono_literals::operator""s;
  using std::chrono_literals::operator""ms;
  SystemClock clock;
  const auto start = clock.elapsed();
  for (;;) {
    Result<void> outcome = attempt();
    const bool is_busy =
        !outcome && outcome.error().code() == ErrorCode::Unavailable;
    if (!is_busy || clock.elapsed() - start > 60s) return outcome;
    clock.sleep_for(5ms, {});
  }
}

// Reset, not finalize: the connection keeps the statement for reuse.
Query::~Query() {
  if (statement_ != nullptr) sqlite3_reset(statement_);
}

Query& Query::integer(std::int64_t value) {
  sqlite3_bind_int64(statement_, ++bound_, value);
  return *this;
}

Query& Query::real(double value) {
  sqlite3_bind_double(statement_, ++bound_, value);
  return *this;
}

Query& Query::text(std::string_view value) {
  // SQLite binds a null pointer as NULL.
  sqlite3_bind_text64(statement_, ++bound_, value.empty() ? "" : value.data(),
                      value.size(), SQLITE_STATIC, SQLITE_UTF8);
  return *this;
}

Query& Query::text_or_null(std::string_view value) {
  return value.empty() ? null() : text(value);
}

Query& Query::blob(std::string_view value) {
  sqlite3_bind_blob64(statement_, ++bound_, value.empty() ? "" : value.data(),
                      value.size(), SQLITE_STATIC);
  return *this;
}

Query& Query::null() {
  sqlite3_bind_null(statement_, ++bound_);
  return *this;
}

Result<bool> Query::next() {
  if (statement_ == nullptr) return connection_.error();
  switch (sqlite3_step(statement_)) {
    case SQLITE_ROW:
      return true;
    case SQLITE_DONE:
      return false;
    default:
      return connection_.error();
  }
}

Result<void> Query::run() {
  for (;;) {
    ASSIGN_OR_RETURN(const bool has_row, next());
    if (!has_row) return {};
  }
}

std::int64_t Query::integer_at(int column) const {
  return sqlite3_column_int64(statement_, column);
}

double Query::real_at(int column) const {
  return sqlite3_column_double(statement_, column);
}

bool Query::is_null_at(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

std::string Query::text_at(int column) const {
  return std::string(bytes_at(column));
}

std::string_view Query::bytes_at(int column) const {
  const void* const bytes = sqlite3_column_blob(statement_, column);
  const int size = sqlite3_column_bytes(statement_, column);
  if (bytes == nullptr) return {};
  return {static_cast<const char*>(bytes), static_cast<std::size_t>(size)};
}

bool Query::is_blob_at(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_BLOB;
}

Result<std::unique_ptr<SqliteConnection>> SqliteConnection::open(
    const std::string& path, const std::string& vfs, std::string_view noun) {
  if (!path.empty()) make_private(path);
  // SQLite interprets names such as file:... and :memory:; "./" prevents that.
  const std::string name = path.empty()            ? ":memory:"
                           : path.starts_with('/') ? path
                                                   : "./" + path;
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(
      name.c_str(), &handle,
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
      vfs.empty() ? nullptr : vfs.c_str());
  std::unique_ptr<SqliteConnection> connection(
      new SqliteConnection(handle, path, noun));
  if (handle == nullptr) {
    return sqlite_error(code, noun, path, sqlite3_errstr(code));
  }
  if (code != SQLITE_OK) return connection->error();
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_timeout(handle, kBusyMilliseconds);
  return connection;
}

Result<std::unique_ptr<SqliteConnection>> SqliteConnection::open_writer(
    const std::string& path, const std::string& vfs) {
  auto own_vfs = std::make_unique<internal::JoinedLogVfs>(vfs);
  ASSIGN_OR_RETURN(auto connection, open(path, own_vfs->name()));
  connection->own_vfs_ = std::move(own_vfs);
  return connection;
}

Result<std::unique_ptr<SqliteConnection>> SqliteConnection::open_read_only(
    const std::string& path) {
  const bool is_immutable = !has_log(path);
  const std::string name =
      file_uri(path) + (is_immutable ? "?immutable=1" : "?mode=ro");
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(
      name.c_str(), &handle,
      SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nullptr);
  std::unique_ptr<SqliteConnection> connection(
      new SqliteConnection(handle, path));
  if (handle == nullptr) {
    return sqlite_error(code, "journal", path, sqlite3_errstr(code));
  }
  if (code != SQLITE_OK) return connection->error();
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_timeout(handle, kBusyMilliseconds);
  connection->is_immutable_ = is_immutable;
  return connection;
}

Result<void> SqliteConnection::check_unchanged() const {
  if (!is_immutable_ || !has_log(path_)) return {};
  return Error(ErrorCode::Unavailable,
               fmt::format("Another process started to write the journal {} "
                           "while it was read; try again.",
                           path_),
               {{"file", path_}});
}

SqliteConnection::SqliteConnection(sqlite3* handle, std::string path,
                                   std::string_view noun)
    : handle_(handle), path_(std::move(path)), noun_(noun) {}

SqliteConnection::~SqliteConnection() {
  for (const auto& [sql, statement] : statements_) sqlite3_finalize(statement);
  sqlite3_close(handle_);
}

Query SqliteConnection::query(const char* sql) {
  sqlite3_stmt*& statement = statements_[sql];
  if (statement == nullptr) {
    sqlite3_prepare_v3(handle_, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement,
                       nullptr);
  }
  return {*this, statement};
}

Result<void> SqliteConnection::execute(const char* sql) {
  if (sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) {
    return error();
  }
  return {};
}

Result<std::int64_t> SqliteConnection::number(const char* sql) {
  Query query = this->query(sql);
  ASSIGN_OR_RETURN(const bool has_row, query.next());
  return has_row ? query.integer_at(0) : 0;
}

bool SqliteConnection::is_read_only() const {
  return sqlite3_db_readonly(handle_, "main") == 1;
}

bool SqliteConnection::is_in_transaction() const {
  return sqlite3_get_autocommit(handle_) == 0;
}

std::int64_t SqliteConnection::changes() const {
  return sqlite3_changes64(handle_);
}

std::int64_t SqliteConnection::last_insert_number() const {
  return sqlite3_last_insert_rowid(handle_);
}

Error SqliteConnection::error() const {
  return sqlite_error(sqlite3_extended_errcode(handle_), noun_, path_,
                      sqlite3_errmsg(handle_));
}

}  // namespace lamarck::store
