// The messages between the leader and the members of a crew.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lamarck/base/result.h"

namespace lamarck::crew {

// ---- From members.

struct Hello {
  std::string version;  // Of lamarck; must be that of the leader.
  std::string name;     // For people, such as "host:1234".
  std::uint64_t cores = 1;
};
// The member computes pieces of this stage from now on.
struct Ready {
  std::uint64_t stage = 0;
};
struct PieceResult {
  std::uint64_t index = 0;
  bool has_failed = false;  // If so, `bytes` is a sentence.
  std::string bytes;
};
struct Results {
  std::uint64_t step = 0;
  std::vector<PieceResult> results;
};
// The member cannot take part, for this reason.
struct Excused {
  std::string reason;
};

// ---- From the leader.

struct Welcome {
  std::string simd;                    // The instruction set of the run.
  std::vector<std::string> summaries;  // Of the stages that have ended.
};
struct Refused {
  std::string reason;
};
struct Piece {
  std::uint64_t index = 0;
  std::string input;
};
struct Pieces {
  std::uint64_t step = 0;
  std::vector<Piece> pieces;
};
struct StepAbandoned {
  std::uint64_t step = 0;
};
struct StageEnded {
  std::string summary;
};
struct CrewEnded {};

using Message = std::variant<Hello, Ready, Results, Excused, Welcome, Refused,
                             Pieces, StepAbandoned, StageEnded, CrewEnded>;

std::string encode(const Message& message);
// The bytes may be damaged.
Result<Message> decode_message(std::string_view bytes);

}  // namespace lamarck::crew
