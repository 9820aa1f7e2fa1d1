#include "lamarck/problems/program_folder.h"

#include <algorithm>
#include <array>
#include <optional>
#include <fmt/format.h>

#include "lamarck/base/file.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"

namespace lamarck::problems {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFunctionMark = "# lamarck: evolve";
constexpr std::uint64_t kMaxBytes = std::uint64_t{64} << 20;  // Per folder.

struct BlockMarks {
  std::string_view begin;
  std::string_view end;
};
constexpr std::array kBlockMarks = {
    BlockMarks{"# EVOLVE-START", "# EVOLVE-END"},
    BlockMarks{"# EVOLVE-BLOCK-START", "# EVOLVE-BLOCK-END"},
};

Error wrong(std::string_view name, std::string_view message) {
  return Error(ErrorCode::InvalidArgument,
               fmt::format("{}: {}", name, message));
}

struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// Finds the lines that contain only `mark`.
std::vector<Span> find_marks(std::string_view text, std::string_view mark) {
  std::vector<Span> found;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size() - 1);
    std::string_view line = text.substr(begin, end + 1 - begin);
    const std::size_t first = line.find_first_not_of(" \t");
    const std::size_t last = line.find_last_not_of(" \t\r\n");
    if (first != std::string_view::npos && last != std::string_view::npos &&
        line.substr(first, last + 1 - first) == mark) {
      found.push_back({begin, end + 1});
    }
    begin = end + 1;
  }
  return found;
}

// Returns the span from the first statement after the mark, which may be a
// decorator, to the end of the function body.
std::optional<Span> find_function_after(std::string_view text,
                                        std::size_t mark) {
  const auto lines = python_lines(text);
  auto line = std::ranges::find_if(
      lines, [&](const PythonLine& one) { return one.begin >= mark; });
  if (line == lines.end() || line->indent != 0) return std::nullopt;
  Span span{line->begin, line->end};
  while (line != lines.end() && line->tokens[0] == "@") ++line;
  if (line == lines.end() || python_function(*line).name.empty()) {
    return std::nullopt;
  }
  span.end = line->end;
  for (++line; line != lines.end() && line->indent > 0; ++line) {
    span.end = line->end;
  }
  return span;
}

Result<Span> evolved_span(std::string_view text, std::string_view name) {
  std::vector<Span> spans;
  for (const BlockMarks& marks : kBlockMarks) {
    const auto begins = find_marks(text, marks.begin);
    const auto ends = find_marks(text, marks.end);
    if (begins.size() != ends.size() ||
        (!begins.empty() && begins[0].end > ends[0].begin)) {
      return wrong(
          name, fmt::format("each line '{}' must be followed by a line '{}'.",
                            marks.begin, marks.end));
    }
    for (std::size_t i = 0; i < begins.size(); ++i) {
      spans.push_back({begins[i].end, ends[i].begin});
    }
  }
  for (const Span& mark : find_marks(text, kFunctionMark)) {
    const auto span = find_function_after(text, mark.end);
    if (!span) {
      return wrong(name,
                   fmt::format("there is no function below '{}'; put that "
                               "line right above a 'def' that is not "
                               "indented.",
                               kFunctionMark));
    }
    spans.push_back(*span);
  }
  if (spans.size() == 1) return spans[0];
  return wrong(name, spans.empty()
                         ? fmt::format("no part is marked to evolve; put the "
                                       "line '{}' above a function.",
                                       kFunctionMark)
                         : fmt::format("exactly one part must be marked to "
                                       "evolve, got {}.",
                                       spans.size()));
}

Result<std::string> read_part(const fs::path& folder, const char* name,
                              const char* what) {
  auto text = read_file(folder / name, kMaxBytes);
  if (text || text.error().code() != ErrorCode::NotFound) return text;
  return Error(ErrorCode::InvalidArgument,
               fmt::format("The folder {} must contain {}, {}; see "
                           "docs/howto/evolve-a-program.md.",
                           folder.string(), name, what));
}

// Hidden files and caches are not copied into the sandbox.
bool is_other_file(const fs::path& relative) {
  for (const fs::path& part : relative) {
    if (part.string().starts_with(".") || part == "__pycache__") return false;
  }
  return relative != "program.py" && relative != "evaluate.py" &&
         relative != "problem.md";
}

Result<std::vector<SandboxFile>> read_other_files(const fs::path& folder) {
  std::vector<SandboxFile> files;
  std::uint64_t bytes = 0;
  std::error_code failure;
  for (fs::recursive_directory_iterator entry(folder, failure), end;
       !failure && entry != end; entry.increment(failure)) {
    const fs::path relative = entry->path().lexically_relative(folder);
    if (!entry->is_regular_file() || !is_other_file(relative)) continue;
    ASSIGN_OR_RETURN(std::string content, read_file(entry->path(), kMaxBytes));
    bytes += content.size();
    files.push_back({relative.generic_string(), std::move(content), false});
    if (bytes > kMaxBytes) {
      return Error(ErrorCode::InvalidArgument,
                   fmt::format("The folder {} must not exceed {} MiB, because "
                               "every evaluation gets a copy; move files that "
                               "it does not need.",
                               folder.string(), kMaxBytes >> 20));
    }
  }
  std::ranges::sort(files, {}, &SandboxFile::name);
  return files;
}

}  // namespace

std::string ProgramText::with(std::string_view source) const {
  std::string text = before;
  text += source;
  if (!text.ends_with('\n')) text += '\n';
  return text + after;
}

Result<ProgramText> read_program_text(std::string_view text,
                                      std::string_view name) {
  ASSIGN_OR_RETURN(const Span span, evolved_span(text, name));
  ProgramText program{
      .before = std::string(text.substr(0, span.begin)),
      .evolved = std::string(text.substr(span.begin, span.end - span.begin)),
      .after = std::string(text.substr(span.end))};
  for (const PythonLine& line : python_lines(program.evolved)) {
    if (line.indent == 0) program.function = python_function(line);
    if (!program.function.name.empty()) return program;
  }
  return wrong(name, "the marked part has no function; define one with 'def'.");
}

Result<ProgramFolder> read_program_folder(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) {
    return Error(ErrorCode::NotFound,
                 fmt::format("{} is not a folder; give one that contains "
                             "program.py and evaluate.py.",
                             in_quotes(path.string())));
  }
  ProgramFolder folder{.path = path};
  ASSIGN_OR_RETURN(const std::string text,
                   read_part(path, "program.py", "the program that evolves"));
  ASSIGN_OR_RETURN(folder.program,
                   read_program_text(text, (path / "program.py").string()));
  ASSIGN_OR_RETURN(
      folder.evaluate,
      read_part(path, "evaluate.py", "the function that scores a program"));
  if (auto problem = read_file(path / "problem.md", kMaxBytes)) {
    folder.problem = *std::move(problem);
  }
  ASSIGN_OR_RETURN(folder.files, read_other_files(path));
  return folder;
}

}  // namespace lamarck::problems
