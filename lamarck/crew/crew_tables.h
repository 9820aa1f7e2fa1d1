// The tables of crews in a PostgreSQL database, in the schema lamarck_crew.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lamarck/crew/postgres_session.h"
#include "lamarck/crew/transport.h"

namespace lamarck::crew {

// A file that members need.
struct CrewFile {
  std::string name;
  std::string bytes;
};

// What members need to take part in a run.
struct CrewRun {
  std::string kind;   // Such as "net".
  std::string flags;  // JSON.
  std::string version;
  std::string simd;
  std::vector<CrewFile> files = {};
};

// Creates the schema if it does not exist.
Result<void> create_crew_tables(PgSession& session);

// Adds a run whose leader is this session, and returns its number. Removes the
// letters of old runs.
Result<std::int64_t> add_crew_run(PgSession& session, const CrewRun& run);
// Makes this session the leader again, after it was lost.
Result<void> take_crew_lead(PgSession& session, std::int64_t run);
Result<void> end_crew_run(PgSession& session, std::int64_t run);

// The newest run with a leader, if any; `above` hides older ones.
Result<std::optional<std::int64_t>> find_crew_run(PgSession& session,
                                                  std::int64_t above);
Result<CrewRun> read_crew_run(PgSession& session, std::int64_t run);
// Makes this session a member, and returns its number.
Result<MemberId> add_crew_member(PgSession& session, std::int64_t run,
                                 const std::string& name, std::size_t cores);

// The name of the table with the letters of a run.
std::string mail_table(std::int64_t run);

}  // namespace lamarck::crew
