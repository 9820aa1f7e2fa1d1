#include <mutex>

#include "lamarck/base/entropy.h"
#include "lamarck/base/rng.h"
#include "lamarck/skills/internal/skill_tables.h"
#include "lamarck/skills/internal/sql_skill_store.h"
#include "lamarck/skills/skill_store.h"
#include "lamarck/store/postgres/postgres_pool.h"
#include "lamarck/store/postgres/postgres_url.h"

namespace lamarck::skills {
namespace {

using internal::SkillSql;
using store::PostgresConnection;

// SQL with $1, $2 ... for each ?.
std::string numbered_parameters(std::string_view sql) {
  std::string numbered;
  int count = 0;
  for (const char letter : sql) {
    numbered += letter == '?' ? '$' : letter;
    if (letter == '?') numbered += std::to_string(++count);
  }
  return numbered;
}

class PostgresSkillDatabase;

// Runs when its first row is asked for.
class PostgresStatement : public internal::SkillStatement {
 public:
  PostgresStatement(PostgresSkillDatabase& database, const char* sql)
      : database_(database), sql_(numbered_parameters(sql)) {}

  void bind_null() override { parameters_.null(store::PostgresType::Unknown); }
  void bind_text(std::string_view value) override { parameters_.text(value); }
  void bind_integer(std::int64_t value) override { parameters_.integer(value); }
  void bind_real(double value) override { parameters_.real(value); }
  void bind_boolean(bool value) override { parameters_.boolean(value); }
  void bind_id(std::string_view value) override { parameters_.uuid(value); }
  void bind_time(Clock::WallTime value) override { parameters_.time(value); }
  void bind_json(std::string text) override { parameters_.json(text); }
  void bind_texts(const std::vector<std::string>& value) override {
    store::PostgresArray array(store::PostgresType::Text);
    for (const std::string& text : value) array.text(text);
    parameters_.array(array);
  }
  void bind_floats(const std::vector<float>& value) override {
    store::PostgresArray array(store::PostgresType::Real);
    for (const float number : value) array.real(number);
    parameters_.array(array);
  }

  Result<bool> next() override;
  bool is_null_at(int column) const override {
    return rows_->is_null(row_, column);
  }
  std::string text_at(int column) const override {
    return rows_->is_uuid(column) ? rows_->uuid(row_, column)
                                  : rows_->text(row_, column);
  }
  std::int64_t integer_at(int column) const override {
    return rows_->integer(row_, column);
  }
  double real_at(int column) const override {
    return rows_->real(row_, column);
  }
  Clock::WallTime time_at(int column) const override {
    return rows_->time(row_, column);
  }
  std::string json_text_at(int column) const override {
    return rows_->json(row_, column);
  }
  Result<std::vector<std::string>> texts_at(int column) const override {
    return rows_->texts(row_, column);
  }
  std::vector<float> floats_at(int column) const override {
    return rows_->reals(row_, column);
  }

 private:
  PostgresSkillDatabase& database_;
  const std::string sql_;
  store::PostgresParameters parameters_;
  std::optional<store::PostgresRows> rows_;  // Unset before the first `next`.
  std::size_t row_ = 0;
};

class PostgresSkillDatabase : public internal::SkillDatabase {
 public:
  explicit PostgresSkillDatabase(PostgresConnection& connection)
      : connection_(connection) {}

  std::unique_ptr<internal::SkillStatement> prepare(const char* sql) override {
    return std::make_unique<PostgresStatement>(*this, sql);
  }
  std::int64_t changes() const override { return changes_; }
  bool is_postgres() const override { return true; }

  Result<store::PostgresRows> run(const std::string& sql,
                                  store::PostgresParameters parameters) {
    auto rows = connection_.query(sql, std::move(parameters));
    if (!rows) return rows;
    if (!sql.starts_with("SELECT")) {
      changes_ = rows->changed_count();
      has_changed_ = has_changed_ || changes_ > 0;
    }
    return rows;
  }
  bool has_changed() const { return has_changed_; }

