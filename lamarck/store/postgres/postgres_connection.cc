#include "lamarck/store/postgres/postgres_connection.h"

#include <libpq-fe.h>

#include <array>
#include <bit>
#include <utility>

#include <fmt/format.h>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/store/postgres/postgres_url.h"

namespace lamarck::store {
namespace {

constexpr int kOldestServer = 130000;  // The first with xid8.
constexpr std::string_view kLostConnection = "lost";

// libpq's messages have several lines, the first of which names the reason.
std::string first_line(std::string_view message) {
  return std::string(message.substr(0, message.find('\n')));
}

std::string without_end_mark(std::string text) {
  while (!text.empty() && (text.back() == '.' || text.back() == ' ')) {
    text.pop_back();
  }
  return text;
}

struct ConnectFailure {
  std::string_view words;  // In libpq's or the server's message.
  ErrorCode code;
  std::string_view remedy;
};
constexpr std::array<ConnectFailure, 5> kConnectFailures = {{
    {"password authentication failed", ErrorCode::Unauthenticated,
     "Correct the user or the password in the URL, or set PGPASSWORD."},
    {"no password supplied", ErrorCode::Unauthenticated,
     "Add the password to the URL, or set PGPASSWORD."},
    {"authentication failed", ErrorCode::Unauthenticated,
     "Correct the user in the URL."},
    {"does not exist", ErrorCode::NotFound, "Create it, or correct the URL."},
    {"", ErrorCode::Unavailable,
     "Check that the server runs and that the URL is right."},
}};

Error connect_error(std::string_view libpq, const std::string& shown) {
  // Text of libpq may repeat the URL.
  const std::string reason = without_end_mark(first_line(libpq));
  for (const ConnectFailure& failure : kConnectFailures) {
    if (reason.find(failure.words) == std::string::npos) continue;
    return {failure.code,
            fmt::format("Cannot connect to the database {}: {}. {}", shown,
                        one_line(reason, 300), failure.remedy),
            {{"database", shown}}};
  }
  return {ErrorCode::Unavailable, "Cannot connect to the database."};
}

Error url_error(const std::string& shown) {
  return invalid_argument(fmt::format(
      "The database must be a URL such as postgresql://user@host:5432/name, "
      "got {}. Write special characters as %XX.",
      in_quotes(shown)));
}

// Whether libpq can parse the URL. Its own message could show the password.
bool is_valid_url(const std::string& url) {
  char* message = nullptr;
  PQconninfoOption* const options = PQconninfoParse(url.c_str(), &message);
  PQfreemem(message);
  PQconninfoFree(options);
  return options != nullptr;
}

// The server cuts longer names.
bool is_schema_name(std::string_view name) {
  constexpr std::size_t kMaxName = 63;
  return !name.empty() && name.size() <= kMaxName &&
         name.find_first_of(std::string_view("\"\0", 2)) ==
             std::string_view::npos;
}

Error schema_error(const std::string& name) {
  return invalid_argument(
      fmt::format("The schema in the URL must have 1 to 63 characters and no "
                  "quotation marks, got {}.",
                  in_quotes(name)));
}

pg_conn* connect(const std::string& url, std::chrono::seconds limit) {
  const std::string timeout = std::to_string(limit.count());
  // The URL comes last, so that it may set any of the others.
  const std::array<const char*, 8> names = {"client_encoding",
                                            "fallback_application_name",
                                            "connect_timeout",
                                            "keepalives_idle",
                                            "keepalives_interval",
                                            "tcp_user_timeout",
                                            "dbname",
                                            nullptr};
  const std::array<const char*, 8> values = {
      "UTF8", "lamarck", timeout.c_str(), "10",
      "5",    "15000",   url.c_str(),     nullptr};
  return PQconnectdbParams(names.data(), values.data(), 1);
}

void ignore_notice(void* /*context*/, const PGresult* /*result*/) {}

struct SqlFailure {
  std::string_view state;  // The beginning of the SQLSTATE.
  ErrorCode code;
};
constexpr std::array<SqlFailure, 13> kSqlFailures = {{
    {"08", ErrorCode::Unavailable},
    {"57014", ErrorCode::Timeout},
    {"57", ErrorCode::Unavailable},     // The server is shutting down.
    {"25006", ErrorCode::Unavailable},  // A standby.
    {"25P03", ErrorCode::Unavailable},  // The transaction was idle too long.
    {"53100", ErrorCode::IoFailed},     // The disk is full.
    {"53", ErrorCode::Unavailable},
    {"55P03", ErrorCode::Unavailable},  // A lock was not granted in time.
    {"58", ErrorCode::IoFailed},
    {"40", ErrorCode::Conflict},
    {"42501", ErrorCode::PermissionDenied},
    {"XX001", ErrorCode::DataDamaged},
    {"XX002", ErrorCode::DataDamaged},
}};

ErrorCode code_of_sqlstate(std::string_view state) {
  if (state.empty()) return ErrorCode::Unavailable;
  for (const SqlFailure& failure : kSqlFailures) {
    if (state.starts_with(failure.state)) return failure.code;
  }
  return ErrorCode::Internal;
}

}  // namespace

Result<std::unique_ptr<PostgresConnection>> PostgresConnection::open(
    const PostgresOptions& options) {
  const std::string shown = shown_postgres_url(options.url);
  const PostgresPlace place = parse_postgres_place(options.url);
  if (!is_postgres_url(options.url) || !is_valid_url(place.url)) {
    return url_error(shown);
  }
  if (!is_schema_name(place.schema)) return schema_error(place.schema);
  std::unique_ptr<PostgresConnection> opened(new PostgresConnection(
      connect(place.url, options.connect_timeout), shown,
      place.schema == kDefaultSchema ? "" : '"' + place.schema + '"'));
  pg_conn* const connection = opened->connection_;
  if (PQstatus(connection) != CONNECTION_OK) {
    return connect_error(PQerrorMessage(connection), shown);
  }
  PQsetNoticeReceiver(connection, &ignore_notice, nullptr);
  if (PQserverVersion(connection) < kOldestServer) {
    return Error(
        ErrorCode::Unsupported,
        fmt::format("The database {} must be PostgreSQL 13 or newer, "
                    "got version {}.",
                    shown, PQparameterStatus(connection, "server_version")));
  }
  const char* const encoding = PQparameterStatus(connection, "server_encoding");
  if (encoding != nullptr && std::string_view(encoding) != "UTF8") {
    return Error(ErrorCode::Unsupported,
                 fmt::format("The database {} must have the encoding UTF8, got "
                             "{}. Create one with: createdb --encoding=UTF8 "
                             "--template=template0 NAME.",
                             shown, encoding));
  }
  return opened;
}

PostgresConnection::PostgresConnection(pg_conn* connection, std::string url,
                                       std::string schema)
    : connection_(connection),
      shown_url_(std::move(url)),
      schema_(std::move(schema)) {}

PostgresConnection::~PostgresConnection() { PQfinish(connection_); }

Result<PostgresRows> PostgresConnection::query(const std::string& sql,
                                               PostgresParameters parameters) {
  constexpr int kBinary = 1;
  const std::vector<int> formats(static_cast<std::size_t>(parameters.count()),
                                 kBinary);
  PGresult* const result =
      PQexecParams(connection_, in_schema(sql).c_str(), parameters.count(),
                   parameters.types(), parameters.values(),
                   parameters.lengths(), formats.data(), kBinary);
  PostgresRows rows(result);
  const ExecStatusType status = PQresultStatus(result);
  if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK) return rows;
  const Error failure = error(result);
  if (is_connection_failure(failure)) is_lost_ = true;
  return failure;
}

