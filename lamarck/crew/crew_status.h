// What the database says about its crews.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lamarck/crew/postgres_session.h"

namespace lamarck::crew {

struct MemberStatus {
  std::int64_t id = 0;
  std::string name;
  std::int64_t cores = 0;
  std::int64_t pieces = 0;
  double seconds = 0;  // Since it joined; until it left.
  bool is_here = false;
};

struct CrewStatus {
  std::int64_t run = 0;
  std::string kind;
  std::string state;  // "running", "ended" or "lost", if its leader is gone.
  std::string simd;
  std::int64_t steps = 0;
  std::int64_t pieces = 0;
  std::int64_t lost_pieces = 0;
  std::int64_t lost_members = 0;
  std::int64_t bytes = 0;  // Of all letters.
  double seconds = 0;      // Since the start; until the end.
  std::vector<MemberStatus> members;

  double rate() const {
    return seconds > 0 ? static_cast<double>(pieces) / seconds : 0;
  }
};

// The newest runs first, at most `max`.
Result<std::vector<CrewStatus>> read_crew_status(PgSession& session,
                                                 std::int64_t max);

}  // namespace lamarck::crew
