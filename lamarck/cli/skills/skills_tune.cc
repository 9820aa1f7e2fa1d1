// `lamarck skills tune`.

#include <algorithm>
#include <string>
#include <vector>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/agent/routing_planner.h"
#include "lamarck/base/file.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/cli/model_settings.h"
#include "lamarck/cli/skills/skills_context.h"
#include "lamarck/skills/skill_tuning.h"
#include "lamarck/text/make_embedder.h"

namespace lamarck::cli {
namespace {

constexpr std::size_t kMaxOthers = 4;  // Skills that are offered beside it.

// Usable skills of the same agent, by id.
Result<std::vector<skills::Skill>> other_skills(const SkillsContext& skills,
                                                const skills::Skill& tuned) {
  skills::SkillFilter filter;
  filter.limit = 100;
  filter.agent_id = tuned.agent_id;
  ASSIGN_OR_RETURN(skills::SkillPage page,
                   skills.store.skills(skills.flags.org, filter));
  std::erase_if(page.skills, [&](const skills::Skill& one) {
    return one.id == tuned.id || !one.is_usable();
  });
  std::ranges::sort(page.skills, {}, &skills::Skill::id);
  if (page.skills.size() > kMaxOthers) {
    page.skills.erase(page.skills.begin() + kMaxOthers, page.skills.end());
  }
  return page.skills;
}

Result<std::vector<skills::TuningCase>> collect_cases(
    const SkillsContext& skills, const skills::Skill& tuned,
    const std::vector<skills::Skill>& others) {
  std::vector<skills::TuningCase> cases =
      skills::learned_cases(tuned.definition, true);
  for (const skills::Skill& other : others) {
    for (auto& one : skills::learned_cases(other.definition, false)) {
      cases.push_back(std::move(one));
    }
  }
  for (const std::string& file : skills.flags.files) {
    ASSIGN_OR_RETURN(const std::string text, read_file(file));
    auto more = skills::parse_tuning_cases(text);
    if (!more) {
      return Error(more.error().code(), fmt::format("{}: {}", one_line(file),
                                                    more.error().message()));
    }
    cases.insert(cases.end(), more->begin(), more->end());
  }
  return cases;
}

// Offers the skill among the others, as an agent with a small model does. A
// request that the search would not find the skill for is not right either.
class WordingTrial {
 public:
  WordingTrial(const skills::Skill& tuned, std::vector<skills::Skill> others,
               llm::ChatModel& model, text::Embedder& embedder,
               const CancelToken& cancel)
      : tuned_(tuned),
        others_(std::move(others)),
        model_(model),
        embedder_(embedder),
        cancel_(cancel) {}

  Result<skills::TrialOutcome> run(const skills::SkillWording& wording,
                                   const skills::TuningCase& one) const {
    std::vector<skills::Skill> offered = others_;
    offered.push_back(tuned_);
    offered.back().definition.name = wording.name;
    offered.back().definition.description = wording.description;
    llm::ChatRequest request;
    request.messages = {{.role = llm::Role::User, .text = one.request}};
    request.tools = agent::skill_functions(offered);
    request.max_tokens = 256;
    const std::string name = request.tools.back().name;
    ASSIGN_OR_RETURN(const llm::ChatReply reply,
                     model_.complete(request, cancel_));
    ASSIGN_OR_RETURN(
        const auto vectors,
        embedder_.embed({wording.description, one.request}, cancel_));
    double similarity = 0;
    for (std::size_t i = 0; i < vectors[0].size(); ++i) {
      similarity += double{vectors[0][i]} * double{vectors[1][i]};
    }
    const bool is_chosen =
        !reply.tool_calls.empty() && reply.tool_calls[0].name == name;
    const bool is_found = similarity >= embedder_.thresholds().fits;
    return skills::TrialOutcome{.is_right = (is_chosen && is_found) == one.fits,
                                .tokens = reply.usage.total()};
  }

 private:
  const skills::Skill& tuned_;
  std::vector<skills::Skill> others_;
  llm::ChatModel& model_;
  text::Embedder& embedder_;
  const CancelToken& cancel_;
};

// Stores the new wording as the next version; the old one stays in the history.
Result<skills::Skill> store_wording(const SkillsContext& skills,
                                    const skills::Skill& tuned,
                                    const skills::SkillWording& wording,
                                    text::Embedder& embedder) {
  ASSIGN_OR_RETURN(const auto vectors, embedder.embed({wording.description},
                                                      skills.context.cancel));
  skills::SkillStore::Registration registration;
  registration.skill = tuned;
  registration.skill.definition.name = wording.name;
  registration.skill.definition.description = wording.description;
  registration.embedder_id = embedder.id();
  registration.embedding = vectors.front();
  registration.replaces = tuned.id;
  return skills.store.register_skill(registration);
}

std::string report_text(const skills::TuningReport& report,
                        std::int64_t version) {
  std::string text = fmt::format(
      "Training   {} -> {} of {} requests right\n"
      "Held out   {} -> {} of {} requests right\n"
      "Cost       {} trials, {} tokens\n",
      report.training_before, report.training_after, report.training_cases,
      report.held_out_before, report.held_out_after, report.held_out_cases,
      report.trials, report.tokens);
  if (!report.is_better()) {
    return text +
           "The wording stays, because no other is better on the "
           "held-out requests.\n";
  }
  return text + fmt::format("Version {}: {}\n           {}\n", version,
                            one_line(report.after.name),
                            one_line(report.after.description, 500));
}

}  // namespace

Result<void> tune_skill(const SkillsContext& skills) {
  ASSIGN_OR_RETURN(const skills::Skill tuned,
                   skills.store.skill(skills.flags.org, skills.flags.id));
  ASSIGN_OR_RETURN(const ModelSettings settings,
                   model_settings(skills.context.settings));
  ASSIGN_OR_RETURN(const auto model,
                   open_model(settings, skills.context.clock));
  ASSIGN_OR_RETURN(const auto embedder, text::make_embedder({}));
  ASSIGN_OR_RETURN(const auto others, other_skills(skills, tuned));
  ASSIGN_OR_RETURN(const auto cases, collect_cases(skills, tuned, others));
  const WordingTrial trial(tuned, others, *model, *embedder,
                           skills.context.cancel);
  Rng rng(static_cast<std::uint64_t>(skills.flags.seed));
  ASSIGN_OR_RETURN(
      const skills::TuningReport report,
      skills::tune_wording(
          tuned.definition, cases, {.generations = skills.flags.generations},
          [&](const auto& wording, const auto& one) {
            return trial.run(wording, one);
          },
          rng, skills.context.cancel));
  std::int64_t version = tuned.version;
  if (report.is_better()) {
    ASSIGN_OR_RETURN(const skills::Skill stored,
                     store_wording(skills, tuned, report.after, *embedder));
    version = stored.version;
  }
  Json json = to_json(report);
  json["id"] = tuned.id;
  json["version"] = version;
  skills.print(json, report_text(report, version));
  return {};
}

}  // namespace lamarck::cli
