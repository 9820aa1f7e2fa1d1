#include "lamarck/store/journal_watch.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "lamarck/base/macros.h"
#include "lamarck/store/internal/file_identity.h"
#include "lamarck/store/sqlite_connection.h"

namespace lamarck::store {
namespace {

// Changes whenever another connection commits.
constexpr const char* kVersion = "PRAGMA data_version";
constexpr const char* kHeads = "SELECT number, head, id FROM current_runs";
// Beyond this, own appends are forgotten and may be reported as changes.
constexpr std::size_t kMaxOwn = 10'000;
// A damaged file must not fill the memory.
constexpr std::size_t kMaxRuns = 100'000'000;

struct RunChange {
  bool is_new_run = false;
  std::uint64_t head = 0;
};

}  // namespace

struct JournalWatch::State {
  State(const std::string& path, std::unique_ptr<SqliteConnection> opened)
      : file(path), connection(std::move(opened)) {}

  // Adds new changes to `seen`.
  Result<void> collect();
  Result<void> compare_heads();
  // Returns the changes in `seen` that are not our own, and clears it.
  std::vector<Change> take_seen();

  const internal::FileIdentity file;
  const std::unique_ptr<SqliteConnection> connection;
  std::int64_t version = 0;
  // By run number. Runs are numbered from 1 without gaps, so a vector takes far
  // less memory than a map; a head fits into 32 bits.
  std::vector<std::uint32_t> heads;
  std::map<std::string, RunChange> seen;

  std::mutex mutex;
  // Heads of own appends. Guarded by mutex.
  std::map<std::string, std::uint64_t> own;
};

Result<void> JournalWatch::State::collect() {
  ASSIGN_OR_RETURN(const std::int64_t now, connection->number(kVersion));
  if (now == version) return {};
  version = now;
  return compare_heads();
}

Result<void> JournalWatch::State::compare_heads() {
  Query query = connection->query(kHeads);
  while (true) {
    ASSIGN_OR_RETURN(const bool has_row, query.next());
    if (!has_row) return {};
    const auto head = static_cast<std::uint64_t>(query.integer_at(1));
    const auto number = static_cast<std::size_t>(query.integer_at(0));
    if (number > kMaxRuns) continue;
    if (number >= heads.size()) heads.resize(number + 1);
    std::uint32_t& known = heads[number];
    if (head == known) continue;
    seen[query.text_at(2)] = {.is_new_run = known == 0, .head = head};
    known = static_cast<std::uint32_t>(head);
  }
}

std::vector<JournalWatch::Change> JournalWatch::State::take_seen() {
  std::vector<Change> changes;
  const std::lock_guard lock(mutex);
  for (const auto& [run, change] : seen) {
    const auto found = own.find(run);
    // A head beyond our own means that another process has appended since.
    const bool is_own = found != own.end() && found->second >= change.head;
    if (!is_own) changes.push_back({run, change.is_new_run});
    if (found != own.end() && found->second <= change.head) own.erase(found);
  }
  seen.clear();
  return changes;
}

JournalWatch::JournalWatch(std::unique_ptr<State> state)
    : state_(std::move(state)) {}
JournalWatch::~JournalWatch() = default;

Result<std::unique_ptr<JournalWatch>> JournalWatch::open(
    const std::string& path) {
  ASSIGN_OR_RETURN(auto connection, SqliteConnection::open(path, ""));
  RETURN_IF_ERROR(connection->execute("PRAGMA query_only = ON"));
  auto state = std::make_unique<State>(path, std::move(connection));
  // Read the version first: a commit in between is then seen by `poll`.
  ASSIGN_OR_RETURN(state->version, state->connection->number(kVersion));
  RETURN_IF_ERROR(state->compare_heads());
  state->seen.clear();
  return std::unique_ptr<JournalWatch>(new JournalWatch(std::move(state)));
}

void JournalWatch::note_own(const std::string& run, std::uint64_t head) {
  const std::lock_guard lock(state_->mutex);
  if (state_->own.size() >= kMaxOwn) state_->own.clear();
  std::uint64_t& known = state_->own[run];
  known = std::max(known, head);
}

Result<std::vector<JournalWatch::Change>> JournalWatch::poll() {
  RETURN_IF_ERROR(state_->file.check());
  std::vector<Change> changes = state_->take_seen();
  RETURN_IF_ERROR(state_->collect());
  return changes;
}

}  // namespace lamarck::store
