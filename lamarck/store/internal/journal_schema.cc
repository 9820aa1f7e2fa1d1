#include "lamarck/store/internal/journal_schema.h"

#include <array>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "lamarck/base/ensure.h"
#include "lamarck/base/macros.h"

namespace lamarck::store::internal {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSqliteMagic("SQLite format 3\0", 16);

Error cannot_open(ErrorCode code, const std::string& path,
                  std::string_view why) {
  return {code,
          fmt::format("Cannot open the journal {}: {}", path, why),
          {{"file", path}}};
}

Result<void> make_folder(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  std::error_code failure;
  if (folder.empty() || fs::is_directory(folder, failure)) return {};
  fs::create_directories(folder, failure);
  if (!failure) return {};
  return cannot_open(
      ErrorCode::IoFailed, path,
      fmt::format("cannot create its folder: {}.", failure.message()));
}

Result<void> check_path(const std::string& path) {
  if (path.empty()) {
    return Error(ErrorCode::InvalidArgument,
                 "The path of the journal must not be empty.");
  }
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    return cannot_open(ErrorCode::InvalidArgument, path,
                       "it is a folder; give the path of a file.");
  }
  return make_folder(path);
}

bool begins_like_sqlite(const std::string& path) {
  std::array<char, 16> bytes{};
  std::ifstream file(path, std::ios::binary);
  file.read(bytes.data(), bytes.size());
  return std::string_view(bytes.data(), bytes.size()) == kSqliteMagic;
}

// Rewords SQLite's errors about a file that it cannot open.
Error as_open_error(const Error& error, const std::string& path) {
  if (error.code() == ErrorCode::DataDamaged) {
    if (begins_like_sqlite(path)) return error;
    return cannot_open(ErrorCode::InvalidArgument, path,
                       "it is not a journal; use another path.");
  }
  if (error.code() != ErrorCode::IoFailed) return error;
  return cannot_open(ErrorCode::IoFailed, path,
                     "it cannot be read or written; check the permissions of "
                     "the file and its folder, and the free disk space.");
}

Result<void> check_version(SqliteConnection& connection) {
  ASSIGN_OR_RETURN(const std::int64_t version,
                   connection.number("PRAGMA user_version"));
  ASSIGN_OR_RETURN(const std::int64_t tables,
                   connection.number("SELECT count(*) FROM sqlite_schema"));
  // Read this last: another process may be creating the file, and commits the
  // tables and the id at once.
  ASSIGN_OR_RETURN(const std::int64_t application,
                   connection.number("PRAGMA application_id"));
  if (application != kJournalApplication && (tables > 0 || version > 0)) {
    return cannot_open(
        ErrorCode::InvalidArgument, connection.path(),
        "it is a SQLite database but not a journal; use another path.");
  }
  const auto newest = static_cast<std::int64_t>(journal_migrations().size());
  if (version > newest) {
    return cannot_open(
        ErrorCode::Unsupported, connection.path(),
        fmt::format("it has version {}, but this program supports versions up "
                    "to {}; use a newer version of Lamarck.",
                    version, newest));
  }
  return {};
}

Result<void> check_writable(SqliteConnection& connection) {
  if (connection.is_read_only()) {
    return cannot_open(
        ErrorCode::PermissionDenied, connection.path(),
        "it is read-only; change the permissions of the file and its folder.");
  }
  return {};
}

Result<void> use_wal(SqliteConnection& connection) {
  Query mode = connection.query("PRAGMA journal_mode = WAL");
  ASSIGN_OR_RETURN(const bool has_row, mode.next());
  if (has_row && mode.bytes_at(0) == "wal") return {};
  return cannot_open(ErrorCode::Unsupported, connection.path(),
                     "its file system does not support the shared memory of a "
                     "write-ahead log; use another folder.");
}

Result<void> migrate_in_transaction(SqliteConnection& connection,
                                    std::int64_t version) {
  ASSIGN_OR_RETURN(const std::int64_t present,
                   connection.number("PRAGMA user_version"));
  for (std::int64_t from = present; from < version; ++from) {
    RETURN_IF_ERROR(connection.execute(
        journal_migrations()[static_cast<std::size_t>(from)]));
  }
  RETURN_IF_ERROR(connection.execute(
      fmt::format("PRAGMA application_id = {}", kJournalApplication).c_str()));
  return connection.execute("COMMIT");
}

}  // namespace

Result<void> migrate_journal(SqliteConnection& connection,
                             std::int64_t version) {
  REQUIRE(version <= static_cast<std::int64_t>(journal_migrations().size()),
          "migrate_journal: version must be at most {}, got {}.",
          journal_migrations().size(), version);
  RETURN_IF_ERROR(connection.execute("BEGIN IMMEDIATE"));
  Result<void> outcome = migrate_in_transaction(connection, version);
  if (!outcome && connection.is_in_transaction()) {
    // Report the original error, not that of the rollback.
    static_cast<void>(connection.execute("ROLLBACK"));
  }
  return outcome;
}

Result<std::unique_ptr<SqliteConnection>> open_journal_file(
    const std::string& path, const std::string& vfs) {
  RETURN_IF_ERROR(check_path(path));
  auto opened = SqliteConnection::open_writer(path, vfs);
  if (!opened) return as_open_error(opened.error(), path);
  SqliteConnection& connection = **opened;
  Result<void> outcome = retry_while_busy([&]() -> Result<void> {
    RETURN_IF_ERROR(check_version(connection));
    RETURN_IF_ERROR(check_writable(connection));
    RETURN_IF_ERROR(use_wal(connection));
    ASSIGN_OR_RETURN(const std::int64_t version,
                     connection.number("PRAGMA user_version"));
    const auto newest = static_cast<std::int64_t>(journal_migrations().size());
    if (version == newest) return {};
    return migrate_journal(connection, newest);
  });
  if (!outcome) return as_open_error(outcome.error(), path);
  // append_rules.h has already checked every append, with better messages and
  // outside the write lock. The CHECK constraints guard against other programs.
  RETURN_IF_ERROR(connection.execute("PRAGMA ignore_check_constraints = ON"));
  return opened;
}

Result<std::unique_ptr<SqliteConnection>> open_journal_read_only(
    const std::string& path) {
  auto opened = SqliteConnection::open_read_only(path);
  if (!opened) return as_open_error(opened.error(), path);
  SqliteConnection& connection = **opened;
  const Result<void> outcome = check_version(connection);
  if (!outcome && !connection.is_immutable() &&
      outcome.error().code() == ErrorCode::IoFailed) {
    return cannot_open(ErrorCode::IoFailed, path,
                       "its newest events are in the log (-wal), which cannot "
                       "be read here; copy both files to a folder that you can "
                       "write.");
  }
  if (!outcome) return as_open_error(outcome.error(), path);
  ASSIGN_OR_RETURN(const std::int64_t version,
                   connection.number("PRAGMA user_version"));
  const auto newest = static_cast<std::int64_t>(journal_migrations().size());
  if (version < newest) {
    return cannot_open(
        ErrorCode::Unsupported, path,
        fmt::format("it has version {} and must be migrated to {}, but it is "
                    "read-only; copy it to a folder that you can write.",
                    version, newest));
  }
  return opened;
}

}  // namespace lamarck::store::internal
