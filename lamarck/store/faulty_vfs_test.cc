// Every write and sync of the journal's file fails once, in several ways.
//
// A file system below SQLite passes everything on to the real one, and also
// keeps in mind what a disk would still have after a power cut: what was
// synced, and an arbitrary part of what was not.

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
  Fail,       // The operation does nothing and says so.
  Tear,       // A write does half of it and says that it failed.
  DropSync,   // A sync says that it is done, but is not; later the power goes.
  DropWrite,  // Likewise a write; the power goes instead of the next sync.
  PowerCut,   // The power goes at that moment.
};

constexpr std::size_t kDiskBlock = 4096;

// At most a block.
struct PendingWrite {
  std::int64_t offset = 0;
  std::string bytes;
  bool is_truncation = false;  // To `offset` bytes.
};

// What the disk has of one file.
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

// The machine below the journal. One at a time.
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

  // What the next operation suffers.
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

  // Makes the real files what a machine finds that starts again. Of the blocks
  // that were not synced each one survives with probability `survival`, the
  // last one perhaps in part.
  void start_again(double survival, Rng& rng) {
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
  bool has_dropped_ = false;  // A write.
  bool is_off_ = false;
};

// SQLite's open file: ours, with the real one right behind it.
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

// The real file need not be synced: the machine stays on.
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

  // Opens, appends and closes, twice. After a failure it opens the journal
  // again and repeats with the same keys, as a client does. The power goes off
  // before the last close if `cut_at_end`. Returns which steps were
  // acknowledged.
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

  // Whether all of it could be done.
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

  // With the plain file system: everything acknowledged is there, once.
  void expect_kept(const std::vector<bool>& acknowledged) {
    const auto journal = open_plainly();
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

  Result<std::unique_ptr<Journal>> open_plainly() {
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
    start_again(survival, static_cast<std::uint64_t>(at));
    expect_kept(acknowledged);
  }

  void expect_failure_harmless(Fault fault, int at) {
    SCOPED_TRACE(fmt::format("operation {} fails", at));
    expect_kept(work(fault, at));
  }

  void expect_failure_and_cut_harmless(int at) {
    SCOPED_TRACE(fmt::format("operation {} fails, then the power", at));
    const auto acknowledged = work(Fault::Fail, at, true);
    start_again(0.0, 0);
    expect_kept(acknowledged);
  }

  // The machine sees the write until it stops, the disk never gets it. Returns
  // whether the operation was a write.
  bool expect_dropped_write_harmless(int at, double survival) {
    SCOPED_TRACE(fmt::format("write {} dropped, survival {}", at, survival));
    const auto acknowledged = work(Fault::DropWrite, at, true);
    const bool has_dropped = Disk::instance().has_dropped();
    start_again(survival, static_cast<std::uint64_t>(at));
    expect_kept(acknowledged);
    return has_dropped;
  }

  // A disk that says "synced" without having done so can lose what was
  // acknowledged, whoever writes to it, and even mix old and new pages. It must
  // be noticed, or be harmless.
  void expect_lie_bearable(int at) {
    SCOPED_TRACE(fmt::format("operation {} is not done", at));
    work(Fault::DropSync, at);
    Disk::instance().cut_power();
    start_again(0.0, 0);
    const auto journal = open_plainly();
    if (!journal) return;
    const auto complaints = (*journal)->verify();
    if (complaints && complaints->empty()) expect_usable(**journal);
  }

  // How many there are without faults.
  int operations() {
    if (operations_ == 0) {
      work(Fault::None, 0);
      operations_ = Disk::instance().count();
    }
    return operations_;
  }

  void start_again(double survival, std::uint64_t seed) {
    Rng rng(seed);
    std::filesystem::remove(folder_ / "j.db-shm");
    Disk::instance().start_again(survival, rng);
  }

  std::filesystem::path folder_;
  int operations_ = 0;
};

TEST_F(FaultyVfs, WithoutFaultsEverythingIsAcknowledged) {
  const std::vector<bool> acknowledged = work(Fault::None, 0);

  EXPECT_EQ(acknowledged, std::vector<bool>(kSteps, true));
  EXPECT_GT(Disk::instance().count(), 50);
  expect_kept(acknowledged);
}

// Each of these looks at every third operation, the slow suite at all.
TEST_F(FaultyVfs, AnOperationThatFailsLosesNothing) {
  for (int at = 1; at <= operations(); at += 3) {
    expect_failure_harmless(Fault::Fail, at);
  }
}

TEST_F(FaultyVfs, AWriteThatIsTornLosesNothing) {
  for (int at = 2; at <= operations(); at += 3) {
    expect_failure_harmless(Fault::Tear, at);
  }
}

// Also what was read back from a log that was never synced is only acknowledged
// once it is.
TEST_F(FaultyVfs, APowerCutAfterAFailureLosesNothing) {
  for (int at = 3; at <= operations(); at += 3) {
    expect_failure_and_cut_harmless(at);
  }
}

TEST_F(FaultyVfs, APowerCutLosesNothingThatWasAcknowledged) {
  for (int at = 1; at <= operations(); at += 3) {
    expect_power_cut_harmless(at, at % 2 * 0.5);
  }
}

// Whatever of the others arrived: none of them, half of them, all.
TEST_F(FaultyVfs, AWriteThatIsDroppedLosesNothingThatWasAcknowledged) {
  int dropped = 0;
  for (int at = 1; at <= operations(); at += 3) {
    dropped += expect_dropped_write_harmless(at, at / 3 % 3 * 0.5) ? 1 : 0;
  }
  EXPECT_GT(dropped, 10);
}

TEST_F(FaultyVfs, ADiskThatLiesIsNoticedOrHarmless) {
  for (int at = 1; at <= operations(); at += 3) expect_lie_bearable(at);
}

class FaultyVfsSlow : public FaultyVfs {};

TEST_F(FaultyVfsSlow, NoOperationMayFailWithALoss) {
  for (int at = 1; at <= operations(); ++at) {
    expect_failure_harmless(Fault::Fail, at);
    expect_failure_harmless(Fault::Tear, at);
    expect_failure_and_cut_harmless(at);
    expect_lie_bearable(at);
  }
}

TEST_F(FaultyVfsSlow, NoWriteMayBeDroppedWithALoss) {
  for (int at = 1; at <= operations(); ++at) {
    for (const double survival : {0.0, 0.5, 1.0}) {
      expect_dropped_write_harmless(at, survival);
    }
  }
}

TEST_F(FaultyVfsSlow, WhateverSurvivesAPowerCutIsSound) {
  for (int at = 1; at <= operations(); ++at) {
    for (const double survival : {0.0, 0.2, 0.4, 0.6, 0.8, 1.0}) {
      expect_power_cut_harmless(at, survival);
    }
  }
}

}  // namespace
}  // namespace lamarck::store
