#include "lamarck/llm/internal/event_stream.h"

#include <utility>

namespace lamarck::llm::internal {

std::vector<std::string> EventStream::feed(std::string_view bytes) {
  std::vector<std::string> events;
  for (std::size_t end = bytes.find('\n'); end != std::string_view::npos;
       end = bytes.find('\n')) {
    line_ += bytes.substr(0, end);
    bytes.remove_prefix(end + 1);
    take_line(line_, events);
    line_.clear();
  }
  line_ += bytes;
  return events;
}

std::vector<std::string> EventStream::finish() {
  std::vector<std::string> events;
  take_line(std::exchange(line_, {}), events);
  take_line("", events);
  return events;
}

void EventStream::take_line(std::string_view line,
                            std::vector<std::string>& events) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.empty()) {
    if (has_data_) events.push_back(std::exchange(data_, {}));
    has_data_ = false;
    return;
  }
  constexpr std::string_view kField = "data:";
  if (!line.starts_with(kField)) return;
  line.remove_prefix(kField.size());
  if (line.starts_with(' ')) line.remove_prefix(1);
  if (has_data_) data_ += '\n';
  data_ += line;
  has_data_ = true;
}

}  // namespace lamarck::llm::internal
