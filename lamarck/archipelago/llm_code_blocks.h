// Finds the parts of a model's reply that may be code.

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lamarck::archipelago {

// Removes the model's reasoning (<think>) and replaces line ends, spaces and
// minus signs by their ASCII forms. If the whole reply is a JSON object with
// code, returns that code. Reads only the first 128 KiB.
std::string clean_reply(std::string_view reply);

// Returns the text between fences of ``` or ~~~. The last block need not be
// closed.
std::vector<std::string> fenced_blocks(std::string_view text);

// Returns the text between single backticks within a line.
std::vector<std::string> inline_code(std::string_view text);

}  // namespace lamarck::archipelago
