#include "lamarck/store/internal/reader_pool.h"

#include "lamarck/base/macros.h"

namespace lamarck::store::internal {
namespace {

// Keep many: a new connection reads the schema and prepares its statements,
// which takes longer than most reads.
constexpr std::size_t kMaxIdle = 64;
// The default page cache of 2 MB for each of them would take 128 MB; the system
// caches the file anyway.
constexpr const char* kSmallCache = "PRAGMA cache_size = -256";

}  // namespace

Result<std::unique_ptr<SqliteConnection>> open_reader(const std::string& path,
                                                      const std::string& vfs) {
  ASSIGN_OR_RETURN(auto opened, SqliteConnection::open(path, vfs));
  RETURN_IF_ERROR(opened->execute("PRAGMA query_only = ON"));
  RETURN_IF_ERROR(opened->execute(kSmallCache));
  return opened;
}

void ReaderPool::Return::operator()(SqliteConnection* connection) const {
  std::unique_ptr<SqliteConnection> owned(connection);
  // A connection that cannot end its transaction is closed, not reused.
  if (owned->is_in_transaction() && !owned->query("COMMIT").run()) return;
  if (owned->is_immutable()) return;  // It would not see later changes.
  const std::lock_guard lock(pool->mutex_);
  if (pool->idle_.size() < kMaxIdle) pool->idle_.push_back(std::move(owned));
}

Result<ReaderPool::Lease> ReaderPool::borrow() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      Lease lease(idle_.back().release(), Return{this});
      idle_.pop_back();
      return lease;
    }
  }
  RETURN_IF_ERROR(file_.check());
  ASSIGN_OR_RETURN(auto opened, open_());
  return Lease(opened.release(), Return{this});
}

}  // namespace lamarck::store::internal
