#include "lamarck/store/postgres/postgres_pool.h"

#include <libpq-fe.h>

#include <algorithm>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "lamarck/base/entropy.h"
#include "lamarck/base/hash.h"
#include "lamarck/base/macros.h"
#include "lamarck/store/postgres/postgres_tables.h"
#include "lamarck/store/postgres/postgres_url.h"

namespace lamarck::store {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

constexpr std::chrono::milliseconds kFirstPause = 20ms;
constexpr std::chrono::milliseconds kLongestPause = 500ms;
// How long to find out whether a commit happened. An unknown outcome is worse
// than a slow answer.
constexpr std::chrono::milliseconds kResolveFor = 30s;

// A vanished client must not hold its locks for long, and nobody waits for a
// lock forever.
constexpr std::string_view kBegin =
    "BEGIN; SET LOCAL lock_timeout = '20s'; "
    "SET LOCAL idle_in_transaction_session_timeout = '20s'; "
    "SET LOCAL statement_timeout = '60s'; ";

// 128 random bits as a UUID.
std::string random_token() {
  std::string text = to_hex64(entropy_seed()) + to_hex64(entropy_seed());
  for (const std::size_t place : {8U, 13U, 18U, 23U}) text.insert(place, "-");
  return text;
}

bool is_starting(const PostgresOptions& options) {
  return PQping(parse_postgres_place(options.url).url.c_str()) == PQPING_REJECT;
}

Error outcome_unknown(const Error& cause) {
  Error::Fields fields = cause.fields();
  fields["outcome"] = "unknown";
  return {ErrorCode::Unavailable,
          cause.message() +
              " It is not known whether the last change was stored; repeat the "
              "request with the same idempotency key.",
          std::move(fields)};
}

}  // namespace

// The time until which a call keeps trying, with growing pauses.
class PostgresPool::Deadline {
 public:
  Deadline(const Clock& clock, std::chrono::nanoseconds duration)
      : clock_(clock), end_(clock.elapsed() + duration) {}

  std::chrono::nanoseconds remaining() const {
    return std::max(std::chrono::nanoseconds(0), end_ - clock_.elapsed());
  }
  bool is_over() const { return remaining().count() == 0; }
  void pause() {
    std::this_thread::sleep_for(
        std::min<std::chrono::nanoseconds>(pause_, remaining()));
    pause_ = std::min(pause_ * 2, kLongestPause);
  }

 private:
  const Clock& clock_;
  const std::chrono::nanoseconds end_;
  std::chrono::milliseconds pause_ = kFirstPause;
};

class PostgresPool::Lease {
 public:
  Lease(PostgresPool& pool, std::unique_ptr<PostgresConnection> connection)
      : pool_(&pool), connection_(std::move(connection)) {}
  ~Lease() {
    if (pool_ != nullptr) pool_->give_back(std::move(connection_));
  }
  Lease(Lease&& other) noexcept
      : pool_(std::exchange(other.pool_, nullptr)),
        connection_(std::move(other.connection_)) {}
  Lease& operator=(Lease&&) = delete;

  PostgresConnection& operator*() const { return *connection_; }

 private:
  PostgresPool* pool_;  // Null after a move.
  std::unique_ptr<PostgresConnection> connection_;
};

Result<std::unique_ptr<PostgresPool>> PostgresPool::open(
    PostgresOptions options) {
  std::unique_ptr<PostgresPool> pool(new PostgresPool(std::move(options)));
  Deadline deadline(pool->clock_, pool->options_.reconnect_for);
  for (;;) {
    auto connection = PostgresConnection::open(pool->options_);
    if (connection) {
      pool->idle_.push_back(*std::move(connection));
      return pool;
    }
    const bool may_come = connection.error().code() == ErrorCode::Unavailable &&
                          is_starting(pool->options_);
    if (!may_come || deadline.is_over()) return connection.error();
    deadline.pause();
  }
}

Result<PostgresPool::Lease> PostgresPool::lease(const Deadline& deadline) {
  {
    std::unique_lock lock(mutex_);
    const bool has_room = returned_.wait_for(lock, options_.reconnect_for, [&] {
      return leased_ < options_.max_connections;
    });
    if (!has_room) {
      return Error(ErrorCode::Unavailable,
                   fmt::format("All {} connections to the database are busy; "
                               "try again later.",
                               options_.max_connections));
    }
    ++leased_;
    if (!idle_.empty()) {
      auto connection = std::move(idle_.back());
      idle_.pop_back();
      return Lease(*this, std::move(connection));
    }
  }
  auto connection = connect(deadline);
  if (!connection) {
    give_back(nullptr);
    return connection.error();
  }
  return Lease(*this, *std::move(connection));
}

