// Collects the entries of one conversation into traces.

#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "lamarck/base/json.h"
#include "lamarck/skills/trace.h"

namespace lamarck::skills::internal {

// A request by a user starts a new trace; calls and results follow it.
class TraceReader {
 public:
  explicit TraceReader(std::string session) : session_(std::move(session)) {}

  // Takes one entry; false if no format knows it.
  bool read(const Json& entry);
  // The traces with at least one call.
  std::vector<Trace> finish();
  const std::set<std::string>& formats() const { return formats_; }

 private:
  bool read_chat(const Json& entry);
  bool read_session(const Json& entry);
  bool read_rollout(const Json& entry);
  bool read_span(const Json& entry);
  void read_blocks(const Json& content, bool is_user);

  void add_request(const std::string& text);
  void add_answer(const std::string& text);
  void add_call(const std::string& id, const std::string& tool,
                const Json& arguments);
  void add_result(const std::string& id, const Json& result, bool succeeded);

  std::string session_;
  std::set<std::string> formats_;
  std::vector<Trace> traces_;
  // Call id -> trace and position.
  std::map<std::string, std::pair<std::size_t, std::size_t>> open_;
};

}  // namespace lamarck::skills::internal
