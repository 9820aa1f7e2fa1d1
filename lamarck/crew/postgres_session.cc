#include "lamarck/crew/postgres_session.h"

#include <fmt/format.h>
#include <libpq-fe.h>

#include <cstdlib>
#include <regex>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"

namespace lamarck::crew {
namespace {

constexpr int kByteaType = 17;  // Of pg_type; fixed for ever.

// As one line; libpq writes several.
std::string message_of(pg_conn* connection) {
  std::string text = PQerrorMessage(connection);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  for (char& each : text) {
    if (each == '\n' || each == '\t') each = ' ';
  }
  return one_line(text, 300);
}

int at(std::size_t place) { return static_cast<int>(place); }

}  // namespace

bool is_postgres_url(std::string_view url) {
  return url.starts_with("postgresql://") || url.starts_with("postgres://");
}

std::string shown_url(std::string_view url) {
  static const std::regex kUser("(//[^:/@?]*):[^@/]*@");
  static const std::regex kOption("([?&]password=)[^&]*");
  const std::string plain =
      std::regex_replace(std::string(url), kUser, "$1:***@");
  return one_line(std::regex_replace(plain, kOption, "$1***"), 300);
}

PgRows::PgRows(pg_result* result) : result_(result, PQclear) {}

bool PgRows::is_good() const {
  const ExecStatusType status = PQresultStatus(result_.get());
  return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
}

std::size_t PgRows::size() const {
  return static_cast<std::size_t>(PQntuples(result_.get()));
}

std::string PgRows::text(std::size_t row, std::size_t column) const {
  return std::string(PQgetvalue(result_.get(), at(row), at(column)),
                     static_cast<std::size_t>(
                         PQgetlength(result_.get(), at(row), at(column))));
}

std::int64_t PgRows::integer(std::size_t row, std::size_t column) const {
  return std::strtoll(PQgetvalue(result_.get(), at(row), at(column)), nullptr,
                      10);
}

double PgRows::number(std::size_t row, std::size_t column) const {
  return std::strtod(PQgetvalue(result_.get(), at(row), at(column)), nullptr);
}

bool PgRows::is_null(std::size_t row, std::size_t column) const {
  return PQgetisnull(result_.get(), at(row), at(column)) != 0;
}

std::string PgRows::bytes(std::size_t row, std::size_t column) const {
  std::size_t size = 0;
  unsigned char* plain =
      PQunescapeBytea(reinterpret_cast<const unsigned char*>(
                          PQgetvalue(result_.get(), at(row), at(column))),
                      &size);
  std::string bytes(reinterpret_cast<const char*>(plain), size);
  PQfreemem(plain);
  return bytes;
}

PgSession::PgSession(pg_conn* connection) : connection_(connection, PQfinish) {}

Result<PgSession> PgSession::open(const std::string& url) {
  PgSession session(PQconnectdb(url.c_str()));
  if (PQstatus(session.connection_.get()) != CONNECTION_OK) {
    return Error(ErrorCode::Unavailable,
                 fmt::format("Cannot connect to {}: {}", shown_url(url),
                             message_of(session.connection_.get())));
  }
  // Claims and letters may be lost with a server: their work is then done
  // again.
  RETURN_IF_ERROR(
      session.run("SELECT set_config('client_min_messages', 'warning', false), "
                  "set_config('synchronous_commit', 'off', false)"));
  return session;
}

Result<PgRows> PgSession::run(const std::string& statement,
                              const std::vector<PgValue>& values) {
  std::vector<const char*> texts;
  std::vector<int> sizes;
  std::vector<int> formats;
  std::vector<Oid> types;
  for (const PgValue& value : values) {
    texts.push_back(value.bytes.c_str());
    sizes.push_back(static_cast<int>(value.bytes.size()));
    formats.push_back(value.is_binary ? 1 : 0);
    types.push_back(value.is_binary ? kByteaType : 0);
  }
  pg_conn* connection = connection_.get();
  PgRows rows(PQexecParams(connection, statement.c_str(),
                           static_cast<int>(values.size()), types.data(),
                           texts.data(), sizes.data(), formats.data(), 0));
  if (rows.is_good()) return rows;
  return Error(is_lost() ? ErrorCode::Unavailable : ErrorCode::Internal,
               fmt::format("PostgreSQL: {}", message_of(connection)));
}

bool PgSession::was_notified() {
  PQconsumeInput(connection_.get());
  bool was = false;
  while (PGnotify* notification = PQnotifies(connection_.get())) {
    PQfreemem(notification);
    was = true;
  }
  return was;
}

int PgSession::descriptor() const { return PQsocket(connection_.get()); }

bool PgSession::is_lost() const {
  return PQstatus(connection_.get()) != CONNECTION_OK;
}

}  // namespace lamarck::crew
