// Reads the server-sent events of an MCP server.

#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lamarck::agent::internal {

// The input may be split anywhere.
class McpEventReader {
 public:
  // The data of the events that are now complete.
  std::vector<std::string> feed(std::string_view bytes);

  // For resuming a stream that ended early.
  const std::string& last_id() const { return last_id_; }
  std::optional<std::chrono::milliseconds> retry() const { return retry_; }
  // Starts a new stream; keeps the last id.
  void restart();
  // Bytes of an event that is not complete yet.
  std::size_t pending_bytes() const { return line_.size() + data_.size(); }

 private:
  void take_line(std::vector<std::string>& events);

  std::string line_;
  std::string data_;
  bool has_data_ = false;
  bool was_return_ = false;  // The last byte was '\r', so '\n' is no new line.
  std::string last_id_;
  std::optional<std::chrono::milliseconds> retry_;
};

}  // namespace lamarck::agent::internal
