#include "lamarck/store/postgres/postgres_journal.h"

#include <utility>

#include "lamarck/base/macros.h"
#include "lamarck/store/internal/append_announcer.h"
#include "lamarck/store/internal/append_rules.h"
#include "lamarck/store/internal/group_commit.h"
#include "lamarck/store/postgres/internal/postgres_append_group.h"
#include "lamarck/store/postgres/internal/postgres_journal_rows.h"
#include "lamarck/store/postgres/internal/postgres_journal_tables.h"
#include "lamarck/store/postgres/postgres_pool.h"

namespace lamarck::store {
namespace {

class PostgresJournal : public Journal {
 public:
  PostgresJournal(std::unique_ptr<PostgresPool> pool,
                  const PostgresJournalOptions& options)
      : pool_(std::move(pool)),
        begin_(options.durable ? "" : "SET LOCAL synchronous_commit = off; "),
        commits_([this](const auto& body) { return transact(body); },
                 options.max_group) {}

  Result<Appended> append(Append request) override {
    RETURN_IF_ERROR(internal::check_request(request));
    Result<Appended> outcome = Appended{};
    RETURN_IF_ERROR(commits_.run([&]() -> Result<void> {
      staged_.push_back({.request = &request, .outcome = &outcome});
      return {};
    }));
    announcer_.deliver();
    return outcome;
  }

  Result<std::vector<Event>> events(std::string_view run,
                                    std::uint64_t after_seq,
                                    std::size_t limit) override {
    std::vector<Event> list;
    RETURN_IF_ERROR(
        pool_->read([&](PostgresConnection& connection) -> Result<void> {
          ASSIGN_OR_RETURN(
              list, internal::read_events(connection, run, after_seq, limit));
          if (!list.empty()) return {};
          ASSIGN_OR_RETURN(const auto found,
                           internal::read_run(connection, run));
          if (!found) return internal::run_not_found(run);
          return {};
        }));
    return list;
  }

  Result<Event> event(std::string_view id) override {
    ASSIGN_OR_RETURN(auto event, read<std::optional<Event>>([&](auto& server) {
                       return internal::read_event(server, id);
                     }));
    if (!event) return internal::event_not_found(id);
    return *std::move(event);
  }

  Result<std::optional<Answer>> answer(std::string_view key) override {
    return read<std::optional<Answer>>(
        [&](auto& server) { return internal::read_answer(server, key); });
  }

  Result<std::vector<Answer>> answers(std::string_view after_key,
                                      std::size_t limit) override {
    return read<std::vector<Answer>>([&](auto& server) {
      return internal::read_answers(server, after_key, limit);
    });
  }

  Result<Run> run(std::string_view id) override {
    ASSIGN_OR_RETURN(auto run, read<std::optional<Run>>([&](auto& server) {
                       return internal::read_run(server, id);
                     }));
    if (!run) return internal::run_not_found(id);
    return *std::move(run);
  }

  Result<std::vector<Run>> runs(const RunFilter& filter) override {
    return read<std::vector<Run>>(
        [&](auto& server) { return internal::read_runs(server, filter); });
  }

  Result<std::uint64_t> run_count(std::string_view kind) override {
    return read<std::uint64_t>(
        [&](auto& server) { return internal::count_runs(server, kind); });
  }

  // Repeating it changes nothing, so it needs no transaction of its own.
  Result<void> save_checkpoint(const Checkpoint& checkpoint) override {
    ASSIGN_OR_RETURN(const Run found, run(checkpoint.run));
    ASSIGN_OR_RETURN(const std::string id, read<std::string>([&](auto& server) {
                       return internal::read_event_id(server, checkpoint.run,
                                                      checkpoint.seq);
                     }));
    RETURN_IF_ERROR(internal::check_checkpoint(checkpoint, found.head, id));
    return pool_->read([&](PostgresConnection& connection) -> Result<void> {
      PostgresParameters parameters;
      parameters.text(checkpoint.run)
          .integer(internal::as_bigint(checkpoint.seq))
          .text(checkpoint.last_event_id)
          .text(checkpoint.state_snapshot)
          .time(checkpoint.ts);
      RETURN_IF_ERROR(connection.query(
          "INSERT INTO lamarck.checkpoints AS c (run, seq, last_event_id, "
          "state_snapshot, ts) SELECT number, $2, $3, $4, $5 "
          "FROM lamarck.runs WHERE id = $1 ON CONFLICT (run) DO UPDATE SET "
          "seq = excluded.seq, last_event_id = excluded.last_event_id, "
          "state_snapshot = excluded.state_snapshot, ts = excluded.ts "
          "WHERE c.seq <= excluded.seq",
          std::move(parameters)));
      return {};
    });
  }

