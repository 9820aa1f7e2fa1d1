// What a scripted server does with one request.

#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lamarck::llm {

struct ServerScene {
  struct Step {
    std::chrono::milliseconds wait{0};  // Before the bytes, and each piece.
    std::string bytes;
    std::size_t piece_size = 0;  // Sent in pieces of so many; 0: at once.
    bool is_endless = false;     // Again and again.
  };
  std::vector<Step> steps;
  bool closes = false;  // The connection, when the steps are done.
  bool resets = false;  // Likewise, without a goodbye.
};

// A whole HTTP answer. `headers` are lines that end in "\r\n".
ServerScene http_scene(int status, std::string_view body,
                       std::string_view headers = "");
// A chat answer with usage {7, 5}.
ServerScene chat_scene(std::string_view text,
                       std::string_view finish_reason = "stop");
// Likewise as server-sent events, one for each text.
ServerScene stream_scene(const std::vector<std::string>& texts);
// Says nothing for so long, then plays `after`.
ServerScene stalling_scene(std::chrono::milliseconds duration,
                           ServerScene after);
// Promises more bytes than it sends, then closes.
ServerScene truncated_scene(std::string_view body);
// An answer that never ends.
ServerScene flooding_scene();
// Hangs up without a word.
ServerScene resetting_scene();

}  // namespace lamarck::llm
