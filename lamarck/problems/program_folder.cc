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

Result<std::vector<Span>> evolved_spans(std::string_view text,
                                        std::string_view name) {
  std::vector<Span> spans;
  for (const BlockMarks& marks : kBlockMarks) {
    const auto begins = find_marks(text, marks.begin);
    const auto ends = find_marks(text, marks.end);
    bool is_paired = begins.size() == ends.size();
    for (std::size_t i = 0; is_paired && i < begins.size(); ++i) {
      is_paired = begins[i].end <= ends[i].begin &&
                  (i == 0 || ends[i - 1].end <= begins[i].begin);
      spans.push_back({begins[i].end, ends[i].begin});
    }
    if (!is_paired) {
      return wrong(
          name, fmt::format("each line '{}' must be followed by a line '{}'.",
                            marks.begin, marks.end));
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
  std::ranges::sort(spans, {}, &Span::begin);
  if (spans.empty()) {
    return wrong(name, fmt::format("no part is marked to evolve; put the line "
                                   "'{}' above a function.",
                                   kFunctionMark));
  }
  for (std::size_t i = 1; i < spans.size(); ++i) {
    if (spans[i - 1].end <= spans[i].begin) continue;
    return wrong(name, "parts that are marked to evolve must not overlap.");
  }
  return spans;
}

PythonFunction first_function(std::string_view text) {
  for (const PythonLine& line : python_lines(text)) {
    PythonFunction function;
    if (line.indent == 0) function = python_function(line);
    if (!function.name.empty()) return function;
  }
  return {};
}

// Divides a source at the functions that parts begin with. The result has a
// text for each part; it is empty if the source lacks the function.
std::vector<std::string> divided(std::string_view source,
                                 const std::vector<ProgramPart>& parts) {
  std::vector<std::string> texts(parts.size());
  std::size_t done = 0;  // Up to here the source is divided.
  std::size_t last = 0;  // The part of the last function that was found.
  std::size_t end = 0;   // The end of that function.
  bool is_marked = false;
  const auto take = [&](std::size_t to) {
    texts[last].append(source.substr(done, to - done));
    done = to;
  };
  for (const PythonLine& line : python_lines(source)) {
    if (line.indent > 0) {
      if (is_marked) end = line.end;
      continue;
    }
    if (is_marked) take(end);
    const std::string name = python_function(line).name;
    const auto part = std::ranges::find_if(parts, [&](const auto& each) {
      return !name.empty() && each.function.name == name;
    });
    is_marked = part != parts.end();
    if (!is_marked) continue;
    last = static_cast<std::size_t>(part - parts.begin());
    end = line.end;
  }
  take(source.size());
  return texts;
}

std::string joined_parts(const std::vector<ProgramPart>& parts) {
  if (parts.size() == 1) return parts[0].text;
  std::string text;
  for (const ProgramPart& part : parts) {
    if (!text.empty()) text += text.ends_with('\n') ? "\n\n" : "\n\n\n";
    text += part.text;
  }
  return text;
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
// evaluate.py is, if it belongs to a command.
bool is_other_file(const fs::path& relative, bool has_command) {
  for (const fs::path& part : relative) {
    if (part.string().starts_with(".") || part == "__pycache__") return false;
  }
  if (relative == "evaluate.py") return has_command;
  return relative != "program.py" && relative != "problem.md" &&
         relative != kProblemSettingsFile;
}

Result<std::vector<SandboxFile>> read_other_files(const fs::path& folder,
                                                  bool has_command) {
  std::vector<SandboxFile> files;
  std::uint64_t bytes = 0;
  std::error_code failure;
  for (fs::recursive_directory_iterator entry(folder, failure), end;
       !failure && entry != end; entry.increment(failure)) {
    const fs::path relative = entry->path().lexically_relative(folder);
    if (!entry->is_regular_file() || !is_other_file(relative, has_command)) {
      continue;
    }
    ASSIGN_OR_RETURN(std::string content, read_file(entry->path(), kMaxBytes));
    bytes += content.size();
    const bool is_executable = (entry->status().permissions() &
                                fs::perms::owner_exec) != fs::perms::none;
    files.push_back(
        {relative.generic_string(), std::move(content), is_executable});
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
  std::vector<std::string> texts;
  if (parts.size() == 1) {
    texts.emplace_back(source);
  } else if (source == evolved) {
    for (const ProgramPart& part : parts) texts.push_back(part.text);
  } else {
    texts = divided(source, parts);
  }
  std::string text = before;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    text += texts[i];
    if (!text.ends_with('\n')) text += '\n';
    text += parts[i].after;
  }
  return text;
}

Result<ProgramText> read_program_text(std::string_view text,
                                      std::string_view name) {
  ASSIGN_OR_RETURN(const std::vector<Span> spans, evolved_spans(text, name));
  ProgramText program{.before = std::string(text.substr(0, spans[0].begin))};
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const auto [begin, end] = spans[i];
    const std::size_t next =
        i + 1 < spans.size() ? spans[i + 1].begin : text.size();
    ProgramPart part{
        .text = std::string(text.substr(begin, end - begin)),
        .function = first_function(text.substr(begin, end - begin)),
        .after = std::string(text.substr(end, next - end))};
    if (part.function.name.empty()) {
      return wrong(name,
                   "the marked part has no function; define one with 'def'.");
    }
    program.parts.push_back(std::move(part));
  }
  program.evolved = joined_parts(program.parts);
  return program;
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
  ASSIGN_OR_RETURN(folder.settings, read_problem_settings(path));
  const bool has_command = !folder.settings.evaluate.empty();
  if (!has_command) {
    ASSIGN_OR_RETURN(
        folder.evaluate,
        read_part(path, "evaluate.py", "the function that scores a program"));
  }
  if (auto problem = read_file(path / "problem.md", kMaxBytes)) {
    folder.problem = *std::move(problem);
  }
  ASSIGN_OR_RETURN(folder.files, read_other_files(path, has_command));
  return folder;
}

}  // namespace lamarck::problems
