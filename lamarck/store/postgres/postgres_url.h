// URLs of PostgreSQL databases: postgresql://user:password@host:port/database.

#pragma once

#include <string>
#include <string_view>

namespace lamarck::store {

// Whether `place` names a PostgreSQL database rather than a file.
bool is_postgres_url(std::string_view place);

// The URL without its passwords, for messages and logs. Returns a text that is
// not a PostgreSQL URL unchanged.
std::string shown_postgres_url(std::string_view url);

// The schema in which tables are unless the URL names another.
inline constexpr std::string_view kDefaultSchema = "lamarck";

struct PostgresPlace {
  std::string url;  // As libpq knows it.
  std::string schema;
};
// Takes the parameter `schema` out of the URL.
PostgresPlace parse_postgres_place(std::string_view url);

// The URL of the same database with another schema.
std::string with_schema(std::string_view url, std::string_view schema);

}  // namespace lamarck::store
