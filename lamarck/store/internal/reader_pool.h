// A pool of read-only connections, so that readers never wait for the writer.

#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "lamarck/base/macros.h"
#include "lamarck/store/internal/file_identity.h"
#include "lamarck/store/sqlite_connection.h"

namespace lamarck::store::internal {

// Opens a connection that cannot write, to a file that may be written.
Result<std::unique_ptr<SqliteConnection>> open_reader(const std::string& path,
                                                      const std::string& vfs);

// Opens a connection per concurrent reader and keeps some for reuse.
// Thread safety: all members may be called from any thread.
class ReaderPool {
 public:
  using Open = std::function<Result<std::unique_ptr<SqliteConnection>>()>;

  ReaderPool(const std::string& path, Open open)
      : open_(std::move(open)), file_(path) {}

  // Calls `function` in a read transaction, on one snapshot of the file, and
  // returns its Result.
  template <class Function>
  auto read(Function&& function)
      -> decltype(function(std::declval<SqliteConnection&>())) {
    ASSIGN_OR_RETURN(const Lease lease, borrow());
    RETURN_IF_ERROR(lease->query("BEGIN").run());
    auto outcome = function(*lease);
    RETURN_IF_ERROR(lease->check_unchanged());
    return outcome;
  }

 private:
  // Ends the read transaction and returns the connection to the pool.
  struct Return {
    ReaderPool* pool;
    void operator()(SqliteConnection* connection) const;
  };
  using Lease = std::unique_ptr<SqliteConnection, Return>;

  Result<Lease> borrow();

  const Open open_;
  const FileIdentity file_;  // A new connection must not create a new file.

  std::mutex mutex_;
  std::vector<std::unique_ptr<SqliteConnection>> idle_;  // Guarded by mutex_.
};

}  // namespace lamarck::store::internal
