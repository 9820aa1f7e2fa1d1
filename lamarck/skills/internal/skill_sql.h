// What the files with the SQL of one table each have in common.
//
// The SQL is portable except where a comment says so. Each database stores
// values in its own types: SQLite times as microseconds since 1970, and lists
// and objects as JSON text; PostgreSQL as timestamptz, text[] and jsonb.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/clock.h"
#include "lamarck/base/id.h"
#include "lamarck/base/json.h"
#include "lamarck/base/result.h"

namespace lamarck::skills::internal {

// A statement in one of the databases. Bound values are copied or must outlive
// the statement; columns count from 0.
class SkillStatement {
 public:
  virtual ~SkillStatement() = default;

  virtual void bind_null() = 0;
  virtual void bind_text(std::string_view value) = 0;
  virtual void bind_integer(std::int64_t value) = 0;
  virtual void bind_real(double value) = 0;
  virtual void bind_boolean(bool value) = 0;
  virtual void bind_id(std::string_view value) = 0;
  virtual void bind_time(Clock::WallTime value) = 0;
  virtual void bind_json(std::string text) = 0;
  virtual void bind_texts(const std::vector<std::string>& value) = 0;
  virtual void bind_floats(const std::vector<float>& value) = 0;

  virtual Result<bool> next() = 0;
  virtual bool is_null_at(int column) const = 0;
  virtual std::string text_at(int column) const = 0;
  virtual std::int64_t integer_at(int column) const = 0;
  virtual double real_at(int column) const = 0;
  virtual Clock::WallTime time_at(int column) const = 0;
  virtual std::string json_text_at(int column) const = 0;  // "" for NULL.
  virtual Result<std::vector<std::string>> texts_at(int column) const = 0;
  virtual std::vector<float> floats_at(int column) const = 0;
};

// A statement in use. Bind in the order of the parameters.
class SkillQuery {
 public:
  explicit SkillQuery(std::unique_ptr<SkillStatement> statement)
      : statement_(std::move(statement)) {}

  SkillQuery& null();
  SkillQuery& text(std::string_view value);
  SkillQuery& text_or_null(std::string_view value);  // "" = NULL.
  SkillQuery& integer(std::int64_t value);
  SkillQuery& real(double value);
  SkillQuery& boolean(bool value);
  // A column that PostgreSQL stores as a UUID; it matches no other text there.
  SkillQuery& id(std::string_view value);
  SkillQuery& id_or_null(std::string_view value);  // "" = NULL.
  SkillQuery& time(const std::optional<Clock::WallTime>& value);
  SkillQuery& json(const Json& value);
  SkillQuery& json_or_null(const Json& value);
  SkillQuery& texts(const std::vector<std::string>& value);
  SkillQuery& floats(const std::vector<float>& value);

  Result<void> run();   // Until the last row.
  Result<bool> next();  // False after the last row.

  bool is_null_at(int column) const { return statement_->is_null_at(column); }
  std::string text_at(int column) const { return statement_->text_at(column); }
  std::int64_t integer_at(int column) const {
    return statement_->integer_at(column);
  }
  bool boolean_at(int column) const { return integer_at(column) != 0; }
  double real_at(int column) const { return statement_->real_at(column); }
  Clock::WallTime time_at(int column) const {
    return statement_->time_at(column);
  }
  std::optional<Clock::WallTime> maybe_time_at(int column) const;
  // Stored JSON that does not parse is DataDamaged; NULL is null.
  Result<Json> json_at(int column) const;
  Result<std::vector<std::string>> texts_at(int column) const {
    return statement_->texts_at(column);
  }
  std::vector<float> floats_at(int column) const {
    return statement_->floats_at(column);
  }

 private:
  std::unique_ptr<SkillStatement> statement_;
};

// A connection in a transaction.
class SkillDatabase {
 public:
  virtual ~SkillDatabase() = default;

  // `sql` is a literal with a ? for each parameter.
  virtual std::unique_ptr<SkillStatement> prepare(const char* sql) = 0;
  // Rows that the last INSERT, UPDATE or DELETE changed.
  virtual std::int64_t changes() const = 0;
  // Their full-text indexes differ.
  virtual bool is_postgres() const = 0;
};

// The database, the time of the transaction and new ids.
struct SkillSql {
  SkillDatabase& database;
  Clock::WallTime now;
  IdGenerator& ids;

  SkillQuery query(const char* sql) {
    return SkillQuery(database.prepare(sql));
  }
  std::int64_t changes() const { return database.changes(); }
};

std::int64_t to_micros(Clock::WallTime time);
Result<Json> parse_stored_json(std::string_view text);

// "There is no skill 'ID'." of another organization too.
Error missing(std::string_view what, std::string_view id);

// A position in a list that is ordered by creation time and id.
struct PageCursor {
  std::int64_t created_at = 0;
  std::string id;
};
std::string encode_cursor(const PageCursor& cursor);
Result<PageCursor> decode_cursor(std::string_view text);

}  // namespace lamarck::skills::internal
