// One connection to a PostgreSQL server.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/result.h"

struct pg_conn;
struct pg_result;

namespace lamarck::crew {

// Whether the text is a URL of a PostgreSQL database.
bool is_postgres_url(std::string_view url);
// The URL without a password, for messages.
std::string shown_url(std::string_view url);

// A parameter of a statement: text, or the bytes of a bytea.
struct PgValue {
  PgValue(std::string text) : bytes(std::move(text)) {}            // NOLINT
  PgValue(const char* text) : bytes(text) {}                       // NOLINT
  PgValue(std::int64_t number) : bytes(std::to_string(number)) {}  // NOLINT
  static PgValue binary(std::string bytes) {
    PgValue value(std::move(bytes));
    value.is_binary = true;
    return value;
  }

  std::string bytes;
  bool is_binary = false;
};

// The rows of a statement.
class PgRows {
 public:
  explicit PgRows(pg_result* result);

  // Whether the statement succeeded.
  bool is_good() const;
  std::size_t size() const;
  // Empty for NULL.
  std::string text(std::size_t row, std::size_t column) const;
  std::int64_t integer(std::size_t row, std::size_t column) const;
  double number(std::size_t row, std::size_t column) const;
  bool is_null(std::size_t row, std::size_t column) const;
  // Of a bytea.
  std::string bytes(std::size_t row, std::size_t column) const;

 private:
  std::shared_ptr<pg_result> result_;
};

// Thread safety: one thread.
class PgSession {
 public:
  // Fails with Unavailable if the server cannot be reached.
  static Result<PgSession> open(const std::string& url);

  // Runs one statement. Fails with Unavailable if the connection is lost, with
  // Internal for any other error of the server.
  Result<PgRows> run(const std::string& statement,
                     const std::vector<PgValue>& values = {});
  // Whether a notification has arrived since the last call.
  bool was_notified();
  // Of the connection, for poll().
  int descriptor() const;
  bool is_lost() const;

 private:
  explicit PgSession(pg_conn* connection);

  std::shared_ptr<pg_conn> connection_;
};

}  // namespace lamarck::crew
