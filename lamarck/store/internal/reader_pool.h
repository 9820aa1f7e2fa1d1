// Connections for reading, so that readers wait for nobody.

#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "lamarck/base/macros.h"
#include "lamarck/store/internal/file_identity.h"
#include "lamarck/store/internal/sqlite_connection.h"

namespace lamarck::store::internal {

// Opens as many as are used at once, and keeps a few for later.
// Thread safety: any member from any thread.
class ReaderPool {
 public:
  ReaderPool(std::string path, std::string vfs)
      : path_(std::move(path)), vfs_(std::move(vfs)), file_(path_) {}

  // What `look` returns, a Result, of one moment of the file.
  template <class Look>
  auto read(Look&& look) -> decltype(look(std::declval<SqliteConnection&>())) {
    ASSIGN_OR_RETURN(const Lease lease, borrow());
    RETURN_IF_ERROR(lease->query("BEGIN").run());
    return look(*lease);
  }

 private:
  // Ends the reading and brings the connection back.
  struct Return {
    ReaderPool* pool;
    void operator()(SqliteConnection* connection) const;
  };
  using Lease = std::unique_ptr<SqliteConnection, Return>;

  Result<Lease> borrow();

  const std::string path_;
  const std::string vfs_;
  const FileIdentity file_;  // Else a new connection might make a new file.

  std::mutex mutex_;
  std::vector<std::unique_ptr<SqliteConnection>> idle_;  // Guarded by mutex_.
};

}  // namespace lamarck::store::internal
