// Parses server-sent events incrementally.

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lamarck::llm::internal {

// The input may be split anywhere, even inside a line end or a character.
class EventStream {
 public:
  // Returns the data of the events that are now complete, without comments,
  // names and events without data.
  std::vector<std::string> feed(std::string_view bytes);
  // Call at the end of the input. Returns a last event that lacks its empty
  // line.
  std::vector<std::string> finish();

 private:
  void take_line(std::string_view line, std::vector<std::string>& events);

  std::string line_;  // Not complete yet.
  std::string data_;  // Data of the current event.
  bool has_data_ = false;
};

}  // namespace lamarck::llm::internal
