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
      fmt::format("its folder cannot be made: {}.", failure.message()));
}

Result<void> check_path(const std::string& path) {
  if (path.empty()) {
    return Error(ErrorCode::InvalidArgument,
                 "A journal needs a file; give its path.");
  }
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    return cannot_open(ErrorCode::InvalidArgument, path,
                       "it is a folder; name a file in it.");
  }
  return make_folder(path);
}

bool begins_like_sqlite(const std::string& path) {
  std::array<char, 16> bytes{};
  std::ifstream file(path, std::ios::binary);
  file.read(bytes.data(), bytes.size());
  return std::string_view(bytes.data(), bytes.size()) == kSqliteMagic;
}

// What SQLite says of a file that it cannot read at all, in our words.
Error as_open_error(const Error& error, const std::string& path) {
  if (error.code() == ErrorCode::DataDamaged) {
    if (begins_like_sqlite(path)) return error;
    return cannot_open(ErrorCode::InvalidArgument, path,
                       "it is a file of another kind; give another path.");
  }
  if (error.code() != ErrorCode::IoFailed) return error;
  return cannot_open(ErrorCode::IoFailed, path,
                     "it cannot be read or written; look at the rights of the "
                     "file and its folder, and whether the disk is full.");
}

Result<void> check_version(SqliteConnection& connection) {
  ASSIGN_OR_RETURN(const std::int64_t version,
                   connection.number("PRAGMA user_version"));
  ASSIGN_OR_RETURN(const std::int64_t tables,
                   connection.number("SELECT count(*) FROM sqlite_schema"));
  // Last, as another process may be making the file: it writes all at once.
  ASSIGN_OR_RETURN(const std::int64_t application,
                   connection.number("PRAGMA application_id"));
  if (application != kJournalApplication && (tables > 0 || version > 0)) {
    return cannot_open(ErrorCode::InvalidArgument, connection.path(),
                       "it is a SQLite database of something else; give "
                       "another path.");
  }
  const auto newest = static_cast<std::int64_t>(journal_migrations().size());
  if (version > newest) {
    return cannot_open(
        ErrorCode::Unsupported, connection.path(),
        fmt::format("it has version {} and this program knows versions up to "
                    "{}; use a newer Lamarck.",
                    version, newest));
  }
  if (connection.is_read_only()) {
    return cannot_open(ErrorCode::PermissionDenied, connection.path(),
                       "it may not be written; change the rights of the file "
                       "and its folder.");
  }
  return {};
}

Result<void> use_wal(SqliteConnection& connection) {
  Query mode = connection.query("PRAGMA journal_mode = WAL");
  ASSIGN_OR_RETURN(const bool has_row, mode.next());
  if (has_row && mode.bytes_at(0) == "wal") return {};
  return cannot_open(ErrorCode::Unsupported, connection.path(),
                     "its file system has no shared memory, which a "
                     "write-ahead log needs; choose another folder.");
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
          "migrate_journal: a version that there is");
  RETURN_IF_ERROR(connection.execute("BEGIN IMMEDIATE"));
  Result<void> outcome = migrate_in_transaction(connection, version);
  if (!outcome && connection.is_in_transaction()) {
    // The first failure is the one to tell.
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
    RETURN_IF_ERROR(use_wal(connection));
    ASSIGN_OR_RETURN(const std::int64_t version,
                     connection.number("PRAGMA user_version"));
    const auto newest = static_cast<std::int64_t>(journal_migrations().size());
    if (version == newest) return {};
    return migrate_journal(connection, newest);
  });
  if (!outcome) return as_open_error(outcome.error(), path);
  // What is appended was held against append_rules.h, which say the same with
  // better words, and not in the writer's turn. The tables' own checks are for
  // whoever else writes to them.
  RETURN_IF_ERROR(connection.execute("PRAGMA ignore_check_constraints = ON"));
  return opened;
}

}  // namespace lamarck::store::internal
