#include "lamarck/archipelago/llm_code_blocks.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/archipelago/llm_source.h"
#include "lamarck/base/json.h"

namespace lamarck::archipelago {
namespace {

// Bounds the time spent on a reply of unlimited length.
constexpr std::size_t kMaxReplySize = 128 * 1024;

std::string replaced(std::string_view text, std::string_view from,
                     std::string_view to) {
  std::string result;
  std::size_t done = 0;
  for (std::size_t at = text.find(from); at != std::string_view::npos;
       at = text.find(from, done)) {
    result += text.substr(done, at - done);
    result += to;
    done = at + from.size();
  }
  result += text.substr(done);
  return result;
}

// The closing tag may come without the opening one: some servers put the
// opening tag into the prompt.
std::string without_reasoning(std::string text) {
  for (const std::string word : {"think", "thinking", "reasoning"}) {
    const std::string close = "</" + word + ">";
    const std::size_t end = text.rfind(close);
    if (end != std::string::npos) text.erase(0, end + close.size());
    const std::size_t begin = text.find("<" + word + ">");
    if (begin != std::string::npos) text.erase(begin);
  }
  return text;
}

bool looks_like_code(std::string_view text) {
  return text.find("def ") != std::string_view::npos ||
         text.find("return ") != std::string_view::npos;
}

// Returns the first string of a JSON object that looks like code.
std::optional<std::string> code_in_json(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \n");
  if (begin == std::string_view::npos || text[begin] != '{') {
    return std::nullopt;
  }
  const auto json = parse_json(text, {.depth = 16});
  if (!json || !json->is_object()) return std::nullopt;
  for (const Json& value : *json) {
    if (!value.is_string()) continue;
    auto code = value.get<std::string>();
    if (looks_like_code(code)) return code;
  }
  return std::nullopt;
}

// Returns "```" or "~~~" if the line starts with it after spaces, else "".
std::string_view find_fence(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  for (const std::string_view fence : {"```", "~~~"}) {
    if (line.starts_with(fence)) return fence;
  }
  return "";
}

}  // namespace

std::string clean_reply(std::string_view reply) {
  std::string text = replaced(reply.substr(0, kMaxReplySize), "\r\n", "\n");
  text = replaced(text, "\r", "\n");
  text = replaced(text, "\xc2\xa0", " ");      // No-break space.
  text = replaced(text, "\xe2\x88\x92", "-");  // Minus sign U+2212.
  text = without_reasoning(std::move(text));
  if (auto code = code_in_json(text)) return std::move(*code);
  return text;
}

std::vector<std::string> fenced_blocks(std::string_view text) {
  std::vector<std::string> blocks;
  std::string_view fence;  // Fence of the open block; empty outside blocks.
  for (const std::string& line : source_lines(text)) {
    const std::string_view begins = find_fence(line);
    if (fence.empty()) {
      if (begins.empty()) continue;
      fence = begins;
      blocks.emplace_back();
    } else if (begins == fence) {
      fence = "";
    } else {
      // Some models put the closing fence at the end of the last line.
      const std::size_t end = line.find(fence);
      blocks.back() += line.substr(0, end) + "\n";
      if (end != std::string::npos) fence = "";
    }
  }
  return blocks;
}

std::vector<std::string> inline_code(std::string_view text) {
  std::vector<std::string> found;
  for (const std::string& line : source_lines(text)) {
    std::size_t begin = line.find('`');
    while (begin != std::string::npos) {
      const std::size_t end = line.find('`', begin + 1);
      if (end == std::string::npos) break;
      if (end > begin + 1) {
        found.push_back(line.substr(begin + 1, end - begin - 1));
      }
      begin = line.find('`', end + 1);
    }
  }
  return found;
}

}  // namespace lamarck::archipelago
