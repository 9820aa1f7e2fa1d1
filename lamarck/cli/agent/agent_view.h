// What `lamarck agent` prints: the trace of a run as it happens, and lists.

#pragma once

#include <cstddef>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/agent/agent_run.h"
#include "lamarck/base/json.h"
#include "lamarck/skills/agent_record.h"
#include "lamarck/store/event.h"

namespace lamarck::cli {

// Prints one line per event that a person wants to see; what other agents do is
// indented. Results come from tools, so they are made safe for a terminal.
class AgentTrace {
 public:
  explicit AgentTrace(std::ostream& out) : out_(out) {}
  void show(std::string_view type, const Json& data);

 private:
  std::ostream& line(const Json& data);
  void show_plan(const Json& data);
  void show_call_end(const Json& data);
  void show_offer(const Json& data);
  void show_learning(const Json& data);

  std::ostream& out_;
  // The calls that are being made, by the depth of their run: while another
  // agent works, the call that delegated to it is open.
  std::map<std::size_t, std::string> calls_;
};

std::string agent_list_text(const std::vector<skills::AgentRecord>& agents);
std::string agent_text(const skills::AgentRecord& agent,
                       const std::vector<store::Run>& runs);
std::string agent_run_text(const agent::AgentRun& run);
// The messages that the model was sent, with the tokens of each.
std::string agent_context_text(const agent::AgentRun& run);
Json agent_context_json(const agent::AgentRun& run);

}  // namespace lamarck::cli
