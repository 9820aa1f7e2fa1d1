#include <deque>
#include <mutex>

#include <bit>
#include <cstring>

#include <nlohmann/json.hpp>

#include "lamarck/base/entropy.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/rng.h"
#include "lamarck/skills/internal/skill_tables.h"
#include "lamarck/skills/internal/sql_skill_store.h"
#include "lamarck/skills/skill_store.h"
#include "lamarck/store/sqlite_connection.h"

namespace lamarck::skills {
namespace {

using internal::SkillSql;
using store::SqliteConnection;

// Lists and objects are JSON text, times microseconds since 1970.
class SqliteStatement : public internal::SkillStatement {
 public:
  SqliteStatement(SqliteConnection& connection, const char* sql)
      : query_(connection.query(sql)) {}

  void bind_null() override { query_.null(); }
  void bind_text(std::string_view value) override { query_.text(value); }
  void bind_integer(std::int64_t value) override { query_.integer(value); }
  void bind_real(double value) override { query_.real(value); }
  void bind_boolean(bool value) override { query_.integer(value ? 1 : 0); }
  void bind_id(std::string_view value) override { query_.text(value); }
  void bind_time(Clock::WallTime value) override {
    query_.integer(internal::to_micros(value));
  }
  void bind_json(std::string text) override {
    query_.text(kept_.emplace_back(std::move(text)));
  }
  void bind_texts(const std::vector<std::string>& value) override {
    bind_json(dump_json(Json(value)));
  }
  void bind_floats(const std::vector<float>& value) override {
    static_assert(std::endian::native == std::endian::little);
    std::string bytes(value.size() * sizeof(float), '\0');
    std::memcpy(bytes.data(), value.data(), bytes.size());
    query_.blob(kept_.emplace_back(std::move(bytes)));
  }

  Result<bool> next() override { return query_.next(); }
  bool is_null_at(int column) const override {
    return query_.is_null_at(column);
  }
  std::string text_at(int column) const override {
    return query_.text_at(column);
  }
  std::int64_t integer_at(int column) const override {
    return query_.integer_at(column);
  }
  double real_at(int column) const override { return query_.real_at(column); }
  Clock::WallTime time_at(int column) const override {
    return Clock::WallTime(std::chrono::microseconds(integer_at(column)));
  }
  std::string json_text_at(int column) const override {
    return text_at(column);
  }
  Result<std::vector<std::string>> texts_at(int column) const override {
    ASSIGN_OR_RETURN(const Json list,
                     internal::parse_stored_json(text_at(column)));
    std::vector<std::string> texts;
    for (const Json& item : list) {
      if (item.is_string()) texts.push_back(item.get<std::string>());
    }
    return texts;
  }
  std::vector<float> floats_at(int column) const override {
    const std::string_view bytes = query_.bytes_at(column);
    std::vector<float> list(bytes.size() / sizeof(float));
    std::memcpy(list.data(), bytes.data(), list.size() * sizeof(float));
    return list;
  }

 private:
  std::deque<std::string> kept_;  // Bound to the query.
  store::Query query_;
};

class SqliteSkillDatabase : public internal::SkillDatabase {
 public:
  explicit SqliteSkillDatabase(SqliteConnection& connection)
      : connection_(connection) {}

  std::unique_ptr<internal::SkillStatement> prepare(const char* sql) override {
    return std::make_unique<SqliteStatement>(connection_, sql);
  }
  std::int64_t changes() const override { return connection_.changes(); }
  bool is_postgres() const override { return false; }

 private:
  SqliteConnection& connection_;
};

// Starts, commits or rolls back a transaction around `work`. A write
// transaction locks the file at its start, so that what it read still holds
// when it writes.
template <class Work>
auto in_transaction(SqliteConnection& connection, const char* begin,
                    const Work& work) -> decltype(work()) {
  RETURN_IF_ERROR(connection.execute(begin));
  auto outcome = work();
  if (!outcome) {
    if (connection.is_in_transaction()) (void)connection.execute("ROLLBACK");
    return outcome;
  }
  if (const Result<void> committed = connection.execute("COMMIT"); !committed) {
    if (connection.is_in_transaction()) (void)connection.execute("ROLLBACK");
    return committed.error();
  }
  return outcome;
}

// One connection writes and one reads, so that a reader need not wait for a
// commit to reach the disk; a third only notices changes. A store in memory has
// only the first.
class SqliteTransactions {
 public:
  SqliteTransactions(std::unique_ptr<SqliteConnection> writer,
                     std::unique_ptr<SqliteConnection> reader,
                     std::unique_ptr<SqliteConnection> watcher, Clock& clock)
      : clock_(clock),
        ids_(clock, Rng(entropy_seed())),
        writer_(std::move(writer)),
        reader_(std::move(reader)),
        watcher_(std::move(watcher)) {}

