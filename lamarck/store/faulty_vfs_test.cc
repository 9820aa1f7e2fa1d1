// Makes every write and sync of the journal's file fail once, in several ways.
//
// A VFS below SQLite forwards to the real one and also models what a disk holds
// after a power cut: everything that was synced, and an arbitrary part of the
// rest.

#include <unistd.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>

#include <fmt/format.h>

#include "lamarck/base/rng.h"
#include "lamarck/store/sqlite_journal.h"

namespace lamarck::store {
namespace {

enum class Fault {
  None,
  Fail,       // The operation does nothing and reports an error.
  Tear,       // A write stores half of its bytes and reports an error.
  DropSync,   // A sync reports success but does nothing; the power fails later.
  DropWrite,  // The same for a write; the power fails at the next sync.
  PowerCut,   // The power fails at that operation.
};

constexpr std::size_t kDiskBlock = 4096;

// At most one disk block.
struct PendingWrite {
  std::int64_t offset = 0;
  std::string bytes;
  bool is_truncation = false;  // To `offset` bytes.
};

// The contents of one file on the disk.
struct DiskFile {
  std::string synced;
  std::vector<PendingWrite> pending;
};

void apply_write(const PendingWrite& write, std::string& bytes) {
  const auto offset = static_cast<std::size_t>(write.offset);
  if (write.is_truncation) {
    bytes.resize(std::min(bytes.size(), offset));
    return;
  }
  bytes.resize(std::max(bytes.size(), offset + write.bytes.size()));
  bytes.replace(offset, write.bytes.size(), write.bytes);
}

// The simulated disk; one per process.
class Disk {
 public:
  static Disk& instance() {
    static Disk disk;
    return disk;
  }

  void reset(Fault fault, int at) {
    const std::lock_guard lock(mutex_);
    files_.clear();
    fault_ = fault;
    at_ = at;
    count_ = 0;
    has_dropped_ = false;
    is_off_ = false;
  }

  int count() const { return count_; }
  bool has_dropped() const { return has_dropped_; }
  bool is_off() const { return is_off_; }
  void cut_power() { is_off_ = true; }

  // The fault of the next operation.
  Fault next(bool is_sync) {
    if (has_dropped_ && is_sync) is_off_ = true;
    if (is_off_) return Fault::Fail;
    if (++count_ != at_) return Fault::None;
    if (fault_ == Fault::PowerCut) is_off_ = true;
    if (fault_ == Fault::DropSync && !is_sync) return Fault::None;
    if (fault_ == Fault::DropWrite && is_sync) return Fault::None;
    has_dropped_ = fault_ == Fault::DropWrite;
    return fault_ == Fault::PowerCut ? Fault::Fail : fault_;
  }

  void write(const std::string& path, PendingWrite write) {
    const std::lock_guard lock(mutex_);
    std::vector<PendingWrite>& pending = files_[path].pending;
    if (write.bytes.empty()) pending.push_back(write);
    for (std::size_t from = 0; from < write.bytes.size(); from += kDiskBlock) {
      pending.push_back({write.offset + static_cast<std::int64_t>(from),
                         write.bytes.substr(from, kDiskBlock)});
    }
  }
  void sync(const std::string& path) {
    const std::lock_guard lock(mutex_);
    DiskFile& file = files_[path];
    for (const PendingWrite& write : file.pending)
      apply_write(write, file.synced);
    file.pending.clear();
  }
  void remove(const std::string& path) {
    const std::lock_guard lock(mutex_);
    files_.erase(path);
  }

  // Rewrites the real files as a machine finds them after a restart. Each block
  // that was not synced survives with probability `survival`, the last one
  // perhaps in part.
  void restart(double survival, Rng& rng) {
    for (auto& [path, file] : files_) {
      for (PendingWrite& write : file.pending) {
        if (!rng.chance(survival)) continue;
        if (&write == &file.pending.back() && rng.chance(0.5)) {
          write.bytes.resize(write.bytes.size() / 2);
        }
        apply_write(write, file.synced);
      }
      std::ofstream(path, std::ios::binary | std::ios::trunc) << file.synced;
    }
  }

 private:
  std::mutex mutex_;
  std::map<std::string, DiskFile> files_;  // Guarded by mutex_.
  // Set before use; the workload has one thread.
  Fault fault_ = Fault::None;
  int at_ = 0;
  int count_ = 0;
  bool has_dropped_ = false;  // A write was dropped.
  bool is_off_ = false;
};

// SQLite's file object: this struct, followed in memory by the real one.
struct FaultyFile {
  sqlite3_file base;
  const sqlite3_io_methods* methods_of_real;
  char path[512];
  bool is_watched;  // Database and log; not the shared memory.

  sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};

FaultyFile& ours(sqlite3_file* file) {
  return *reinterpret_cast<FaultyFile*>(file);
}
sqlite3_file* real(sqlite3_file* file) { return ours(file).real(); }

sqlite3_vfs& real_vfs() { return *sqlite3_vfs_find(nullptr); }

int faulty_write(sqlite3_file* file, const void* bytes, int size,
                 sqlite3_int64 offset) {
  const Fault fault = Disk::instance().next(false);
  if (fault == Fault::Fail) return SQLITE_IOERR_WRITE;
  const int part = fault == Fault::Tear ? size / 2 : size;
  if (fault != Fault::DropWrite) {
    const std::string_view all(static_cast<const char*>(bytes),
                               static_cast<std::size_t>(part));
    Disk::instance().write(ours(file).path,
                           {.offset = offset, .bytes = std::string(all)});
  }
  const int code =
      real(file)->pMethods->xWrite(real(file), bytes, part, offset);
  return fault == Fault::Tear ? SQLITE_IOERR_WRITE : code;
}

int faulty_truncate(sqlite3_file* file, sqlite3_int64 size) {
  const Fault fault = Disk::instance().next(false);
  if (fault == Fault::None) {
    Disk::instance().write(ours(file).path,
                           {.offset = size, .is_truncation = true});
  } else if (fault != Fault::DropWrite) {
    return SQLITE_IOERR_TRUNCATE;
  }
  return real(file)->pMethods->xTruncate(real(file), size);
}

// The real file need not be synced: the machine does not lose power.
int faulty_sync(sqlite3_file* file, int) {
  switch (Disk::instance().next(true)) {
    case Fault::None:
      Disk::instance().sync(ours(file).path);
      return SQLITE_OK;
    case Fault::DropSync:
      return SQLITE_OK;
    default:
      return SQLITE_IOERR_FSYNC;
  }
}

const sqlite3_io_methods& faulty_methods() {
  static const sqlite3_io_methods methods = [] {
    sqlite3_io_methods m{};
    m.iVersion = 2;
    m.xClose = [](sqlite3_file* f) {
      return real(f)->pMethods->xClose(real(f));
    };
    m.xRead = [](sqlite3_file* f, void* to, int n, sqlite3_int64 at) {
      return real(f)->pMethods->xRead(real(f), to, n, at);
    };
    m.xWrite = faulty_write;
    m.xTruncate = faulty_truncate;
    m.xSync = faulty_sync;
    m.xFileSize = [](sqlite3_file* f, sqlite3_int64* size) {
      return real(f)->pMethods->xFileSize(real(f), size);
    };
    m.xLock = [](sqlite3_file* f, int kind) {
      return real(f)->pMethods->xLock(real(f), kind);
    };
    m.xUnlock = [](sqlite3_file* f, int kind) {
      return real(f)->pMethods->xUnlock(real(f), kind);
    };
    m.xCheckReservedLock = [](sqlite3_file* f, int* is_reserved) {
      return real(f)->pMethods->xCheckReservedLock(real(f), is_reserved);
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
    m.xShmMap = [](sqlite3_file* f, int page, int size, int extend,
                   void volatile** to) {
      return real(f)->pMethods->xShmMap(real(f), page, size, extend, to);
    };
    m.xShmLock = [](sqlite3_file* f, int first, int n, int flags) {
      return real(f)->pMethods->xShmLock(real(f), first, n, flags);
    };
    m.xShmBarrier = [](sqlite3_file* f) {
      real(f)->pMethods->xShmBarrier(real(f));
    };
    m.xShmUnmap = [](sqlite3_file* f, int is_last) {
      return real(f)->pMethods->xShmUnmap(real(f), is_last);
    };
    return m;
  }();
  return methods;
}

int faulty_open(sqlite3_vfs*, const char* path, sqlite3_file* file, int flags,
                int* out_flags) {
  FaultyFile& opened = ours(file);
  std::memset(file, 0, sizeof(FaultyFile));
  std::strncpy(opened.path, path == nullptr ? "" : path,
               sizeof(opened.path) - 1);
  const int code =
      real_vfs().xOpen(&real_vfs(), path, opened.real(), flags, out_flags);
  if (code == SQLITE_OK) opened.base.pMethods = &faulty_methods();
  return code;
}

int faulty_delete(sqlite3_vfs*, const char* path, int sync_folder) {
  if (Disk::instance().is_off()) return SQLITE_IOERR_DELETE;
  Disk::instance().remove(path);
  return real_vfs().xDelete(&real_vfs(), path, sync_folder);
}

void register_faulty_vfs() {
  static sqlite3_vfs vfs = [] {
    sqlite3_vfs copy = real_vfs();
    copy.pNext = nullptr;
    copy.zName = "faulty";
    copy.szOsFile += static_cast<int>(sizeof(FaultyFile));
    copy.xOpen = faulty_open;
    copy.xDelete = faulty_delete;
    return copy;
  }();
  sqlite3_vfs_register(&vfs, 0);
}

Append step(int number) {
  const std::string id = fmt::format("evt_{}", number);
  Event event;
  event.id = id;
  event.type = "plan_step";
  event.content = std::string(300, static_cast<char>('a' + number));
  if (number > 0) event.parents = {{fmt::format("evt_{}", number - 1)}};
  Append request = {.run = "run",
                    .events = {event},
                    .answer = {"key " + id, "00", "answer " + id}};
  if (number == 0) request.new_run = Run{.kind = "thought"};
  return request;
}

class FaultyVfs : public testing::Test {
 protected:
  static constexpr int kSteps = 6;

  void SetUp() override {
    register_faulty_vfs();
    folder_ = std::filesystem::path(testing::TempDir()) /
              fmt::format("faulty_{}", ::getpid());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // Opens the journal, appends and closes it, twice. After a failure, reopens
  // the journal and retries with the same keys, as a client does. If
  // `cut_at_end`, the power fails before the last close. Returns which steps
  // were acknowledged.
  std::vector<bool> work(Fault fault, int at, bool cut_at_end = false) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    Disk::instance().reset(fault, at);
    std::vector<bool> acknowledged(kSteps);
    for (const int from : {0, kSteps / 2}) {
      const bool is_last = from > 0;
      bool is_done = false;
      for (int attempt = 0; attempt < 3 && !is_done; ++attempt) {
        const auto journal =
            open_sqlite_journal({.path = folder_ / "j.db", .vfs = "faulty"});
        is_done = journal && part(**journal, from, acknowledged);
        if (is_last && is_done && cut_at_end) Disk::instance().cut_power();
      }
    }
    return acknowledged;
  }

  // Returns whether all steps succeeded.
  static bool part(Journal& journal, int from,
                   std::vector<bool>& acknowledged) {
    for (int i = from; i < from + kSteps / 2; ++i) {
      const bool is_done = journal.append(step(i)).has_value();
      if (!is_done || Disk::instance().is_off()) return false;
      acknowledged[static_cast<std::size_t>(i)] = true;
    }
    return journal.save_checkpoint({"run", 1, "evt_0", std::string(9000, 's')})
        .has_value();
  }

  // Reopens with the default VFS and expects each acknowledged step exactly
  // once.
  void expect_kept(const std::vector<bool>& acknowledged) {
    const auto journal = open_without_faults();
    ASSERT_TRUE(journal) << journal.error().message();
    EXPECT_EQ(journal.value()->verify().value(), std::vector<std::string>());
    for (int i = 0; i < kSteps; ++i) {
      if (!acknowledged[static_cast<std::size_t>(i)]) continue;
      const auto event = journal.value()->event(fmt::format("evt_{}", i));
      ASSERT_TRUE(event) << event.error().message();
      EXPECT_EQ(event->content, step(i).events[0].content);
      EXPECT_TRUE(journal.value()->append(step(i))->is_repeat);
    }
    expect_usable(*journal.value());
  }

  Result<std::unique_ptr<Journal>> open_without_faults() {
    return open_sqlite_journal({.path = folder_ / "j.db", .durable = false});
  }

  void expect_usable(Journal& journal) {
    for (int i = 0; i < kSteps; ++i) {
      const auto appended = journal.append(step(i));
      ASSERT_TRUE(appended) << appended.error().message();
    }
    EXPECT_EQ(journal.events("run")->size(), std::size_t{kSteps});
    EXPECT_EQ(journal.verify().value(), std::vector<std::string>());
  }

  void expect_power_cut_harmless(int at, double survival) {
    SCOPED_TRACE(fmt::format("operation {}, survival {}", at, survival));
    const auto acknowledged = work(Fault::PowerCut, at);
    restart(survival, static_cast<std::uint64_t>(at));
    expect_kept(acknowledged);
  }

  void expect_failure_harmless(Fault fault, int at) {
    SCOPED_TRACE(fmt::format("operation {} fails", at));
    expect_kept(work(fault, at));
  }

  void expect_failure_and_cut_harmless(int at) {
    SCOPED_TRACE(fmt::format("operation {} fails, then a power cut", at));
    const auto acknowledged = work(Fault::Fail, at, true);
    restart(0.0, 0);
    expect_kept(acknowledged);
  }

  // The running machine sees the write, but the disk never gets it. Returns
  // whether the operation was a write.
  bool expect_dropped_write_harmless(int at, double survival) {
    SCOPED_TRACE(fmt::format("write {} dropped, survival {}", at, survival));
    const auto acknowledged = work(Fault::DropWrite, at, true);
    const bool has_dropped = Disk::instance().has_dropped();
    restart(survival, static_cast<std::uint64_t>(at));
    expect_kept(acknowledged);
    return has_dropped;
  }

  // A disk that reports a sync without doing it can lose acknowledged data and
  // even mix old and new pages. The damage must be detected or harmless.
  void expect_dropped_sync_detected_or_harmless(int at) {
    SCOPED_TRACE(fmt::format("sync {} dropped", at));
    work(Fault::DropSync, at);
    Disk::instance().cut_power();
    restart(0.0, 0);
    const auto journal = open_without_faults();
    if (!journal) return;
    const auto complaints = (*journal)->verify();
    if (complaints && complaints->empty()) expect_usable(**journal);
  }

  // The number of operations of a run without faults.
  int operations() {
    if (operations_ == 0) {
      work(Fault::None, 0);
      operations_ = Disk::instance().count();
    }
    return operations_;
  }

  void restart(double survival, std::uint64_t seed) {
    Rng rng(seed);
    std::filesystem::remove(folder_ / "j.db-shm");
    Disk::instance().restart(survival, rng);
  }

  std::filesystem::path folder_;
  int operations_ = 0;
};

TEST_F(FaultyVfs, AcknowledgesEverythingWithoutFaults) {
  const std::vector<bool> acknowledged = work(Fault::None, 0);

  EXPECT_EQ(acknowledged, std::vector<bool>(kSteps, true));
  EXPECT_GT(Disk::instance().count(), 50);
  expect_kept(acknowledged);
}

// These tests try every third operation; the slow suite tries all of them.
TEST_F(FaultyVfs, FailedOperationLosesNothing) {
  for (int at = 1; at <= operations(); at += 3) {
    expect_failure_harmless(Fault::Fail, at);
  }
}

TEST_F(FaultyVfs, TornWriteLosesNothing) {
  for (int at = 2; at <= operations(); at += 3) {
    expect_failure_harmless(Fault::Tear, at);
  }
}

// Data recovered from an unsynced log must be synced before it is acknowledged.
TEST_F(FaultyVfs, PowerCutAfterFailureLosesNothing) {
  for (int at = 3; at <= operations(); at += 3) {
    expect_failure_and_cut_harmless(at);
  }
}

TEST_F(FaultyVfs, PowerCutKeepsAcknowledgedEvents) {
  for (int at = 1; at <= operations(); at += 3) {
    expect_power_cut_harmless(at, at % 2 * 0.5);
  }
}

// Holds whether none, half or all of the other writes reached the disk.
TEST_F(FaultyVfs, DroppedWriteKeepsAcknowledgedEvents) {
  int dropped = 0;
  for (int at = 1; at <= operations(); at += 3) {
    dropped += expect_dropped_write_harmless(at, at / 3 % 3 * 0.5) ? 1 : 0;
  }
  EXPECT_GT(dropped, 10);
}

TEST_F(FaultyVfs, DroppedSyncIsDetectedOrHarmless) {
  for (int at = 1; at <= operations(); at += 3) {
    expect_dropped_sync_detected_or_harmless(at);
  }
}

class FaultyVfsSlow : public FaultyVfs {};

TEST_F(FaultyVfsSlow, NoFailedOperationLosesData) {
  for (int at = 1; at <= operations(); ++at) {
    expect_failure_harmless(Fault::Fail, at);
    expect_failure_harmless(Fault::Tear, at);
    expect_failure_and_cut_harmless(at);
    expect_dropped_sync_detected_or_harmless(at);
  }
}

TEST_F(FaultyVfsSlow, NoDroppedWriteLosesData) {
  for (int at = 1; at <= operations(); ++at) {
    for (const double survival : {0.0, 0.5, 1.0}) {
      expect_dropped_write_harmless(at, survival);
    }
  }
}

TEST_F(FaultyVfsSlow, JournalIsSoundAfterAnyPowerCut) {
  for (int at = 1; at <= operations(); ++at) {
    for (const double survival : {0.0, 0.2, 0.4, 0.6, 0.8, 1.0}) {
      expect_power_cut_harmless(at, survival);
    }
  }
}

}  // namespace
}  // namespace lamarck::store
