// What the files with the SQL of one table each have in common.
//
// The SQL is portable except where a comment says so; times are microseconds
// since 1970, lists and objects are JSON text.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/clock.h"
#include "lamarck/base/id.h"
#include "lamarck/base/json.h"
#include "lamarck/base/result.h"
#include "lamarck/store/sqlite_connection.h"

namespace lamarck::skills::internal {

// A connection in a transaction, the time of the transaction and new ids.
struct SkillSql {
  store::SqliteConnection& connection;
  Clock::WallTime now;
  IdGenerator& ids;

  store::Query query(const char* sql) { return connection.query(sql); }
};

// Creates the tables, or checks that they have this version.
Result<void> create_skill_tables(store::SqliteConnection& connection);

std::int64_t to_micros(Clock::WallTime time);
Clock::WallTime time_at(const store::Query& query, int column);
std::optional<Clock::WallTime> maybe_time_at(const store::Query& query,
                                             int column);
store::Query& bind_time(store::Query& query,
                        const std::optional<Clock::WallTime>& time);

// Stored JSON that does not parse is DataDamaged.
Result<Json> json_at(const store::Query& query, int column);
Result<std::vector<std::string>> texts_at(const store::Query& query,
                                          int column);
std::string texts_to_json(const std::vector<std::string>& texts);

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