  template <class Work>
  auto write(std::string_view /*org*/, const Work& work) {
    const std::lock_guard lock(writer_mutex_);
    SqliteSkillDatabase database(*writer_);
    SkillSql sql{database, clock_.wall_time(), ids_};
    return in_transaction(*writer_, "BEGIN IMMEDIATE",
                          [&] { return work(sql); });
  }
  template <class Work>
  auto read(std::string_view /*org*/, const Work& work) {
    const std::lock_guard lock(reader_ ? reader_mutex_ : writer_mutex_);
    SqliteConnection& connection = reader_ ? *reader_ : *writer_;
    SqliteSkillDatabase database(connection);
    SkillSql sql{database, clock_.wall_time(), ids_};
    return in_transaction(connection, "BEGIN", [&] { return work(sql); });
  }

  // A transaction without a change costs nothing here.
  template <class IsDue, class Work>
  auto claim(const IsDue& /*is_due*/, const Work& work) {
    return write(internal::kAllOrganizations, work);
  }

  // SQLite changes the number for commits of all other connections.
  Result<std::int64_t> watched_number() {
    const std::lock_guard lock(watcher_ ? watcher_mutex_ : writer_mutex_);
    store::Query row = watcher_ ? watcher_->query("PRAGMA data_version")
                                : writer_->query("SELECT total_changes()");
    ASSIGN_OR_RETURN(const bool found, row.next());
    return found ? row.integer_at(0) : 0;
  }

 private:
  Clock& clock_;
  IdGenerator ids_;
  std::mutex writer_mutex_;
  const std::unique_ptr<SqliteConnection> writer_;  // Guarded by writer_mutex_.
  std::mutex reader_mutex_;
  const std::unique_ptr<SqliteConnection> reader_;  // Guarded by reader_mutex_.
  std::mutex watcher_mutex_;
  const std::unique_ptr<SqliteConnection> watcher_;  // Guarded by
                                                     // watcher_mutex_.
};

Result<std::unique_ptr<SqliteConnection>> open_connection(
    const SkillStoreOptions& options) {
  ASSIGN_OR_RETURN(auto connection,
                   SqliteConnection::open(options.path, "", "skill store"));
  RETURN_IF_ERROR(connection->execute("PRAGMA foreign_keys = ON"));
  if (options.path.empty()) return connection;
  RETURN_IF_ERROR(store::retry_while_busy(
      [&] { return connection->execute("PRAGMA journal_mode = WAL"); }));
  RETURN_IF_ERROR(connection->execute(options.durable
                                          ? "PRAGMA synchronous = FULL"
                                          : "PRAGMA synchronous = OFF"));
  return connection;
}

}  // namespace

Result<std::unique_ptr<SkillStore>> open_sqlite_skill_store(
    const SkillStoreOptions& options, Clock& clock) {
  ASSIGN_OR_RETURN(auto writer, open_connection(options));
  RETURN_IF_ERROR(store::retry_while_busy(
      [&] { return internal::create_skill_tables(*writer); }));
  std::unique_ptr<SqliteConnection> reader;
  std::unique_ptr<SqliteConnection> watcher;
  if (!options.path.empty()) {
    ASSIGN_OR_RETURN(reader, open_connection(options));
    ASSIGN_OR_RETURN(watcher, open_connection(options));
  }
  return std::unique_ptr<SkillStore>(
      std::make_unique<internal::SqlSkillStore<SqliteTransactions>>(
          std::move(writer), std::move(reader), std::move(watcher), clock));
}

}  // namespace lamarck::skills
