#include "lamarck/store/journal_watch.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "lamarck/base/macros.h"
#include "lamarck/store/internal/file_identity.h"
#include "lamarck/store/internal/sqlite_connection.h"

namespace lamarck::store {
namespace {

// Changes whenever another connection has committed.
constexpr const char* kVersion = "PRAGMA data_version";
constexpr const char* kHeads = "SELECT number, head, id FROM current_runs";
// More are forgotten; then changes of our own may be told as well.
constexpr std::size_t kMostOwn = 10'000;

struct News {
  bool is_new_run = false;
  std::uint64_t head = 0;
};

}  // namespace

struct JournalWatch::State {
  State(const std::string& path,
        std::unique_ptr<internal::SqliteConnection> opened)
      : file(path), connection(std::move(opened)) {}

  // Puts what has come into `seen`.
  Result<void> look();
  Result<void> compare_heads();
  // What of `seen` is not our own; it is empty then.
  std::vector<Change> take_seen();

  const internal::FileIdentity file;
  const std::unique_ptr<internal::SqliteConnection> connection;
  std::int64_t version = 0;
  std::unordered_map<std::int64_t, std::uint64_t> heads;  // By run's number.
  std::map<std::string, News> seen;

  std::mutex mutex;
  std::map<std::string, std::uint64_t> own;  // Heads. Guarded by mutex.
};

Result<void> JournalWatch::State::look() {
  ASSIGN_OR_RETURN(const std::int64_t now, connection->number(kVersion));
  if (now == version) return {};
  version = now;
  return compare_heads();
}

Result<void> JournalWatch::State::compare_heads() {
  internal::Query query = connection->query(kHeads);
  while (true) {
    ASSIGN_OR_RETURN(const bool has_row, query.next());
    if (!has_row) return {};
    const auto head = static_cast<std::uint64_t>(query.integer_at(1));
    std::uint64_t& known = heads[query.integer_at(0)];
    if (head == known) continue;
    seen[query.text_at(2)] = {.is_new_run = known == 0, .head = head};
    known = head;
  }
}

std::vector<JournalWatch::Change> JournalWatch::State::take_seen() {
  std::vector<Change> changes;
  const std::lock_guard lock(mutex);
  for (const auto& [run, news] : seen) {
    const auto found = own.find(run);
    const bool is_own = found != own.end() && found->second >= news.head;
    if (!is_own) changes.push_back({run, news.is_new_run});
    if (found != own.end() && found->second <= news.head) own.erase(found);
  }
  seen.clear();
  return changes;
}

JournalWatch::JournalWatch(std::unique_ptr<State> state)
    : state_(std::move(state)) {}
JournalWatch::~JournalWatch() = default;

Result<std::unique_ptr<JournalWatch>> JournalWatch::open(
    const std::string& path) {
  ASSIGN_OR_RETURN(auto connection, internal::SqliteConnection::open(path, ""));
  RETURN_IF_ERROR(connection->execute("PRAGMA query_only = ON"));
  auto state = std::make_unique<State>(path, std::move(connection));
  // In this order nothing is missed.
  ASSIGN_OR_RETURN(state->version, state->connection->number(kVersion));
  RETURN_IF_ERROR(state->compare_heads());
  state->seen.clear();
  return std::unique_ptr<JournalWatch>(new JournalWatch(std::move(state)));
}

void JournalWatch::note_own(const std::string& run, std::uint64_t head) {
  const std::lock_guard lock(state_->mutex);
  if (state_->own.size() >= kMostOwn) state_->own.clear();
  std::uint64_t& known = state_->own[run];
  known = std::max(known, head);
}

Result<std::vector<JournalWatch::Change>> JournalWatch::poll() {
  RETURN_IF_ERROR(state_->file.check());
  std::vector<Change> changes = state_->take_seen();
  RETURN_IF_ERROR(state_->look());
  return changes;
}

}  // namespace lamarck::store
