#include "lamarck/store/postgres/internal/postgres_journal_watch.h"

#include <algorithm>
#include <map>
#include <utility>

#include "lamarck/base/macros.h"
#include "lamarck/store/internal/seen_changes.h"
#include "lamarck/store/postgres/postgres_connection.h"

namespace lamarck::store::internal {
namespace {

// Transactions numbered below the snapshot's minimum have ended, so their
// events were seen; those from it on may still become visible.
constexpr const char* kSnapshot =
    "SELECT pg_snapshot_xmin(s)::text::bigint, "
    "pg_snapshot_xmax(s)::text::bigint FROM pg_current_snapshot() AS s";
constexpr const char* kNewEvents =
    "SELECT r.id, min(e.seq), max(e.seq) FROM lamarck.events e "
    "JOIN lamarck.runs r ON r.number = e.run "
    "WHERE e.xact >= $1::text::xid8 AND NOT e.is_pruned GROUP BY r.id";
// After a crash the server uses the numbers of transactions again that it had
// not logged.
constexpr std::int64_t kReusedNumbers = 10'000;

// Polls instead of using LISTEN, which needs a connection of its own that
// pgbouncer would have to keep, and instead of NOTIFY, which makes commits wait
// for each other.
class PostgresJournalWatch : public JournalWatch {
 public:
  explicit PostgresJournalWatch(PostgresOptions options)
      : options_(std::move(options)) {}

  Result<void> start() {
    ASSIGN_OR_RETURN(connection_, PostgresConnection::open(options_));
    ASSIGN_OR_RETURN(const PostgresRows rows, connection_->query(kSnapshot));
    first_ = rows.integer(0, 0);
    RETURN_IF_ERROR(look());
    seen_.clear();
    return {};
  }

  void note_own(const std::string& run, std::uint64_t head) override {
    seen_.note_own(run, head);
  }

  Result<std::vector<Change>> poll() override {
    RETURN_IF_ERROR(reconnect());
    std::vector<Change> changes = seen_.take();
    // The changes are lost for nobody: `look` sees them again later.
    const Result<void> looked = look();
    if (!looked && changes.empty()) return looked.error();
    return changes;
  }

 private:
  Result<void> reconnect() {
    if (connection_ != nullptr && connection_->is_open()) return {};
    ASSIGN_OR_RETURN(connection_, PostgresConnection::open(options_));
    first_ = std::max(std::int64_t{0}, first_ - kReusedNumbers);
    return {};
  }

  // Reads the snapshot first: what commits in between is seen twice.
  Result<void> look() {
    ASSIGN_OR_RETURN(const PostgresRows snapshot,
                     connection_->query(kSnapshot));
    if (snapshot.integer(0, 1) == last_ && first_ == last_) return {};
    PostgresParameters parameters;
    parameters.text(std::to_string(first_));
    ASSIGN_OR_RETURN(const PostgresRows rows,
                     connection_->query(kNewEvents, std::move(parameters)));
    std::map<std::string, std::uint64_t> reported;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::string run = rows.text(i, 0);
      const auto head = static_cast<std::uint64_t>(rows.integer(i, 2));
      const auto known = reported_.find(run);
      if (known == reported_.end() || known->second < head) {
        seen_.add(run, head,
                  known == reported_.end() && rows.integer(i, 1) == 1);
      }
      reported[run] = head;
    }
    reported_ = std::move(reported);
    first_ = snapshot.integer(0, 0);
    last_ = snapshot.integer(0, 1);
    return {};
  }

  const PostgresOptions options_;
  std::unique_ptr<PostgresConnection> connection_;
  // Transactions before the first have been seen; none from the last on.
  std::int64_t first_ = 0;
  std::int64_t last_ = 0;
  // Heads of the runs that the last look has seen.
  std::map<std::string, std::uint64_t> reported_;
  SeenChanges seen_;
};

}  // namespace

Result<std::unique_ptr<JournalWatch>> open_postgres_watch(
    const std::string& url) {
  auto watch =
      std::make_unique<PostgresJournalWatch>(PostgresOptions{.url = url});
  RETURN_IF_ERROR(watch->start());
  return watch;
}

}  // namespace lamarck::store::internal
