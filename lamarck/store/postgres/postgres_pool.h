// Connections to one database, shared by many threads, that survive a restart
// of the server.

#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "lamarck/base/clock.h"
#include "lamarck/base/result.h"
#include "lamarck/store/postgres/postgres_connection.h"

namespace lamarck::store {

// Thread safety: all members may be called from any thread.
class PostgresPool {
 public:
  using Work = std::function<Result<void>(PostgresConnection&)>;

  // Connects once, so that a wrong URL fails here. Waits for a server that is
  // starting.
  static Result<std::unique_ptr<PostgresPool>> open(PostgresOptions options);

  // Runs `work` on a connection, and again on a new one if the connection is
  // lost. REQUIRES: `work` only reads, or may be repeated after it happened.
  // Fails with Unavailable if there is no server or no free connection for
  // `reconnect_for`.
  Result<void> read(const Work& work);

  // Runs `work` in a transaction. All of its changes happen or none, once: a
  // transaction that was lost, deadlocked or refused with `please_repeat` is
  // repeated, and if the connection is lost during the commit, the next one
  // finds out whether it happened. Durable when it returns without an error.
  // `begin` has statements to run right after BEGIN, such as locks.
  // `work` is called once for each attempt.
  Result<void> transact(const std::string& begin, const Work& work);

  const PostgresOptions& options() const { return options_; }

 private:
  // Returns its connection on destruction.
  class Lease;
  class Deadline;

  explicit PostgresPool(PostgresOptions options)
      : options_(std::move(options)) {}

  Result<Lease> lease(const Deadline& deadline);
  Result<std::unique_ptr<PostgresConnection>> connect(const Deadline& deadline);
  void give_back(std::unique_ptr<PostgresConnection> connection);

  struct Attempt {
    std::string token;
    // The commit was sent, but its reply did not come.
    bool is_uncertain = false;
  };
  Result<void> attempt(PostgresConnection& connection, const std::string& begin,
                       const Work& work, Attempt& attempt);
  Result<bool> has_happened(const std::string& token);
  // Removes old tokens, now and then.
  void tidy();

  const PostgresOptions options_;
  SystemClock clock_;

  std::mutex mutex_;
  // Guarded by mutex_.
  std::condition_variable returned_;
  std::vector<std::unique_ptr<PostgresConnection>> idle_;
  std::size_t leased_ = 0;
  std::uint64_t transactions_ = 0;
};

// The error with which the work of PostgresPool::transact asks to be repeated
// because another process was faster.
Error please_repeat();

}  // namespace lamarck::store
