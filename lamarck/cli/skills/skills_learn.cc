// `lamarck skills learn`: reads traces from files and learns a skill from each
// kind of task.

#include <algorithm>
#include <chrono>
#include <iterator>
#include <string>
#include <utility>
#include <vector>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/file.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/string_split.h"
#include "lamarck/cli/skills/skills_context.h"
#include "lamarck/server/skill_service.h"
#include "lamarck/skills/trace_files.h"

namespace lamarck::cli {
namespace {

// Traces with the same sequence of tools, which are of one kind.
struct TraceGroup {
  std::string tools;
  std::vector<skills::Trace> traces;
};

std::vector<TraceGroup> group_traces(std::vector<skills::Trace> traces) {
  std::vector<TraceGroup> groups;
  for (skills::Trace& trace : traces) {
    std::vector<std::string> names;
    for (const skills::ToolCall& call : trace.calls) names.push_back(call.tool);
    const std::string tools = join_text(names, ", ");
    const auto found = std::ranges::find(groups, tools, &TraceGroup::tools);
    if (found != groups.end()) {
      found->traces.push_back(std::move(trace));
    } else {
      groups.push_back({tools, {}});
      groups.back().traces.push_back(std::move(trace));
    }
  }
  return groups;
}

// Runs queued jobs, perhaps of others, until this one has ended.
Result<skills::Job> finished_job(const SkillsContext& skills,
                                 const std::string& id) {
  while (true) {
    RETURN_IF_ERROR(skills.context.cancel.check());
    ASSIGN_OR_RETURN(const skills::Job job,
                     skills.store.job(skills.flags.org, id));
    if (job.state != "queued" && job.state != "running") return job;
    ASSIGN_OR_RETURN(const bool ran,
                     skills.library.run_one_job(skills.context.cancel));
    // A server may be running it.
    if (!ran) skills.context.cancel.wait_for(std::chrono::milliseconds(50));
  }
}

Result<skills::Job> learn_group(const SkillsContext& skills,
                                const skills::AgentRecord& agent,
                                const TraceGroup& group) {
  const auto& [tools, traces] = group;
  Result<skills::Job> queued =
      traces.size() == 1
          ? skills.library.learn(skills.flags.org, agent.id, traces.front())
          : skills.library.learn_many(skills.flags.org, agent.id, traces);
  if (queued) return finished_job(skills, queued->id);
  const ErrorCode code = queued.error().code();
  const bool is_refused = code == ErrorCode::FailedPrecondition ||
                          code == ErrorCode::BudgetExceeded;
  if (!is_refused) return queued;
  // The other traces may still be worth learning from.
  return skills::Job{.agent_id = agent.id,
                     .kind = "evolve",
                     .state = "skipped",
                     .message = queued.error().message()};
}

std::string job_text(const TraceGroup& group, const skills::Job& job) {
  const std::string what = fmt::format("{} trace{} of {}", group.traces.size(),
                                       group.traces.size() == 1 ? "" : "s",
                                       one_line(group.tools, 200));
  if (job.state == "done") {
    return fmt::format("{}: learned {}\n", what, job.skill_id);
  }
  return fmt::format("{}: {}: {}\n", what, job.state,
                     one_line(job.message, 500));
}

}  // namespace

Result<void> learn_skills(const SkillsContext& skills) {
  std::vector<skills::Trace> traces;
  std::size_t unknown = 0;
  std::size_t redactions = 0;
  for (const std::string& file : skills.flags.files) {
    ASSIGN_OR_RETURN(const std::string bytes, read_file(file));
    ASSIGN_OR_RETURN(skills::TraceFile read,
                     skills::read_trace_text(bytes, file));
    std::ranges::move(read.traces, std::back_inserter(traces));
    unknown += read.unknown_lines;
    redactions += read.redactions;
  }
  const std::string name = skills.flags.agent.empty()
                               ? std::string(server::kDefaultAgent)
                               : skills.flags.agent;
  ASSIGN_OR_RETURN(const skills::AgentRecord agent,
                   server::ensure_agent(skills.store, skills.flags.org, name));
  Json list = Json::array();
  std::string text;
  for (const TraceGroup& group : group_traces(std::move(traces))) {
    ASSIGN_OR_RETURN(const skills::Job job, learn_group(skills, agent, group));
    list.push_back(to_json(job));
    text += job_text(group, job);
  }
  if (unknown > 0) {
    text += fmt::format("{} entries were not understood.\n", unknown);
  }
  if (redactions > 0) {
    text += fmt::format("{} texts contained secrets, which were removed.\n",
                        redactions);
  }
  skills.print({{"jobs", std::move(list)},
                {"unknown_lines", unknown},
                {"redactions", redactions}},
               text);
  return {};
}

}  // namespace lamarck::cli
