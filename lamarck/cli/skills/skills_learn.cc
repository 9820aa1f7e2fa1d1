// `lamarck skills learn`: reads traces from files and learns a skill from each.

#include <chrono>
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

namespace lamarck::cli {
namespace {

Result<void> add_traces(const Json& json, std::vector<skills::Trace>& traces) {
  if (json.is_array()) {
    for (const Json& item : json) RETURN_IF_ERROR(add_traces(item, traces));
    return {};
  }
  ASSIGN_OR_RETURN(skills::Trace trace, skills::parse_trace(json));
  traces.push_back(std::move(trace));
  return {};
}

// A file has one trace, a list of them, or one per line.
Result<std::vector<skills::Trace>> read_traces(const std::string& file) {
  ASSIGN_OR_RETURN(const std::string text, read_file(file));
  std::vector<skills::Trace> traces;
  if (const Result<Json> whole = parse_json(text)) {
    const Result<void> added = add_traces(*whole, traces);
    if (!added) return added.error().within(in_quotes(file));
  } else {
    std::size_t number = 0;
    for (const std::string_view line : split_text(text, '\n')) {
      ++number;
      if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
      const std::string place =
          fmt::format("{} line {}", in_quotes(file), number);
      const Result<Json> json = parse_json(line);
      if (!json) return json.error().within(place);
      const Result<void> added = add_traces(*json, traces);
      if (!added) return added.error().within(place);
    }
  }
  if (!traces.empty()) return traces;
  return invalid_argument(in_quotes(file) + " has no traces.");
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

std::string job_text(const std::string& file, const skills::Job& job) {
  const std::string name = one_line(file);
  if (job.state == "done") {
    return fmt::format("{}: learned {}.\n", name, job.skill_id);
  }
  return fmt::format("{}: {}: {}\n", name, job.state,
                     one_line(job.message, 500));
}

}  // namespace

Result<void> learn_skills(const SkillsContext& skills) {
  const std::string name = skills.flags.agent.empty()
                               ? std::string(server::kDefaultAgent)
                               : skills.flags.agent;
  ASSIGN_OR_RETURN(const skills::AgentRecord agent,
                   server::ensure_agent(skills.store, skills.flags.org, name));
  Json list = Json::array();
  std::string text;
  for (const std::string& file : skills.flags.files) {
    ASSIGN_OR_RETURN(const auto traces, read_traces(file));
    ASSIGN_OR_RETURN(
        const skills::Job queued,
        traces.size() == 1
            ? skills.library.learn(skills.flags.org, agent.id, traces.front())
            : skills.library.learn_many(skills.flags.org, agent.id, traces));
    ASSIGN_OR_RETURN(const skills::Job job, finished_job(skills, queued.id));
    Json entry = to_json(job);
    entry["file"] = file;
    list.push_back(std::move(entry));
    text += job_text(file, job);
  }
  skills.print({{"jobs", std::move(list)}}, text);
  return {};
}

}  // namespace lamarck::cli