  Result<std::optional<Checkpoint>> latest_checkpoint(
      std::string_view run) override {
    return read<std::optional<Checkpoint>>(
        [&](auto& server) { return internal::read_checkpoint(server, run); });
  }

  Result<std::uint64_t> prune(
      std::string_view run,
      const std::function<Result<void>(const Event&)>& keep) override {
    ASSIGN_OR_RETURN(const std::uint64_t last, export_prunable(run, keep));
    std::int64_t removed = 0;
    RETURN_IF_ERROR(pool_->transact(
        begin_, [&](PostgresConnection& connection) -> Result<void> {
          PostgresParameters parameters;
          parameters.text(run).integer(internal::as_bigint(last));
          ASSIGN_OR_RETURN(
              const PostgresRows rows,
              connection.query(
                  "UPDATE lamarck.events e SET is_pruned = true, "
                  "content = '', parent_ids = '{}', edge_types = '{}', "
                  "vector_clock = NULL, constraints = NULL, score = NULL "
                  "FROM lamarck.runs r WHERE r.id = $1 AND e.run = r.number "
                  "AND e.seq <= $2 AND NOT e.is_pruned",
                  std::move(parameters)));
          removed = rows.changed_count();
          return {};
        }));
    return static_cast<std::uint64_t>(removed);
  }

  Result<std::vector<std::string>> pruned_ids(std::string_view id) override {
    RETURN_IF_ERROR(run(id));
    return read<std::vector<std::string>>(
        [&](auto& server) { return internal::read_pruned_ids(server, id); });
  }

  Result<std::vector<std::string>> verify() override {
    return read<std::vector<std::string>>(
        [](auto& server) { return internal::check_postgres_journal(server); });
  }

  Remover use_profiler(Profiler<RunAppended>::Function function) override {
    return announcer_.use_profiler(std::move(function));
  }

 private:
  template <class T, class Work>
  Result<T> read(const Work& work) {
    T value{};
    RETURN_IF_ERROR(
        pool_->read([&](PostgresConnection& connection) -> Result<void> {
          ASSIGN_OR_RETURN(value, work(connection));
          return {};
        }));
    return value;
  }

  // Passes the events to `keep` in pages. Returns the last seq that may be
  // removed.
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

  // GroupCommit calls the rest from one thread at a time. Its jobs only stage
  // their requests, which are then written together.
  Result<void> transact(const internal::GroupCommit::Job& body) {
    staged_.clear();
    RETURN_IF_ERROR(body());
    const std::string lock =
        internal::PostgresAppendGroup(staged_).lock_statement();
    RETURN_IF_ERROR(
        pool_->transact(begin_ + lock, [&](PostgresConnection& connection) {
          return internal::PostgresAppendGroup(staged_).write(connection);
        }));
    announce();
    return {};
  }

  void announce() {
    if (!announcer_.has_listeners()) return;
    for (const internal::StagedAppend& staged : staged_) {
      const Result<Appended>& outcome = *staged.outcome;
      if (!outcome || outcome->is_repeat) continue;
      const std::string& run = staged.request->run;
      announcer_.add({{.run = run,
                       .events = internal::numbered_events(
                           staged.request->events, run, outcome->head)}});
    }
  }

  const std::unique_ptr<PostgresPool> pool_;
  const std::string begin_;
  internal::AppendAnnouncer announcer_;
  std::vector<internal::StagedAppend> staged_;  // By the current transaction.
  internal::GroupCommit commits_;
};

}  // namespace

Result<std::unique_ptr<Journal>> open_postgres_journal(
    const PostgresJournalOptions& options) {
  ASSIGN_OR_RETURN(auto pool, PostgresPool::open(options.server));
  RETURN_IF_ERROR(migrate(*pool, internal::kPostgresJournalTables));
  return std::make_unique<PostgresJournal>(std::move(pool), options);
}

}  // namespace lamarck::store