Result<std::unique_ptr<PostgresConnection>> PostgresPool::connect(
    const Deadline& deadline) {
  Deadline tries = deadline;
  for (;;) {
    auto connection = PostgresConnection::open(options_);
    const bool may_come =
        !connection && connection.error().code() == ErrorCode::Unavailable;
    if (!may_come || tries.is_over()) return connection;
    tries.pause();
  }
}

void PostgresPool::give_back(std::unique_ptr<PostgresConnection> connection) {
  const bool is_reusable = connection != nullptr && connection->is_open() &&
                           !connection->is_in_transaction();
  {
    const std::lock_guard lock(mutex_);
    --leased_;
    if (is_reusable) {
      idle_.push_back(std::move(connection));
    } else {
      // The others were probably lost with it.
      idle_.clear();
    }
  }
  returned_.notify_one();
}

Result<void> PostgresPool::read(const Work& work) {
  Deadline deadline(clock_, options_.reconnect_for);
  for (;;) {
    ASSIGN_OR_RETURN(const Lease leased, lease(deadline));
    Result<void> outcome = work(*leased);
    const bool may_repeat =
        !outcome && (is_connection_failure(outcome.error()) ||
                     is_transaction_conflict(outcome.error()));
    if (!may_repeat || deadline.is_over()) return outcome;
    if ((*leased).is_open()) deadline.pause();
  }
}

Result<void> PostgresPool::transact(const std::string& begin,
                                    const Work& work) {
  Deadline deadline(clock_, options_.reconnect_for);
  for (;;) {
    Attempt tried{.token = random_token()};
    Result<void> outcome;
    {
      ASSIGN_OR_RETURN(const Lease leased, lease(deadline));
      outcome = attempt(*leased, begin, work, tried);
    }
    if (outcome) {
      tidy();
      return {};
    }
    if (tried.is_uncertain) {
      const Result<bool> happened = has_happened(tried.token);
      if (!happened) return outcome_unknown(happened.error());
      if (*happened) return {};
    }
    const Error& failure = outcome.error();
    const bool may_repeat =
        is_connection_failure(failure) || is_transaction_conflict(failure);
    if (!may_repeat || deadline.is_over()) return failure;
    if (!is_connection_failure(failure)) deadline.pause();
  }
}

Result<void> PostgresPool::attempt(PostgresConnection& connection,
                                   const std::string& begin, const Work& work,
                                   Attempt& attempt) {
  Result<void> outcome = connection.execute(
      std::string(kBegin) + commit_token_statement(attempt.token) + begin);
  if (outcome) outcome = work(connection);
  if (outcome) {
    outcome = connection.commit();
    attempt.is_uncertain = !outcome && is_connection_failure(outcome.error());
  }
  if (!outcome && connection.is_open() && connection.is_in_transaction()) {
    // The caller reports the original error; one of the rollback adds nothing.
    static_cast<void>(connection.execute("ROLLBACK"));
  }
  return outcome;
}

// The first transaction to insert the token decides: if it is the lost one, it
// has happened; if it is this one, the lost one can never commit. While the
// lost one is still open, the insert waits for its end.
Result<bool> PostgresPool::has_happened(const std::string& token) {
  Deadline deadline(clock_, kResolveFor);
  for (;;) {
    ASSIGN_OR_RETURN(const Lease leased, lease(deadline));
    const Result<bool> is_ours = claim_commit_token(*leased, token);
    if (is_ours) return !*is_ours;
    if (deadline.is_over()) return is_ours.error();
    deadline.pause();
  }
}

void PostgresPool::tidy() {
  constexpr std::uint64_t kInterval = 10'000;
  {
    const std::lock_guard lock(mutex_);
    if (++transactions_ % kInterval != 1) return;
  }
  // The tokens can also be removed later.
  static_cast<void>(read(remove_old_commit_tokens));
}

Error please_repeat() {
  return {ErrorCode::Conflict,
          "Another process changed the same rows at the same time; try again.",
          {{"sqlstate", "40001"}}};
}

}  // namespace lamarck::store
