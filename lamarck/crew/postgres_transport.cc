#include "lamarck/crew/postgres_transport.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <thread>
#include <utility>

#include "lamarck/base/macros.h"

namespace lamarck::crew {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

// Without a notification the table is read this often.
constexpr milliseconds kReadPause{200};
constexpr milliseconds kLookPause{200};
constexpr seconds kPresencePause{10};
// The leader waits this long for a server that is gone.
constexpr seconds kRecovery{120};
constexpr milliseconds kRetryPause{200};
constexpr seconds kShowPause{1};
constexpr std::size_t kLettersPerStatement = 500;

}  // namespace

PostgresTransport::PostgresTransport(std::string url, PgSession session,
                                     std::int64_t run, MemberId self)
    : url_(std::move(url)),
      session_(std::move(session)),
      run_(run),
      self_(self),
      wake_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      last_presence_(clock_.elapsed()) {}

PostgresTransport::~PostgresTransport() {
  if (self_ == kLeader) static_cast<void>(end_crew_run(session_, run_));
  close(wake_);
}

Result<std::unique_ptr<PostgresTransport>> PostgresTransport::lead(
    const std::string& url, const CrewRun& run) {
  ASSIGN_OR_RETURN(PgSession session, PgSession::open(url));
  ASSIGN_OR_RETURN(const std::int64_t id, add_crew_run(session, run));
  std::unique_ptr<PostgresTransport> transport(
      new PostgresTransport(url, std::move(session), id, kLeader));
  RETURN_IF_ERROR(transport->listen());
  return transport;
}

Result<std::unique_ptr<PostgresTransport>> PostgresTransport::join(
    const std::string& url, std::int64_t run, const std::string& name,
    std::size_t cores) {
  ASSIGN_OR_RETURN(PgSession session, PgSession::open(url));
  ASSIGN_OR_RETURN(const MemberId id,
                   add_crew_member(session, run, name, cores));
  std::unique_ptr<PostgresTransport> transport(
      new PostgresTransport(url, std::move(session), run, id));
  RETURN_IF_ERROR(transport->listen());
  return transport;
}

Result<void> PostgresTransport::listen() {
  RETURN_IF_ERROR(
      session_.run(fmt::format("LISTEN lamarck_crew_{}_{}", run_, self_)));
  return {};
}

Result<void> PostgresTransport::send(std::vector<Letter> letters) {
  for (std::size_t i = 0; i < letters.size(); i += kLettersPerStatement) {
    const Result<void> sent =
        insert(letters, i, std::min(letters.size(), i + kLettersPerStatement));
    // After a recovery all members are new, so these letters are void.
    if (!sent) return recover(sent.error());
  }
  return {};
}

Result<void> PostgresTransport::insert(const std::vector<Letter>& letters,
                                       std::size_t begin, std::size_t end) {
  std::string rows;
  std::vector<PgValue> values = {PgValue(self_)};
  for (std::size_t i = begin; i < end; ++i) {
    rows += fmt::format("{}(${}::bigint, $1::bigint, ${})",
                        rows.empty() ? "" : ", ", values.size() + 1,
                        values.size() + 2);
    values.emplace_back(letters[i].other);
    values.push_back(PgValue::binary(letters[i].bytes));
  }
  RETURN_IF_ERROR(session_.run(
      fmt::format("WITH i AS (INSERT INTO {} (receiver, sender, body) VALUES "
                  "{} RETURNING receiver) SELECT pg_notify('lamarck_crew_{}_' "
                  "|| receiver, '') FROM (SELECT DISTINCT receiver FROM i) d",
                  mail_table(run_), rows, run_),
      values));
  return {};
}

Result<std::vector<Letter>> PostgresTransport::receive(microseconds patience) {
  const auto end = clock_.elapsed() + patience;
  while (true) {
    auto letters = take_letters();
    if (letters && !letters->empty()) return letters;
    const Result<void> looked = letters ? look_around() : letters.error();
    if (!looked) {
      RETURN_IF_ERROR(recover(looked.error()));
      return std::vector<Letter>();
    }
    if (self_ != kLeader && !departed_.empty()) {
      last_letters_ =
          kLongAgo;  // The leader wrote its last letters before it left.
      return take_letters();
    }
    const auto now = clock_.elapsed();
    std::uint64_t wakes = 0;
    const bool is_woken = read(wake_, &wakes, sizeof wakes) > 0;
    if (is_woken || now >= end || !departed_.empty()) {
      return std::vector<Letter>();
    }
    wait(std::chrono::duration_cast<microseconds>(end - now));
  }
}

