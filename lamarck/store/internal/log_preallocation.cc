#include "lamarck/store/internal/log_preallocation.h"

#include <array>

#include <sqlite3.h>

namespace lamarck::store::internal {
namespace {

constexpr std::int64_t kGrowth = std::int64_t{1} << 20;
constexpr std::int64_t kMinFree = std::int64_t{256} << 10;
constexpr int kBlock = 64 << 10;  // SQLite writes less than 128 kB at a time.
constexpr std::int64_t kFrameBytes = 4096 + 24;

// Null if there is no log yet.
sqlite3_file* log_file(sqlite3* handle) {
  sqlite3_file* file = nullptr;
  sqlite3_file_control(handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file);
  return file == nullptr || file->pMethods == nullptr ? nullptr : file;
}

}  // namespace

LogPreallocation::LogPreallocation(SqliteConnection& connection,
                                   int frames_to_checkpoint)
    : connection_(connection), frames_to_checkpoint_(frames_to_checkpoint) {
  sqlite3_wal_hook(connection_.handle(), note_commit, this);
}

LogPreallocation::~LogPreallocation() {
  sqlite3_wal_hook(connection_.handle(), nullptr, nullptr);
}

int LogPreallocation::note_commit(void* self, sqlite3* handle, const char* name,
                                  int frames) {
  auto& room = *static_cast<LogPreallocation*>(self);
  room.used_ = frames * kFrameBytes;
  if (frames >= room.frames_to_checkpoint_) {
    // If readers block it, the next commit tries again.
    sqlite3_wal_checkpoint_v2(handle, name, SQLITE_CHECKPOINT_PASSIVE, nullptr,
                              nullptr);
  }
  return SQLITE_OK;
}

void LogPreallocation::reserve() {
  if (used_ + kMinFree <= size_) return;
  sqlite3_file* const file = log_file(connection_.handle());
  if (file == nullptr) return;
  sqlite3_int64 size = 0;
  if (file->pMethods->xFileSize(file, &size) != SQLITE_OK) return;
  const std::int64_t wanted = used_ + kMinFree <= size ? size : size + kGrowth;
  static const std::array<char, kBlock> kZeros{};
  for (size_ = size; size_ < wanted; size_ += kBlock) {
    const int code = file->pMethods->xWrite(file, kZeros.data(), kBlock, size_);
    if (code != SQLITE_OK) return;
  }
}

}  // namespace lamarck::store::internal
