// Server-sent events, taken apart as their bytes come.

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lamarck::llm::internal {

// Bytes may be split anywhere, also within a line end or a character.
class EventStream {
 public:
  // The data of the events that are complete now. Comments, names and empty
  // events are left out.
  std::vector<std::string> feed(std::string_view bytes);
  // What is left when nothing more comes: a last event without its empty line.
  std::vector<std::string> finish();

 private:
  void take_line(std::string_view line, std::vector<std::string>& events);

  std::string line_;  // Not complete yet.
  std::string data_;  // Of the event under way.
  bool has_data_ = false;
};

}  // namespace lamarck::llm::internal
