// The command line of a run that another program starts.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/json.h"
#include "lamarck/base/result.h"
#include "lamarck/runs/run_summary.h"

namespace lamarck::runs {

// One option that a client may give; its flag is "--" and the name with "-".
struct RunOption {
  std::string_view name;   // "test_split".
  std::string_view kinds;  // "net fn".
  enum class Type : std::uint8_t { Text, Integer, Number, Flag } type;
  std::string_view summary;
};
std::span<const RunOption> run_options();

struct RunRequest {
  std::string kind;               // net, fn or neat.
  Json options = Json::object();  // {"target": "y", "budget": "30s"}.
  std::string data;               // Path of the table; "" = none.
};

// The words after "lamarck" except for --out, --db and --run-id. Fails with
// InvalidArgument, naming the option, for one that the kind does not have or
// that has another type.
Result<std::vector<std::string>> make_run_words(const RunRequest& request);

// One line that says what the run is for.
std::string make_run_goal(const RunRequest& request, const std::string& table);

// The words that resume a run in its folder; empty if it must start over.
std::vector<std::string> make_resume_words(const RunSummary& summary);

}  // namespace lamarck::runs
