#include "lamarck/agent/tool_registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "lamarck/base/ascii.h"
#include "lamarck/base/clock.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/suggestion.h"
#include "lamarck/schema/lenient_arguments.h"

namespace lamarck::agent {
namespace {

bool is_tool_name(std::string_view name) {
  return !name.empty() && name.size() <= 128 &&
         std::ranges::all_of(name, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                  (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
         });
}

// Cancels `source` after `time` unless it is destroyed before.
class TimeLimit {
 public:
  TimeLimit(CancelSource& source, std::chrono::milliseconds time)
      : thread_([this, &source, time] {
          if (!done_.token().wait_for(time)) {
            has_passed_ = true;
            source.cancel("The time limit of the tool has passed.");
          }
        }) {}
  ~TimeLimit() { stop(); }

  // Returns whether the time had passed.
  bool stop() {
    done_.cancel("done");
    if (thread_.joinable()) thread_.join();
    return has_passed_;
  }

 private:
  CancelSource done_;
  std::atomic<bool> has_passed_ = false;
  std::thread thread_;
};

}  // namespace

Result<void> ToolRegistry::add(Tool tool) {
  const std::string name = tool.info.name;
  if (!is_tool_name(name)) {
    return invalid_argument(
        "The name of a tool must have 1 to 128 letters, digits, '_', '-' or "
        "'.', got " +
        in_quotes(name) + ".");
  }
  if (entries_.contains(name)) {
    return Error(ErrorCode::AlreadyExists,
                 "There is already a tool " + in_quotes(name) + ".");
  }
  auto schema = schema::JsonSchema::compile(tool.info.input_schema);
  if (!schema) return schema.error().within("The schema of tool " + name);
  entries_.emplace(name, Entry{std::move(tool), std::move(*schema)});
  return {};
}

const Tool* ToolRegistry::find(std::string_view name) const {
  const auto found = entries_.find(name);
  return found == entries_.end() ? nullptr : &found->second.tool;
}

std::vector<const Tool*> ToolRegistry::tools() const {
  std::vector<const Tool*> all;
  for (const auto& [name, entry] : entries_) all.push_back(&entry.tool);
  return all;
}

skills::FindTool ToolRegistry::finder() const {
  return [this](std::string_view name) -> std::optional<skills::ToolInfo> {
    const Tool* tool = find(name);
    if (tool == nullptr) return std::nullopt;
    return tool->info;
  };
}

Result<Json> ToolRegistry::checked_arguments(std::string_view name,
                                             const Json& arguments) const {
  const auto found = entries_.find(name);
  if (found == entries_.end()) {
    std::vector<std::string> names;
    for (const auto& [known, entry] : entries_) names.push_back(known);
    const auto nearest = nearest_word(name, names);
    return Error(ErrorCode::NotFound,
                 "There is no tool " + in_quotes(name) +
                     (nearest ? "; did you mean '" + *nearest + "'?" : "."));
  }
  const Entry& entry = found->second;
  Json given =
      schema::lenient_arguments(arguments, entry.tool.info.input_schema);
  RETURN_IF_ERROR(
      entry.schema.check(given, "The arguments of " + std::string(name)));
  return given;
}

Result<Json> ToolRegistry::call(std::string_view name, const Json& arguments,
                                const CancelToken& cancel) const {
  ASSIGN_OR_RETURN(const Json given, checked_arguments(name, arguments));
  RETURN_IF_ERROR(cancel.check());
  const Tool& tool = *find(name);
  CancelSource source(cancel);
  TimeLimit limit(source, tool.limits.time);
  Result<Json> result =
      tool.run(given, {.cancel = source.token(), .limits = tool.limits});
  const bool is_late = limit.stop();
  if (!result && is_late && !cancel.is_cancelled()) {
    return Error(ErrorCode::Timeout,
                 fmt::format("{} did not finish within {}.", name,
                             to_readable(tool.limits.time)));
  }
  if (!result) return result.error();
  const std::size_t size = dump_json(*result).size();
  if (size > tool.limits.output_bytes) {
    return Error(
        ErrorCode::BudgetExceeded,
        fmt::format("The result of {} must have at most {} bytes, got {}; ask "
                    "for less.",
                    name, tool.limits.output_bytes, size));
  }
  return result;
}

}  // namespace lamarck::agent
