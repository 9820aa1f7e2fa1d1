#include "lamarck/store/internal/joined_log_vfs.h"

#include <unistd.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <vector>

#include <fmt/format.h>

namespace lamarck::store::internal {
namespace {

// The sizes of the writes that reach the log, recorded by a VFS below.
std::vector<int>& log_writes() {
  static std::vector<int> sizes;
  return sizes;
}
int& failing_write() {  // Which write fails, from 1; 0 = none.
  static int at = 0;
  return at;
}

struct CountedFile {
  sqlite3_file base;
  sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};

sqlite3_file* real(sqlite3_file* file) {
  return reinterpret_cast<CountedFile*>(file)->real();
}

int counted_write(sqlite3_file* file, const void* bytes, int size,
                  sqlite3_int64 offset) {
  log_writes().push_back(size);
  if (static_cast<int>(log_writes().size()) == failing_write()) {
    return SQLITE_IOERR_WRITE;
  }
  return real(file)->pMethods->xWrite(real(file), bytes, size, offset);
}

const sqlite3_io_methods& counted_methods() {
  static const sqlite3_io_methods methods = [] {
    sqlite3_io_methods m{};
    m.iVersion = 1;
    m.xClose = [](sqlite3_file* f) {
      return real(f)->pMethods->xClose(real(f));
    };
    m.xRead = [](sqlite3_file* f, void* to, int n, sqlite3_int64 at) {
      return real(f)->pMethods->xRead(real(f), to, n, at);
    };
    m.xWrite = counted_write;
    m.xTruncate = [](sqlite3_file* f, sqlite3_int64 size) {
      return real(f)->pMethods->xTruncate(real(f), size);
    };
    m.xSync = [](sqlite3_file*, int) { return SQLITE_OK; };
    m.xFileSize = [](sqlite3_file* f, sqlite3_int64* size) {
      return real(f)->pMethods->xFileSize(real(f), size);
    };
    m.xFileControl = [](sqlite3_file* f, int what, void* with) {
      return real(f)->pMethods->xFileControl(real(f), what, with);
    };
    m.xSectorSize = [](sqlite3_file* f) {
      return real(f)->pMethods->xSectorSize(real(f));
    };
    m.xDeviceCharacteristics = [](sqlite3_file* f) {
      return real(f)->pMethods->xDeviceCharacteristics(real(f));
    };
    return m;
  }();
  return methods;
}

sqlite3_vfs& real_vfs() { return *sqlite3_vfs_find("unix"); }

int counted_open(sqlite3_vfs*, const char* path, sqlite3_file* file, int flags,
                 int* out_flags) {
  if ((flags & SQLITE_OPEN_WAL) == 0) {
    return real_vfs().xOpen(&real_vfs(), path, file, flags, out_flags);
  }
  file->pMethods = nullptr;
  const int code =
      real_vfs().xOpen(&real_vfs(), path, real(file), flags, out_flags);
  if (code == SQLITE_OK) file->pMethods = &counted_methods();
  return code;
}

void register_counted_vfs() {
  static sqlite3_vfs vfs = [] {
    sqlite3_vfs copy = real_vfs();
    copy.pNext = nullptr;
    copy.zName = "counted";
    copy.szOsFile += static_cast<int>(sizeof(CountedFile));
    copy.xOpen = counted_open;
    return copy;
  }();
  sqlite3_vfs_register(&vfs, 0);
}

class JoinedLogVfsTest : public testing::Test {
 protected:
  void SetUp() override {
    register_counted_vfs();
    failing_write() = 0;
    folder_ = std::filesystem::path(testing::TempDir()) /
              fmt::format("joined_log_{}", ::getpid());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    vfs_ = std::make_unique<JoinedLogVfs>("counted");
    file_ = open(vfs_->name());
    run("PRAGMA journal_mode = WAL");
    run("CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT)");
    log_writes().clear();
  }
  void TearDown() override {
    sqlite3_close(file_);
    vfs_.reset();
    std::filesystem::remove_all(folder_);
  }

  sqlite3* open(const std::string& vfs) const {
    sqlite3* file = nullptr;
    EXPECT_EQ(sqlite3_open_v2((folder_ / "t.db").c_str(), &file,
                              SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                              vfs.c_str()),
              SQLITE_OK);
    return file;
  }
  int attempt(const std::string& sql) {
    return sqlite3_exec(file_, sql.c_str(), nullptr, nullptr, nullptr);
  }
  void run(const std::string& sql) {
    ASSERT_EQ(attempt(sql), SQLITE_OK) << sqlite3_errmsg(file_);
  }
  // Inserts about this many pages.
  void insert(int pages) {
    run(
        fmt::format("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 "
                    "FROM n WHERE i < {}) INSERT INTO t (text) "
                    "SELECT printf('%.*c', 3000, 'x') FROM n",
                    pages));
  }
  // The number of rows that another connection sees through the default VFS.
  int rows_seen() const {
    sqlite3* const other = open("unix");
    sqlite3_stmt* query = nullptr;
    sqlite3_prepare_v2(other, "SELECT count(*) FROM t WHERE length(text) > 0",
                       -1, &query, nullptr);
    EXPECT_EQ(sqlite3_step(query), SQLITE_ROW);
    const int count = sqlite3_column_int(query, 0);
    sqlite3_finalize(query);
    sqlite3_close(other);
    return count;
  }

  std::filesystem::path folder_;
  std::unique_ptr<JoinedLogVfs> vfs_;
  sqlite3* file_ = nullptr;
};

TEST_F(JoinedLogVfsTest, CommitIsOneWrite) {
  for (const char* mode : {"FULL", "OFF"}) {
    run(std::string("PRAGMA synchronous = ") + mode);
    log_writes().clear();
    insert(3);
    ASSERT_EQ(log_writes().size(), 1u) << mode;
    EXPECT_GE(log_writes()[0], 3 * 4120);
  }
  EXPECT_EQ(rows_seen(), 6);
}

TEST_F(JoinedLogVfsTest, SplitsLargeCommits) {
  insert(500);
  EXPECT_GT(log_writes().size(), 10u);
  EXPECT_LT(log_writes().size(), 30u);
  for (const int size : log_writes()) EXPECT_LT(size, 128 << 10);
  EXPECT_EQ(rows_seen(), 500);
}

// Its frames are flushed before they are read again, and others do not see
// them.
TEST_F(JoinedLogVfsTest, TransactionLargerThanCacheReadsItsWrites) {
  run("PRAGMA cache_size = 5");
  run("BEGIN");
  insert(200);
  run("UPDATE t SET text = text || 'y'");
  EXPECT_EQ(rows_seen(), 0);
  run("ROLLBACK");
  EXPECT_EQ(rows_seen(), 0);
  run("BEGIN");
  insert(200);
  run("UPDATE t SET text = text || 'y'");
  run("COMMIT");
  EXPECT_EQ(rows_seen(), 200);
  run("PRAGMA wal_checkpoint(TRUNCATE)");
  EXPECT_EQ(rows_seen(), 200);
}

TEST_F(JoinedLogVfsTest, ReportsFailedWrite) {
  for (const char* mode : {"FULL", "OFF"}) {
    run(std::string("PRAGMA synchronous = ") + mode);
    log_writes().clear();
    failing_write() = 1;
    EXPECT_EQ(attempt("INSERT INTO t (text) VALUES ('lost')"), SQLITE_IOERR)
        << mode;
    failing_write() = 0;
    EXPECT_EQ(rows_seen(), 0);
  }
  insert(1);
  EXPECT_EQ(rows_seen(), 1);
}

}  // namespace
}  // namespace lamarck::store::internal
