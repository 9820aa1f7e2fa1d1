// The texts that a tool-calling model may write, byte by byte: calls of known
// tools whose arguments have the right types and known values.
//
//   [{"name":"book","arguments":{"city":"Oslo","nights":3}}]

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/json.h"
#include "lamarck/base/result.h"
#include "lamarck/text/needle/byte_trie.h"
#include "lamarck/text/needle/value_literals.h"

namespace lamarck::text {

struct CallParameter {
  std::string name;
  bool is_required = false;
  bool is_list = false;
  bool is_open = false;  // Its values are literals, not choices of the schema.
  std::vector<std::string> values;  // JSON texts; of a list, its elements.
};
struct CallTool {
  std::string name;
  std::vector<CallParameter> parameters;
};

// The parameters of a JSON Schema, each with the literals of its type: strings,
// numbers, integers, booleans, enums and lists of them. Optional parameters of
// other types, or for which there is no value, are left out; for required ones
// there are no values, so that the tool cannot be called. Fails if a required
// parameter has another type.
Result<CallTool> make_call_tool(const std::string& name, const Json& schema,
                                const ValueLiterals& literals);

class CallGrammar {
 public:
  struct Options {
    bool must_call = false;     // Else "[]" is possible.
    std::size_t max_calls = 1;  // At least 1.
  };
  // A tool with a required parameter without values is left out.
  CallGrammar(std::vector<CallTool> tools, Options options);

  // Whether anything can be written.
  bool is_possible() const { return !openings_.is_empty(); }

  enum class Phase : std::uint8_t { Opening, Key, Value, Closing, End };
  struct Position {
    Phase phase = Phase::Opening;
    std::int32_t tool = 0;
    std::int32_t parameter = 0;  // In Key: the next; else the current one.
    std::int32_t node = 0;
    std::int32_t elements = 0;  // Of the current list.
    std::int32_t calls = 0;
    std::int32_t last_parameter = -1;  // Whose value was written last,
    std::int32_t last_value = -1;      // and its index.

    friend bool operator==(const Position&, const Position&) = default;
  };
  // Where `bytes` lead; nullopt if they cannot be written there.
  std::optional<Position> advance(Position from, std::string_view bytes) const;
  static bool is_end(const Position& position) {
    return position.phase == Phase::End;
  }

  // Removes the text that was written last, and those that overlap with it,
  // from the values of the call's further parameters, because a request seldom
  // means the same words twice. A parameter keeps its last values.
  void use_up_last_value(const Position& position);
  const CallTool& tool(std::int32_t index) const {
    return tools_[static_cast<std::size_t>(index)].tool;
  }

 private:
  struct Grown {
    CallTool tool;
    std::vector<ByteTrie> keys;    // Of each position, and the end.
    std::vector<ByteTrie> values;  // Of each parameter.
  };

  std::optional<Position> step(Position from, char byte) const;
  std::optional<Position> step_value(Position from, char byte) const;
  void grow_keys(Grown& grown) const;

  std::vector<Grown> tools_;
  ByteTrie openings_;  // Of the first call; values are tools, or "[]".
  ByteTrie closings_;  // "}]", or a further call.
  Options options_;
};

}  // namespace lamarck::text
