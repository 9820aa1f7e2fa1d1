#include "lamarck/problems/python_skeleton.h"

#include <algorithm>
#include <fmt/format.h>

#include "lamarck/base/ensure.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/problems/python_skeleton_lines.h"

namespace lamarck::problems {
namespace {

std::string shown(const PythonFunction& function) {
  return fmt::format(
      "{}({})", one_line(function.name),
      one_line(fmt::format("{}", fmt::join(function.arguments, ", "))));
}

Error wrong(std::string reason) {
  return Error(ErrorCode::InvalidArgument, std::move(reason));
}

std::vector<PythonFunction> find_functions(const std::string& source) {
  std::vector<PythonFunction> functions;
  for (const PythonLine& line : python_lines(source)) {
    if (line.indent != 0) continue;
    PythonFunction function = python_function(line);
    if (!function.name.empty()) functions.push_back(std::move(function));
  }
  return functions;
}

// Renames `from` to `to`, except within strings and comments.
std::string renamed(const std::string& source, const std::string& from,
                    const std::string& to) {
  std::string text;
  std::size_t done = 0;
  for (const PythonLine& line : python_lines(source)) {
    for (const std::string_view token : line.tokens) {
      if (token != from) continue;
      const auto at = static_cast<std::size_t>(token.data() - source.data());
      text.append(source, done, at - done).append(to);
      done = at + token.size();
    }
  }
  return text.append(source, done);
}

// Renames the only function of the text if just its name differs.
Result<std::string> with_wanted_name(const std::string& source,
                                     const PythonFunction& wanted) {
  const std::vector<PythonFunction> functions = find_functions(source);
  if (std::ranges::find(functions, wanted.name, &PythonFunction::name) !=
      functions.end()) {
    return source;
  }
  if (functions.size() == 1 && functions[0].arguments == wanted.arguments) {
    return renamed(source, functions[0].name, wanted.name);
  }
  return wrong(fmt::format("The text must define {}.", shown(wanted)));
}

// Without this, a part of the program could become empty.
Result<void> check_defined(const std::vector<PythonFunction>& functions,
                           const PythonFunction& wanted) {
  if (std::ranges::find(functions, wanted.name, &PythonFunction::name) !=
      functions.end()) {
    return {};
  }
  return wrong(fmt::format("The text must define {}.", shown(wanted)));
}

Result<void> check_arguments(const std::vector<PythonFunction>& functions,
                             const PythonFunction& wanted) {
  // In Python the last definition wins.
  const auto found =
      std::find_if(functions.rbegin(), functions.rend(),
                   [&](const auto& one) { return one.name == wanted.name; });
  if (found == functions.rend()) {
    return wrong(fmt::format("The text must define {}.", shown(wanted)));
  }
  if (found->arguments == wanted.arguments) return {};
  return wrong(
      fmt::format("The text must define {} with the same arguments, got {}.",
                  shown(wanted), shown(*found)));
}

}  // namespace

PythonSkeleton::PythonSkeleton(std::shared_ptr<const ProgramRunner> runner,
                               std::string source)
    : runner_(std::move(runner)),
      source_(std::move(source)),
      hash_(python_hash(source_)) {}

Result<std::vector<double>> PythonSkeleton::call(
    std::span<const std::vector<double>> arguments) const {
  std::size_t count = arguments.empty() ? 0 : 1;
  for (const auto& column : arguments) count = std::max(count, column.size());
  std::vector<std::vector<double>> rows(count);
  for (const auto& column : arguments) {
    REQUIRE(column.size() == count || column.size() == 1,
            "PythonSkeleton::call: columns must have length 1 or {}, got {}.",
            count, column.size());
    for (std::size_t i = 0; i < count; ++i) {
      rows[i].push_back(column[column.size() == 1 ? 0 : i]);
    }
  }
  return runner_->call(source_, rows);
}

ReplyReader python_skeleton_reader(
    std::shared_ptr<const ProgramRunner> runner) {
  return [runner = std::move(runner)](
             const std::string& text) -> Result<archipelago::SkeletonPtr> {
    const ProgramText& program = runner->folder().program;
    std::string source = text;
    if (program.parts.size() == 1) {
      ASSIGN_OR_RETURN(source, with_wanted_name(text, program.function()));
    }
    const auto own = find_functions(source);
    for (const ProgramPart& part : program.parts) {
      RETURN_IF_ERROR(check_defined(own, part.function));
    }
    ASSIGN_OR_RETURN(const auto functions, runner->functions(source));
    for (const ProgramPart& part : program.parts) {
      RETURN_IF_ERROR(check_arguments(functions, part.function));
    }
    return archipelago::SkeletonPtr(
        std::make_shared<const PythonSkeleton>(runner, std::move(source)));
  };
}

}  // namespace lamarck::problems
