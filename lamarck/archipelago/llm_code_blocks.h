// The parts of a model's reply that may be code.

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lamarck::archipelago {

// Without the model's thoughts aloud (<think>), with plain line ends, spaces
// and minus signs; the text within, if the whole is a JSON object with code.
// Only the first 128 KiB are looked at.
std::string cleaned_reply(std::string_view reply);

// What stands between fences of ``` or ~~~; the last one may lack its end.
std::vector<std::string> fenced_blocks(std::string_view text);

// What stands between single backticks within a line.
std::vector<std::string> inline_code(std::string_view text);

}  // namespace lamarck::archipelago
