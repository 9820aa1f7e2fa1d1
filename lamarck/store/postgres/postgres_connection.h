// A connection to a PostgreSQL server that reports failures as full sentences.
//
// Uses no named prepared statements and no session state, so it works behind
// pgbouncer in transaction mode.

#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/clock.h"
#include "lamarck/base/result.h"
#include "lamarck/store/postgres/postgres_values.h"

struct pg_conn;
struct pg_result;

namespace lamarck::store {

// The rows that a statement returned. Rows and columns count from 0; values of
// NULL are 0, "" and the year 2000.
class PostgresRows {
 public:
  explicit PostgresRows(pg_result* result) : result_(result, &clear) {}

  std::size_t size() const;
  bool empty() const { return size() == 0; }
  // Rows that an INSERT, UPDATE or DELETE changed.
  std::int64_t changed_count() const;

  bool is_null(std::size_t row, int column) const;
  std::int64_t integer(std::size_t row, int column) const;
  double real(std::size_t row, int column) const;
  bool boolean(std::size_t row, int column) const;
  std::string text(std::size_t row, int column) const;
  Clock::WallTime time(std::size_t row, int column) const;
  std::string json(std::size_t row, int column) const;  // "" for NULL.
  std::string uuid(std::size_t row, int column) const;  // "" for NULL.
  std::vector<std::string> texts(std::size_t row, int column) const;
  // Of a real[] or of a vector of pgvector.
  std::vector<float> reals(std::size_t row, int column) const;
  bool is_uuid(int column) const;  // By the column's type.
  // Valid as long as these rows.
  std::string_view bytes(std::size_t row, int column) const;

 private:
  static void clear(pg_result* result);

  std::unique_ptr<pg_result, void (*)(pg_result*)> result_;
};

struct PostgresOptions {
  // postgresql://user:password@host:port/database. Besides libpq's parameters
  // it may have `schema`, where the tables are (default: lamarck).
  std::string url;
  std::chrono::seconds connect_timeout{10};
  // How long a call waits for a lost server to come back before it fails with
  // Unavailable.
  std::chrono::milliseconds reconnect_for{5000};
  std::size_t max_connections = 8;
};

// Thread safety: one thread at a time.
class PostgresConnection {
 public:
  // Fails with Unavailable, Unauthenticated, NotFound (the database) or
  // InvalidArgument (the URL). Messages never contain the password.
  static Result<std::unique_ptr<PostgresConnection>> open(
      const PostgresOptions& options);
  ~PostgresConnection();
  PostgresConnection(const PostgresConnection&) = delete;
  PostgresConnection& operator=(const PostgresConnection&) = delete;

  // Runs one statement. Statements call the schema `lamarck`; the connection
  // replaces that by the schema of its URL. A failure has the server's code in
  // the field "sqlstate", if the server sent one.
  Result<PostgresRows> query(const std::string& sql,
                             PostgresParameters parameters);
  Result<PostgresRows> query(const std::string& sql) { return query(sql, {}); }
  // Runs statements without parameters, in one exchange.
  Result<void> execute(const std::string& statements);
  // Ends a transaction. Also fails if the server rolled it back.
  Result<void> commit();

  // False once the connection was lost; it must then be replaced.
  bool is_open() const;
  bool is_in_transaction() const;
  int server_version() const;  // 150004 for 15.4.
  const std::string& shown_url() const { return shown_url_; }

 private:
  PostgresConnection(pg_conn* connection, std::string url, std::string schema);

  std::string in_schema(const std::string& sql) const;
  Error error(const pg_result* result) const;

  pg_conn* connection_;
  const std::string shown_url_;  // Without the password.
  const std::string schema_;     // Quoted; "" = lamarck.
  bool is_lost_ = false;
};

// Whether the failure is of the server or the way to it, so that the same call
// may succeed on a new connection.
bool is_connection_failure(const Error& error);
// Whether the same transaction may succeed when it is repeated: a deadlock, a
// concurrent change.
bool is_transaction_conflict(const Error& error);

}  // namespace lamarck::store
