// Describes how a scripted server handles one request.

#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lamarck::llm {

struct ServerScene {
  struct Step {
    std::chrono::milliseconds wait{0};  // Before each piece.
    std::string bytes;
    std::size_t piece_size = 0;  // Bytes per piece; 0 = all at once.
    bool is_endless = false;     // Repeats forever.
  };
  std::vector<Step> steps;
  bool closes = false;  // Closes the connection after the steps.
  bool resets = false;  // Resets the connection after the steps.
};

// A complete HTTP reply. `headers` are lines that end in "\r\n".
ServerScene http_scene(int status, std::string_view body,
                       std::string_view headers = "");
// A chat reply with usage {7, 5}.
ServerScene chat_scene(std::string_view text,
                       std::string_view finish_reason = "stop");
// A chat reply as server-sent events, one for each text.
ServerScene stream_scene(const std::vector<std::string>& texts);
// Waits for `duration`, then plays `after`.
ServerScene stalling_scene(std::chrono::milliseconds duration,
                           ServerScene after);
// Announces more bytes than it sends, then closes.
ServerScene truncated_scene(std::string_view body);
// A reply that never ends.
ServerScene flooding_scene();
// Resets the connection without a reply.
ServerScene resetting_scene();

}  // namespace lamarck::llm