 private:
  PostgresConnection& connection_;
  std::int64_t changes_ = 0;
  bool has_changed_ = false;
};

Result<bool> PostgresStatement::next() {
  if (rows_) {
    ++row_;
  } else {
    ASSIGN_OR_RETURN(auto rows, database_.run(sql_, std::move(parameters_)));
    rows_.emplace(std::move(rows));
  }
  return row_ < rows_->size();
}

// Writers exclude each other by a lock, so that what they read still holds when
// they write, for all servers of the database.
constexpr const char* kBeginWrite =
    "SET LOCAL search_path = lamarck; "
    "LOCK TABLE lamarck.skill_changes IN EXCLUSIVE MODE; ";
constexpr const char* kBeginRead =
    "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; "
    "SET LOCAL search_path = lamarck";
constexpr const char* kCountChange =
    "UPDATE lamarck.skill_changes SET number = number + 1";

// The policies of the tables hide the rows of other organizations.
Result<void> restrict_to(PostgresConnection& connection, std::string_view org) {
  if (org.empty()) return {};
  store::PostgresParameters parameters;
  parameters.text(org);
  RETURN_IF_ERROR(
      connection.query("SELECT set_config('lmk.organization', $1, true)",
                       std::move(parameters)));
  return {};
}

class PostgresTransactions {
 public:
  PostgresTransactions(std::unique_ptr<store::PostgresPool> pool,
                       std::string begin, Clock& clock)
      : clock_(clock),
        ids_(clock, Rng(entropy_seed())),
        pool_(std::move(pool)),
        begin_(std::move(begin)) {}

  template <class Work>
  auto write(std::string_view org, const Work& work) {
    using Outcome = decltype(work(std::declval<SkillSql&>()));
    std::optional<Outcome> outcome;
    const Result<void> done = pool_->transact(
        begin_, [&](PostgresConnection& connection) -> Result<void> {
          RETURN_IF_ERROR(restrict_to(connection, org));
          PostgresSkillDatabase database(connection);
          SkillSql sql{database, clock_.wall_time(), ids_};
          outcome.emplace(work(sql));
          if (!*outcome) return outcome->error();
          if (!database.has_changed()) return {};
          return connection.execute(kCountChange);
        });
    if (!done) return Outcome(done.error());
    return *std::move(outcome);
  }

  template <class Work>
  auto read(std::string_view org, const Work& work) {
    using Outcome = decltype(work(std::declval<SkillSql&>()));
    std::optional<Outcome> outcome;
    const Result<void> done =
        pool_->read([&](PostgresConnection& connection) -> Result<void> {
          RETURN_IF_ERROR(connection.execute(kBeginRead));
          RETURN_IF_ERROR(restrict_to(connection, org));
          PostgresSkillDatabase database(connection);
          SkillSql sql{database, clock_.wall_time(), ids_};
          outcome.emplace(work(sql));
          Result<void> ended = connection.execute("COMMIT");
          if (!*outcome) return outcome->error();
          return ended;
        });
    if (!done) return Outcome(done.error());
    return *std::move(outcome);
  }

  // Workers ask often, and a write waits for the disk.
  template <class IsDue, class Work>
  auto claim(const IsDue& is_due, const Work& work) {
    using Outcome = decltype(work(std::declval<SkillSql&>()));
    const Result<bool> due = read(internal::kAllOrganizations, is_due);
    if (!due) return Outcome(due.error());
    if (!*due) return Outcome(typename Outcome::value_type());
    return write(internal::kAllOrganizations, work);
  }

  Result<std::int64_t> watched_number() {
    std::int64_t number = 0;
    RETURN_IF_ERROR(
        pool_->read([&](PostgresConnection& connection) -> Result<void> {
          ASSIGN_OR_RETURN(
              const store::PostgresRows rows,
              connection.query("SELECT number FROM lamarck.skill_changes"));
          number = rows.integer(0, 0);
          return {};
        }));
    return number;
  }

 private:
  Clock& clock_;
  IdGenerator ids_;
  const std::unique_ptr<store::PostgresPool> pool_;
  const std::string begin_;
};

}  // namespace

Result<std::unique_ptr<SkillStore>> open_postgres_skill_store(
    const SkillStoreOptions& options, Clock& clock) {
  ASSIGN_OR_RETURN(auto pool, store::PostgresPool::open({.url = options.path}));
  RETURN_IF_ERROR(store::migrate(*pool, internal::kPostgresSkillTables));
  const std::string begin =
      options.durable
          ? kBeginWrite
          : std::string("SET LOCAL synchronous_commit = off; ") + kBeginWrite;
  return std::unique_ptr<SkillStore>(
      std::make_unique<internal::SqlSkillStore<PostgresTransactions>>(
          std::move(pool), begin, clock));
}

Result<std::unique_ptr<SkillStore>> open_skill_store(
    const SkillStoreOptions& options, Clock& clock) {
  return store::is_postgres_url(options.path)
             ? open_postgres_skill_store(options, clock)
             : open_sqlite_skill_store(options, clock);
}

}  // namespace lamarck::skills