Result<std::vector<Letter>> PostgresTransport::take_letters() {
  std::vector<Letter> letters;
  const auto now = clock_.elapsed();
  if (!session_.was_notified() && now - last_letters_ < kReadPause) {
    if (session_.is_lost()) {
      return Error(ErrorCode::Unavailable, "The connection is lost.");
    }
    return letters;
  }
  last_letters_ = now;
  ASSIGN_OR_RETURN(
      const PgRows rows,
      session_.run(fmt::format("DELETE FROM {} WHERE receiver = $1::bigint "
                               "RETURNING seq, sender, body",
                               mail_table(run_)),
                   {PgValue(self_)}));
  std::vector<std::pair<std::int64_t, std::size_t>> order;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    order.emplace_back(rows.integer(i, 0), i);
  }
  std::ranges::sort(order);
  for (const auto& [seq, row] : order) {
    letters.push_back({rows.integer(row, 1), rows.bytes(row, 2)});
    if (std::ranges::find(members_, letters.back().other) == members_.end()) {
      members_.push_back(letters.back().other);
    }
  }
  return letters;
}

Result<void> PostgresTransport::look_around() {
  const auto now = clock_.elapsed();
  if (now - last_look_ >= kLookPause) {
    last_look_ = now;
    RETURN_IF_ERROR(find_departed());
  }
  if (self_ != kLeader && now - last_presence_ >= kPresencePause) {
    last_presence_ = now;
    RETURN_IF_ERROR(
        session_.run("UPDATE lamarck_crew.member SET seen = now() "
                     "WHERE id = $1::bigint",
                     {PgValue(self_)}));
  }
  return {};
}

Result<void> PostgresTransport::find_departed() {
  if (self_ == kLeader) {
    ASSIGN_OR_RETURN(
        const PgRows rows,
        session_.run("UPDATE lamarck_crew.member m SET departed = now() WHERE "
                     "run = $1::bigint AND departed IS NULL AND (seen < now() "
                     "- interval '1 minute' OR NOT EXISTS (SELECT 1 FROM "
                     "pg_stat_activity a WHERE a.pid = m.pid AND "
                     "a.backend_start = m.started)) RETURNING id",
                     {PgValue(run_)}));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      departed_.push_back(rows.integer(i, 0));
    }
    return {};
  }
  ASSIGN_OR_RETURN(
      const PgRows rows,
      session_.run("SELECT 1 FROM lamarck_crew.run r JOIN lamarck_crew.member "
                   "m ON m.run = r.id JOIN pg_stat_activity a ON a.pid = "
                   "r.leader_pid AND a.backend_start = r.leader_start WHERE "
                   "m.id = $1::bigint AND m.departed IS NULL AND r.ended IS "
                   "NULL",
                   {PgValue(self_)}));
  if (rows.size() == 0) departed_.push_back(kLeader);
  return {};
}

Result<void> PostgresTransport::recover(const Error& failure) {
  if (self_ != kLeader || failure.code() != ErrorCode::Unavailable) {
    return failure;
  }
  const auto end = clock_.elapsed() + kRecovery;
  while (clock_.elapsed() < end) {
    auto session = PgSession::open(url_);
    // A server that is going down may still accept a connection.
    if (session && take_crew_lead(*session, run_)) {
      session_ = std::move(*session);
      if (listen()) {
        departed_.insert(departed_.end(), members_.begin(), members_.end());
        members_.clear();
        return {};
      }
    }
    std::this_thread::sleep_for(kRetryPause);
  }
  return failure;
}

void PostgresTransport::wait(microseconds patience) {
  std::array<pollfd, 2> files{
      {{.fd = session_.descriptor(), .events = POLLIN, .revents = 0},
       {.fd = wake_, .events = POLLIN, .revents = 0}}};
  const auto longest = std::min<microseconds>(patience, kReadPause);
  const timespec time{
      .tv_sec = 0,
      .tv_nsec = static_cast<long>(std::chrono::nanoseconds(longest).count())};
  ppoll(files.data(), files.size(), &time, nullptr);
}

std::vector<MemberId> PostgresTransport::departed() {
  return std::exchange(departed_, {});
}

// A failure is noticed by the next letter.
void PostgresTransport::show(const CrewProgress& progress, bool is_last) {
  const auto now = clock_.elapsed();
  if (!is_last && now - last_show_ < kShowPause) return;
  last_show_ = now;
  const CrewCounts& counts = progress.counts;
  static_cast<void>(session_.run(
      "UPDATE lamarck_crew.run SET steps = $2::bigint, pieces = $3::bigint, "
      "lost_pieces = $4::bigint, lost_members = $5::bigint, bytes = $6::bigint "
      "WHERE id = $1::bigint",
      {run_, counts.steps, counts.pieces, counts.lost_pieces,
       counts.lost_members, counts.bytes_sent + counts.bytes_received}));
  for (const auto& [id, pieces] : progress.pieces) {
    if (id == kLeader) continue;
    static_cast<void>(
        session_.run("UPDATE lamarck_crew.member SET pieces = $2::bigint "
                     "WHERE id = $1::bigint AND pieces <> $2::bigint",
                     {id, pieces}));
  }
}

void PostgresTransport::wake() {
  const std::uint64_t one = 1;
  static_cast<void>(write(wake_, &one, sizeof one) + 0);
}

}  // namespace lamarck::crew