Result<void> PostgresConnection::execute(const std::string& statements) {
  PGresult* const result = PQexec(connection_, in_schema(statements).c_str());
  const PostgresRows rows(result);
  const ExecStatusType status = PQresultStatus(result);
  if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK) return {};
  const Error failure = error(result);
  if (is_connection_failure(failure)) is_lost_ = true;
  return failure;
}

Result<void> PostgresConnection::commit() {
  PGresult* const result = PQexec(connection_, "COMMIT");
  const PostgresRows rows(result);
  if (PQresultStatus(result) != PGRES_COMMAND_OK) {
    const Error failure = error(result);
    if (is_connection_failure(failure)) is_lost_ = true;
    return failure;
  }
  if (std::string_view(PQcmdStatus(result)) == "COMMIT") return {};
  return Error(
      ErrorCode::Internal,
      fmt::format("The database {} rolled a transaction back.", shown_url_));
}

std::string PostgresConnection::in_schema(const std::string& sql) const {
  if (schema_.empty()) return sql;
  std::string replaced;
  std::size_t from = 0;
  for (;;) {
    const std::size_t found = sql.find(kDefaultSchema, from);
    replaced.append(sql, from, found - from);
    if (found == std::string::npos) return replaced;
    replaced += schema_;
    from = found + kDefaultSchema.size();
  }
}

bool PostgresConnection::is_open() const {
  return !is_lost_ && PQstatus(connection_) == CONNECTION_OK;
}

bool PostgresConnection::is_in_transaction() const {
  return PQtransactionStatus(connection_) != PQTRANS_IDLE;
}

int PostgresConnection::server_version() const {
  return PQserverVersion(connection_);
}

Error PostgresConnection::error(const pg_result* result) const {
  const char* const state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  const char* const primary =
      PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
  const std::string reason = without_end_mark(
      first_line(primary != nullptr ? primary : PQerrorMessage(connection_)));
  Error::Fields fields = {{"database", shown_url_}};
  if (state != nullptr) fields["sqlstate"] = state;
  if (state == nullptr || PQstatus(connection_) != CONNECTION_OK) {
    fields["connection"] = kLostConnection;
  }
  return {PQstatus(connection_) != CONNECTION_OK
              ? ErrorCode::Unavailable
              : code_of_sqlstate(state == nullptr ? "" : state),
          fmt::format("The database {} failed: {}.", shown_url_,
                      one_line(reason, 300)),
          std::move(fields)};
}

bool is_connection_failure(const Error& error) {
  if (error.fields().contains("connection")) return true;
  const auto state = error.fields().find("sqlstate");
  if (state == error.fields().end()) {
    return error.code() == ErrorCode::Unavailable;
  }
  const std::string_view code = state->second;
  return code.starts_with("08") || code.starts_with("57P") || code == "25006" ||
         code == "25P03" || code == "53300";
}

bool is_transaction_conflict(const Error& error) {
  const auto state = error.fields().find("sqlstate");
  return state != error.fields().end() &&
         (state->second.starts_with("40") || state->second == "55P03");
}

}  // namespace lamarck::store
