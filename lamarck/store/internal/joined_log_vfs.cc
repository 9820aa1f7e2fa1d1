#include "lamarck/store/internal/joined_log_vfs.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

#include "lamarck/base/ensure.h"

namespace lamarck::store::internal {
namespace {

constexpr int kHeaderBytes = 24;
// SQLite's own VFS implementations accept less than 128 kB per write.
constexpr int kMaxHeld = 31 * (kHeaderBytes + 4096);
static_assert(kMaxHeld < 128 << 10);

std::string new_name() {
  static std::atomic<std::uint64_t> count = 0;
  return "lamarck-joined-log-" + std::to_string(++count);
}

// Bytes 4-7 of a frame header hold the database size after a commit; 0 means
// that more frames follow.
bool ends_commit(const void* header) {
  const auto* const size = static_cast<const char*>(header) + 4;
  return std::any_of(size, size + 4, [](char byte) { return byte != 0; });
}

}  // namespace

// SQLite's file object: this struct, followed in memory by the base's one.
struct JoinedLogVfs::LogFile {
  sqlite3_file base;
  JoinedLogVfs* vfs;

  sqlite3_file& real() { return *reinterpret_cast<sqlite3_file*>(this + 1); }
  int flush() { return vfs->flush(real()); }
};

JoinedLogVfs::LogFile& JoinedLogVfs::log_of(sqlite3_file* file) {
  return *reinterpret_cast<LogFile*>(file);
}

JoinedLogVfs::JoinedLogVfs(const std::string& base)
    : base_(sqlite3_vfs_find(base.empty() ? nullptr : base.c_str())),
      name_(new_name()),
      held_(kMaxHeld) {
  REQUIRE(base_ != nullptr, "JoinedLogVfs: SQLite must know the VFS '{}'.",
          base);
  registered_ = {.vfs = *base_, .self = this};
  registered_.vfs.pNext = nullptr;
  registered_.vfs.zName = name_.c_str();
  registered_.vfs.szOsFile += static_cast<int>(sizeof(LogFile));
  registered_.vfs.xOpen = open;
  sqlite3_vfs_register(&registered_.vfs, 0);
}

JoinedLogVfs::~JoinedLogVfs() { sqlite3_vfs_unregister(&registered_.vfs); }

int JoinedLogVfs::open(sqlite3_vfs* vfs, const char* path, sqlite3_file* file,
                       int flags, int* out_flags) {
  JoinedLogVfs& self = *reinterpret_cast<Registered*>(vfs)->self;
  if ((flags & SQLITE_OPEN_WAL) == 0) {
    return self.base_->xOpen(self.base_, path, file, flags, out_flags);
  }
  LogFile& log = log_of(file);
  log.base.pMethods = nullptr;
  log.vfs = &self;
  const int code =
      self.base_->xOpen(self.base_, path, &log.real(), flags, out_flags);
  if (code == SQLITE_OK) log.base.pMethods = &log_methods();
  return code;
}

// Reads, truncations, syncs and size queries flush first. Closing drops the
// buffer: frames of an unfinished commit are void.
const sqlite3_io_methods& JoinedLogVfs::log_methods() {
  static const sqlite3_io_methods kMethods = [] {
    sqlite3_io_methods m{};
    m.iVersion = 1;
    m.xClose = [](sqlite3_file* f) {
      log_of(f).vfs->used_ = 0;
      return log_of(f).real().pMethods->xClose(&log_of(f).real());
    };
    m.xRead = [](sqlite3_file* f, void* to, int n, sqlite3_int64 at) {
      const int code = log_of(f).flush();
      if (code != SQLITE_OK) return code;
      return log_of(f).real().pMethods->xRead(&log_of(f).real(), to, n, at);
    };
    m.xWrite = [](sqlite3_file* f, const void* from, int n, sqlite3_int64 at) {
      return log_of(f).vfs->write(log_of(f).real(), from, n, at);
    };
    m.xTruncate = [](sqlite3_file* f, sqlite3_int64 size) {
      const int code = log_of(f).flush();
      if (code != SQLITE_OK) return code;
      return log_of(f).real().pMethods->xTruncate(&log_of(f).real(), size);
    };
    m.xSync = [](sqlite3_file* f, int flags) {
      const int code = log_of(f).flush();
      if (code != SQLITE_OK) return code;
      return log_of(f).real().pMethods->xSync(&log_of(f).real(), flags);
    };
    m.xFileSize = [](sqlite3_file* f, sqlite3_int64* size) {
      const int code = log_of(f).flush();
      if (code != SQLITE_OK) return code;
      return log_of(f).real().pMethods->xFileSize(&log_of(f).real(), size);
    };
    m.xLock = [](sqlite3_file* f, int kind) {
      return log_of(f).real().pMethods->xLock(&log_of(f).real(), kind);
    };
    m.xUnlock = [](sqlite3_file* f, int kind) {
      return log_of(f).real().pMethods->xUnlock(&log_of(f).real(), kind);
    };
    m.xCheckReservedLock = [](sqlite3_file* f, int* is_reserved) {
      sqlite3_file& real = log_of(f).real();
      return real.pMethods->xCheckReservedLock(&real, is_reserved);
    };
    m.xFileControl = [](sqlite3_file* f, int what, void* with) {
      return log_of(f).real().pMethods->xFileControl(&log_of(f).real(), what,
                                                     with);
    };
    m.xSectorSize = [](sqlite3_file* f) {
      return log_of(f).real().pMethods->xSectorSize(&log_of(f).real());
    };
    m.xDeviceCharacteristics = [](sqlite3_file* f) {
      sqlite3_file& real = log_of(f).real();
      return real.pMethods->xDeviceCharacteristics(&real);
    };
    return m;
  }();
  return kMethods;
}

int JoinedLogVfs::write(sqlite3_file& log, const void* bytes, int size,
                        std::int64_t offset) {
  const bool is_next = used_ > 0 && offset == offset_ + used_;
  if (!is_next || used_ + size > kMaxHeld) {
    const int code = flush(log);
    if (code != SQLITE_OK) return code;
  }
  const bool is_held = hold(bytes, size, offset);
  if (!is_held) return log.pMethods->xWrite(&log, bytes, size, offset);
  const bool is_complete = size != kHeaderBytes && ends_commit_;
  return is_complete ? flush(log) : SQLITE_OK;
}

// Buffers the bytes and returns true, unless the buffer is empty and they are
// not a frame header.
bool JoinedLogVfs::hold(const void* bytes, int size, std::int64_t offset) {
  const bool is_header = size == kHeaderBytes;
  if (used_ == 0 && !is_header) return false;
  if (used_ == 0) offset_ = offset;
  if (is_header) ends_commit_ = ends_commit(bytes);
  std::memcpy(held_.data() + used_, bytes, static_cast<std::size_t>(size));
  used_ += size;
  return true;
}

int JoinedLogVfs::flush(sqlite3_file& log) {
  if (used_ == 0) return SQLITE_OK;
  const int size = std::exchange(used_, 0);
  return log.pMethods->xWrite(&log, held_.data(), size, offset_);
}

}  // namespace lamarck::store::internal
