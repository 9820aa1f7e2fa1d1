// Letters as rows of a PostgreSQL database.
//
// Each run has a table of letters; the receiver deletes what it reads. A
// notification wakes the receiver. Whoever loses its connection has left: the
// leader finds members whose process of the server is gone, or that have not
// been seen for a minute.

#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lamarck/base/clock.h"
#include "lamarck/crew/crew_tables.h"
#include "lamarck/crew/postgres_session.h"
#include "lamarck/crew/transport.h"

namespace lamarck::crew {

class PostgresTransport final : public Transport {
 public:
  // The leader of a new run. It reconnects if the server restarts.
  static Result<std::unique_ptr<PostgresTransport>> lead(const std::string& url,
                                                         const CrewRun& run);
  // A member of a run.
  static Result<std::unique_ptr<PostgresTransport>> join(
      const std::string& url, std::int64_t run, const std::string& name,
      std::size_t cores);
  // The leader ends the run.
  ~PostgresTransport() override;

  std::int64_t run() const { return run_; }

  Result<void> send(std::vector<Letter> letters) override;
  Result<std::vector<Letter>> receive(
      std::chrono::microseconds patience) override;
  std::vector<MemberId> departed() override;
  void wake() override;
  // About once a second, for `lamarck crew status`.
  void show(const CrewProgress& progress, bool is_last) override;

 private:
  // On the clock; long ago for what was never done.
  using Time = std::chrono::nanoseconds;
  static constexpr Time kLongAgo = -std::chrono::hours(1);

  PostgresTransport(std::string url, PgSession session, std::int64_t run,
                    MemberId self);

  Result<void> listen();
  Result<void> insert(const std::vector<Letter>& letters, std::size_t begin,
                      std::size_t end);
  Result<std::vector<Letter>> take_letters();
  // Looks from time to time for those who have left.
  Result<void> look_around();
  Result<void> find_departed();
  // The leader tries to connect again; a member fails.
  Result<void> recover(const Error& failure);
  void wait(std::chrono::microseconds patience);

  const std::string url_;
  SystemClock clock_;
  PgSession session_;
  const std::int64_t run_;
  const MemberId self_;
  int wake_;  // An eventfd.
  std::vector<MemberId> departed_;
  std::vector<MemberId> members_;  // Leader: those who wrote.
  Time last_letters_ = kLongAgo;   // When the table was read.
  Time last_look_ = kLongAgo;
  Time last_presence_;
  Time last_show_ = kLongAgo;
};

}  // namespace lamarck::crew
