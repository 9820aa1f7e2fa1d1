#include "lamarck/archipelago/llm_edits.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "lamarck/archipelago/llm_source.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"

namespace lamarck::archipelago {
namespace {

using Lines = std::vector<std::string>;

constexpr std::size_t kMinMarkSize = 5;

// Whether the line is a mark of at least five `symbol`s and then `word`.
bool is_mark(std::string_view line, char symbol, std::string_view word) {
  const std::size_t size =
      std::min(line.find_first_not_of(symbol), line.size());
  if (size < kMinMarkSize) return false;
  std::string_view rest = line.substr(size);
  while (!rest.empty() && (rest.front() == ' ' || rest.front() == '\t')) {
    rest.remove_prefix(1);
  }
  while (!rest.empty() && (rest.back() == ' ' || rest.back() == '\r')) {
    rest.remove_suffix(1);
  }
  return rest == word;
}

std::string without_end_spaces(const std::string& line) {
  return line.substr(0, line.find_last_not_of(" \t\r") + 1);
}

std::string joined(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

Lines without_blank_ends(Lines lines) {
  while (!lines.empty() && is_blank(lines.back())) lines.pop_back();
  const auto first = std::ranges::find_if_not(
      lines, [](const std::string& line) { return is_blank(line); });
  lines.erase(lines.begin(), first);
  return lines;
}

struct Match {
  std::size_t first = 0;  // Index of a line.
  std::string indent;     // To add before each line of the replacement.
};

// The first line of `wanted` may be less indented than that of the source, if
// all its lines are so by the same spaces.
std::optional<std::string> missing_indent(const std::string& line,
                                          const std::string& wanted) {
  if (!line.ends_with(wanted)) return std::nullopt;
  std::string indent = line.substr(0, line.size() - wanted.size());
  return is_blank(indent) ? std::optional(indent) : std::nullopt;
}

std::optional<Match> match_at(const Lines& source, std::size_t first,
                              const Lines& wanted, bool shifts) {
  if (first + wanted.size() > source.size()) return std::nullopt;
  std::optional<std::string> indent;
  if (!shifts) indent = "";
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const std::string line = without_end_spaces(source[first + i]);
    const std::string searched = without_end_spaces(wanted[i]);
    if (line.empty() && searched.empty()) continue;
    if (!indent) indent = missing_indent(line, searched);
    if (!indent || line != *indent + searched) return std::nullopt;
  }
  return Match{first, indent.value_or("")};
}

std::vector<Match> find_matches(const Lines& source, const Lines& wanted) {
  std::vector<Match> found;
  for (const bool shifts : {false, true}) {
    for (std::size_t i = 0; i < source.size(); ++i) {
      if (auto match = match_at(source, i, wanted, shifts)) {
        found.push_back(*std::move(match));
      }
    }
    if (!found.empty()) break;
  }
  return found;
}

Result<Lines> apply_edit(Lines source, const SourceEdit& edit,
                         std::size_t number) {
  const Lines wanted = without_blank_ends(source_lines(edit.search));
  Lines lines = without_blank_ends(source_lines(edit.replace));
  if (wanted.empty()) {
    source.insert(source.end(), lines.begin(), lines.end());
    return source;
  }
  const std::vector<Match> matches = find_matches(source, wanted);
  if (matches.size() != 1) {
    return Error(
        ErrorCode::InvalidArgument,
        fmt::format("The SEARCH lines of edit {} must occur exactly once in "
                    "the program, but they occur {} times; they begin with {}.",
                    number, matches.size(), in_quotes(wanted.front(), 80)));
  }
  for (std::string& line : lines) {
    if (!line.empty()) line.insert(0, matches[0].indent);
  }
  const auto at =
      source.begin() + static_cast<std::ptrdiff_t>(matches[0].first);
  const auto rest =
      source.erase(at, at + static_cast<std::ptrdiff_t>(wanted.size()));
  source.insert(rest, lines.begin(), lines.end());
  return source;
}

// The name that a definition or a function gives a value; empty for others.
std::string defined_name(const SourceBlock& block) {
  if (block.kind == SourceKind::Function) return block.name;
  if (block.kind != SourceKind::Definition) return "";
  const std::string text =
      block.text.starts_with("class ") ? block.text.substr(6) : block.text;
  return text.substr(0, text.find_first_of(" \t:=([,"));
}

}  // namespace

std::vector<SourceEdit> find_edits(std::string_view reply) {
  std::vector<SourceEdit> edits;
  enum class Place { Outside, Search, Replace } place = Place::Outside;
  SourceEdit edit;
  for (const std::string& line : source_lines(reply)) {
    if (is_mark(line, '<', "SEARCH")) {
      edit = {};
      place = Place::Search;
    } else if (place == Place::Search && is_mark(line, '=', "")) {
      place = Place::Replace;
    } else if (place == Place::Replace && is_mark(line, '>', "REPLACE")) {
      edits.push_back(std::exchange(edit, {}));
      place = Place::Outside;
    } else if (place == Place::Search) {
      edit.search += line + "\n";
    } else if (place == Place::Replace) {
      edit.replace += line + "\n";
    }
  }
  return edits;
}

Result<std::string> apply_edits(std::string_view source,
                                const std::vector<SourceEdit>& edits) {
  Lines lines = source_lines(source);
  for (std::size_t i = 0; i < edits.size(); ++i) {
    ASSIGN_OR_RETURN(lines, apply_edit(std::move(lines), edits[i], i + 1));
  }
  return joined(lines);
}

std::string merged_source(std::string_view whole, std::string_view part) {
  std::vector<SourceBlock> blocks = source_blocks(whole);
  auto first =
      std::ranges::find(blocks, SourceKind::Function, &SourceBlock::kind);
  std::size_t place = static_cast<std::size_t>(first - blocks.begin());
  for (SourceBlock& added : source_blocks(part)) {
    if (added.kind == SourceKind::Other) continue;
    const std::string name = defined_name(added);
    const auto same = std::ranges::find_if(blocks, [&](const auto& block) {
      return name.empty() ? block.text == added.text
                          : defined_name(block) == name;
    });
    if (same != blocks.end()) {
      same->text = std::move(added.text);
      continue;
    }
    blocks.insert(blocks.begin() + static_cast<std::ptrdiff_t>(place++),
                  std::move(added));
  }
  std::string text;
  for (const SourceBlock& block : blocks) {
    const bool is_function = block.kind == SourceKind::Function;
    if (is_function && !text.empty() && !text.ends_with("\n\n")) text += "\n\n";
    text += block.text;
  }
  return text;
}

}  // namespace lamarck::archipelago
