#include "lamarck/agent/internal/mcp_event_reader.h"

#include <charconv>
#include <utility>

namespace lamarck::agent::internal {

std::vector<std::string> McpEventReader::feed(std::string_view bytes) {
  std::vector<std::string> events;
  for (const char c : bytes) {
    const bool is_second = c == '\n' && was_return_;
    was_return_ = c == '\r';
    if (is_second) continue;
    if (c == '\n' || c == '\r') {
      take_line(events);
    } else {
      line_ += c;
    }
  }
  return events;
}

void McpEventReader::restart() {
  line_.clear();
  data_.clear();
  has_data_ = false;
  was_return_ = false;
}

void McpEventReader::take_line(std::vector<std::string>& events) {
  const std::string line = std::exchange(line_, "");
  if (line.empty()) {
    if (has_data_ && !data_.empty()) events.push_back(std::move(data_));
    data_.clear();
    has_data_ = false;
    return;
  }
  const std::size_t colon = line.find(':');
  const std::string_view name = std::string_view(line).substr(0, colon);
  std::string_view value;
  if (colon != std::string::npos) {
    value = std::string_view(line).substr(colon + 1);
  }
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (name == "data") {
    if (has_data_) data_ += '\n';
    data_ += value;
    has_data_ = true;
  } else if (name == "id") {
    last_id_ = value;
  } else if (name == "retry") {
    int milliseconds = 0;
    const auto [end, error] = std::from_chars(
        value.data(), value.data() + value.size(), milliseconds);
    if (error == std::errc() && end == value.data() + value.size()) {
      retry_ = std::chrono::milliseconds(milliseconds);
    }
  }
}

}  // namespace lamarck::agent::internal
