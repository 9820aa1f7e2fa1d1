#include "lamarck/cli/settings_file.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "lamarck/base/file.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/string_split.h"
#include "lamarck/base/suggestion.h"
#include "lamarck/cli/settings.h"

namespace lamarck::cli {
namespace {

constexpr std::size_t kMaxBytes = 1 << 20;
constexpr std::ptrdiff_t kMaxDots = 16;  // In a key.

using FileSettings = std::map<std::string, FileSetting, std::less<>>;

Error at_line(const std::filesystem::path& path, std::size_t line,
              const std::string& what) {
  return {ErrorCode::InvalidArgument,
          fmt::format("{}, line {}: {}", path.string(), line, what),
          {{"file", path.string()}, {"line", std::to_string(line)}}};
}

std::string unknown_key(const std::string& key) {
  std::vector<std::string> keys;
  for (const Setting& setting : kSettings) keys.emplace_back(setting.key);
  const auto nearest = nearest_word(key, keys);
  return fmt::format("unknown setting '{}'{}", key,
                     nearest ? fmt::format("; did you mean '{}'?", *nearest)
                             : "; `lamarck doctor` lists all settings.");
}

// Limits the dots of a key: each may open a nested table, into which the parser
// recurses, so a long key could overflow the stack.
Result<void> require_shallow(std::string_view text,
                             const std::filesystem::path& path) {
  std::size_t line = 0;
  for (const std::string_view content : split_text(text, '\n')) {
    ++line;
    const std::string_view key = content.substr(0, content.find('='));
    if (std::ranges::count(key, '.') > kMaxDots) {
      return at_line(path, line,
                     fmt::format("the key has more than {} dots.", kMaxDots));
    }
  }
  return {};
}

bool is_setting(std::string_view key) {
  return std::ranges::any_of(
      kSettings, [&](const Setting& setting) { return setting.key == key; });
}

// Whether `key` is a table of settings, such as `llm` for llm.model.
bool is_table(const std::string& key) {
  return std::ranges::any_of(kSettings, [&](const Setting& setting) {
    return setting.key.starts_with(key + ".");
  });
}

// Adds the entries of `table`, whose keys begin with `prefix`, to `found`.
Result<void> collect(const toml::table& table, const std::string& prefix,
                     const std::filesystem::path& path, FileSettings& found) {
  for (const auto& [name, node] : table) {
    const std::string key = prefix + std::string(name.str());
    const std::size_t line = node.source().begin.line;
    if (const toml::table* inner = node.as_table()) {
      if (!is_table(key)) return at_line(path, line, unknown_key(key));
      RETURN_IF_ERROR(collect(*inner, key + ".", path, found));
      continue;
    }
    if (!is_setting(key)) return at_line(path, line, unknown_key(key));
    if (const auto* text = node.as_string()) {
      found[key] = {text->get(), line};
    } else if (const auto* number = node.as_integer()) {
      found[key] = {std::to_string(number->get()), line};
    } else {
      return at_line(path, line,
                     fmt::format("'{}' must be a string or an integer.", key));
    }
  }
  return {};
}

}  // namespace

Result<FileSettings> read_settings_file(const std::filesystem::path& path) {
  ASSIGN_OR_RETURN(const std::string text, read_file(path, kMaxBytes));
  RETURN_IF_ERROR(require_shallow(text, path));
  try {
    FileSettings found;
    const toml::table table = toml::parse(text, path.string());
    RETURN_IF_ERROR(collect(table, "", path, found));
    return found;
  } catch (const toml::parse_error& error) {
    return at_line(path, error.source().begin.line,
                   std::string(error.description()) + ".");
  }
}

}  // namespace lamarck::cli
