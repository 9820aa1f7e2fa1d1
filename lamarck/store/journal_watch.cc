#include "lamarck/store/journal_watch.h"

#include <utility>

#include "lamarck/base/macros.h"
#include "lamarck/store/internal/file_identity.h"
#include "lamarck/store/internal/seen_changes.h"
#include "lamarck/store/postgres/internal/postgres_journal_watch.h"
#include "lamarck/store/postgres/postgres_url.h"
#include "lamarck/store/sqlite_connection.h"

namespace lamarck::store {
namespace {

// Changes whenever another connection commits.
constexpr const char* kVersion = "PRAGMA data_version";
constexpr const char* kHeads = "SELECT number, head, id FROM current_runs";
// A damaged file must not fill the memory.
constexpr std::size_t kMaxRuns = 100'000'000;

class SqliteJournalWatch : public JournalWatch {
 public:
  SqliteJournalWatch(const std::string& path,
                     std::unique_ptr<SqliteConnection> connection)
      : file_(path), connection_(std::move(connection)) {}

  Result<void> start() {
    RETURN_IF_ERROR(connection_->execute("PRAGMA query_only = ON"));
    // Read the version first: a commit in between is then seen by `poll`.
    ASSIGN_OR_RETURN(version_, connection_->number(kVersion));
    RETURN_IF_ERROR(compare_heads());
    seen_.clear();
    return {};
  }

  void note_own(const std::string& run, std::uint64_t head) override {
    seen_.note_own(run, head);
  }

  Result<std::vector<Change>> poll() override {
    RETURN_IF_ERROR(file_.check());
    std::vector<Change> changes = seen_.take();
    ASSIGN_OR_RETURN(const std::int64_t now, connection_->number(kVersion));
    if (now == version_) return changes;
    version_ = now;
    RETURN_IF_ERROR(compare_heads());
    return changes;
  }

 private:
  Result<void> compare_heads() {
    Query query = connection_->query(kHeads);
    while (true) {
      ASSIGN_OR_RETURN(const bool has_row, query.next());
      if (!has_row) return {};
      const auto head = static_cast<std::uint64_t>(query.integer_at(1));
      const auto number = static_cast<std::size_t>(query.integer_at(0));
      if (number > kMaxRuns) continue;
      if (number >= heads_.size()) heads_.resize(number + 1);
      std::uint32_t& known = heads_[number];
      if (head == known) continue;
      seen_.add(query.text_at(2), head, known == 0);
      known = static_cast<std::uint32_t>(head);
    }
  }

  const internal::FileIdentity file_;
  const std::unique_ptr<SqliteConnection> connection_;
  std::int64_t version_ = 0;
  // By run number. Runs are numbered from 1 without gaps, so a vector takes far
  // less memory than a map; a head fits into 32 bits.
  std::vector<std::uint32_t> heads_;
  internal::SeenChanges seen_;
};

}  // namespace

Result<std::unique_ptr<JournalWatch>> open_journal_watch(
    const std::string& place) {
  if (is_postgres_url(place)) return internal::open_postgres_watch(place);
  ASSIGN_OR_RETURN(auto connection, SqliteConnection::open(place, ""));
  auto watch =
      std::make_unique<SqliteJournalWatch>(place, std::move(connection));
  RETURN_IF_ERROR(watch->start());
  return watch;
}

}  // namespace lamarck::store
