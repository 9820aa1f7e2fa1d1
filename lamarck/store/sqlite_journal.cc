#include "lamarck/store/sqlite_journal.h"

#include <filesystem>
#include <optional>
#include <utility>

#include "lamarck/base/macros.h"
#include "lamarck/store/internal/append_announcer.h"
#include "lamarck/store/internal/append_rules.h"
#include "lamarck/store/internal/file_identity.h"
#include "lamarck/store/internal/group_commit.h"
#include "lamarck/store/internal/journal_schema.h"
#include "lamarck/store/internal/journal_writer.h"
#include "lamarck/store/internal/reading_journal.h"

namespace lamarck::store {
namespace {

class SqliteJournal : public internal::ReadingJournal {
 public:
  SqliteJournal(const SqliteJournalOptions& options,
                std::unique_ptr<SqliteConnection> connection)
      : ReadingJournal(options.path,
                       [path = options.path, vfs = options.vfs] {
                         return internal::open_reader(path, vfs);
                       }),
        path_(options.path),
        file_(options.path),
        writer_(std::move(connection), options.durable),
        commits_([this](const auto& body) { return transact(body); },
                 options.max_group) {}

  // If the file was replaced, SQLite would apply our log to the new file, so
  // move the log away.
  ~SqliteJournal() override {
    if (!log_ || !file_.is_replaced() || !log_->check()) return;
    const std::string log = path_ + "-wal";
    std::error_code ignored;
    std::filesystem::rename(log, log + ".replaced", ignored);
  }
  SqliteJournal(const SqliteJournal&) = delete;
  SqliteJournal& operator=(const SqliteJournal&) = delete;

  Result<Appended> append(Append request) override {
    RETURN_IF_ERROR(internal::check_request(request));
    Appended appended;
    RETURN_IF_ERROR(commits_.run([&]() -> Result<void> {
      ASSIGN_OR_RETURN(appended, writer_.append(request));
      if (!appended.is_repeat) stage(request, appended.head);
      return {};
    }));
    announcer_.deliver();
    return appended;
  }

  Result<void> save_checkpoint(const Checkpoint& checkpoint) override {
    return commits_.run([&] { return writer_.save_checkpoint(checkpoint); });
  }

  Result<std::uint64_t> prune(
      std::string_view run,
      const std::function<Result<void>(const Event&)>& keep) override {
    ASSIGN_OR_RETURN(const std::uint64_t last, export_prunable(run, keep));
    std::uint64_t removed = 0;
    RETURN_IF_ERROR(commits_.run([&]() -> Result<void> {
      ASSIGN_OR_RETURN(removed, writer_.prune(run, last));
      return {};
    }));
    return removed;
  }

  Remover use_profiler(Profiler<RunAppended>::Function function) override {
    return announcer_.use_profiler(std::move(function));
  }

 private:
  // Passes the events to `keep` in pages, so that a long run need not fit into
  // memory. Returns the last seq that may be removed.
  Result<std::uint64_t> export_prunable(
      std::string_view run,
      const std::function<Result<void>(const Event&)>& keep) {
    constexpr std::size_t kPage = 1000;
    ASSIGN_OR_RETURN(std::vector<Event> page, events(run, 0, kPage));
    ASSIGN_OR_RETURN(const auto checkpoint, latest_checkpoint(run));
    if (!checkpoint) return internal::no_checkpoint(run);
    while (!page.empty()) {
      for (const Event& event : page) {
        if (event.seq > checkpoint->seq) return checkpoint->seq;
        RETURN_IF_ERROR(keep(event));
      }
      ASSIGN_OR_RETURN(page, events(run, page.back().seq, kPage));
    }
    return checkpoint->seq;
  }

  // GroupCommit calls the rest from one thread at a time.
  Result<void> transact(const internal::GroupCommit::Job& body) {
    staged_.clear();  // A retried group stages its appends again.
    // Writes to a deleted or replaced file would be lost.
    RETURN_IF_ERROR(file_.check());
    if (log_) RETURN_IF_ERROR(log_->check());
    RETURN_IF_ERROR(writer_.in_transaction(body));
    // The log exists from the first transaction until the file is closed.
    if (!log_) log_.emplace(path_ + "-wal");
    // Announce only what has been committed.
    for (RunAppended& appended : staged_) announcer_.add(std::move(appended));
    return {};
  }

  void stage(const Append& request, std::uint64_t head) {
    if (!announcer_.has_listeners()) return;
    staged_.push_back({{.run = request.run,
                        .events = internal::numbered_events(
                            request.events, request.run, head)}});
  }

  const std::string path_;
  const internal::FileIdentity file_;
  std::optional<internal::FileIdentity> log_;  // Set by the first transaction.
  internal::AppendAnnouncer announcer_;
  internal::JournalWriter writer_;
  std::vector<RunAppended> staged_;  // By the current transaction.
  internal::GroupCommit commits_;
};

// The log of a killed process can be read back but may not be on the disk yet.
// A checkpoint syncs it before anything in it is reported as durable.
constexpr const char* kDurable =
    "PRAGMA synchronous = FULL; PRAGMA wal_checkpoint(PASSIVE)";
constexpr const char* kFast = "PRAGMA synchronous = OFF";

}  // namespace

Result<std::unique_ptr<Journal>> open_sqlite_journal(
    const SqliteJournalOptions& options) {
  ASSIGN_OR_RETURN(auto connection,
                   internal::open_journal_file(options.path, options.vfs));
  RETURN_IF_ERROR(connection->execute(options.durable ? kDurable : kFast));
  return std::make_unique<SqliteJournal>(options, std::move(connection));
}

}  // namespace lamarck::store
