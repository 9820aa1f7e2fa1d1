#include "lamarck/skills/internal/skill_evolution.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/skills/skill_deduplication.h"
#include "lamarck/skills/skill_extraction.h"
#include "lamarck/skills/skill_judgement.h"
#include "lamarck/skills/skill_quality.h"
#include "lamarck/skills/skill_replay.h"
#include "lamarck/skills/skill_safety.h"

namespace lamarck::skills::internal {
namespace {

constexpr double kAutoApproveQuality = 0.8;
constexpr std::size_t kMaxEvalBytes = 131'072;

// A draft that is not registered for a good reason, rather than by a failure.
Error skip(std::string reason) {
  return {ErrorCode::FailedPrecondition, std::move(reason), {{"skip", "yes"}}};
}

// What a failed request to the model cost.
std::int64_t tokens_of(const Error& error) {
  const auto tokens = error.fields().find("tokens");
  return tokens == error.fields().end() ? 0 : std::stoll(tokens->second);
}

Result<std::vector<Trace>> job_traces(const Job& job) {
  ASSIGN_OR_RETURN(const Json list, json_field<Json>(job.payload, "traces"));
  std::vector<Trace> traces;
  for (const Json& item : list) {
    ASSIGN_OR_RETURN(Trace trace, parse_trace(item));
    traces.push_back(std::move(trace));
  }
  if (traces.empty()) return invalid_argument("The job has no trace.");
  return traces;
}

}  // namespace

struct SkillEvolution::Attempt {
  const Job& job;
  AgentRecord agent;
  std::vector<Trace> traces;
  SkillDraft draft;
  std::vector<float> embedding;
  std::string replaces;
  std::string novelty;      // Why it is new or what it is merged with.
  std::string judge;        // Who judged the quality, and why.
  std::int64_t tokens = 0;  // Of the extraction.
  std::int64_t validation_tokens = 0;
  std::chrono::nanoseconds stage_start{0};

  const std::string& session() const { return traces[0].session_id; }
};

Result<void> SkillEvolution::log(const Attempt& attempt, Stage stage,
                                 StageStatus status, Json output,
                                 const std::string& message,
                                 std::int64_t tokens) {
  const auto passed = std::chrono::duration_cast<std::chrono::milliseconds>(
      clock_.elapsed() - attempt.stage_start);
  return store_.add_log(attempt.job.org_id,
                        {.agent_id = attempt.agent.id,
                         .session_id = attempt.session(),
                         .stage = stage,
                         .status = status,
                         .input_data = {{"job_id", attempt.job.id}},
                         .output_data = std::move(output),
                         .error_message = message,
                         .duration_ms = passed.count(),
                         .tokens_used = tokens});
}

Result<void> SkillEvolution::extract(Attempt& attempt,
                                     const CancelToken& cancel) {
  Result<Extraction> extraction =
      extract_skill(attempt.traces, options_.model.get(), cancel);
  if (!extraction) {
    attempt.tokens = tokens_of(extraction.error());
    return extraction.error();
  }
  attempt.draft = std::move(extraction->draft);
  attempt.tokens = extraction->tokens;
  return {};
}

Result<void> SkillEvolution::find_novelty(Attempt& attempt,
                                          const CancelToken& cancel) {
  const std::string& org = attempt.job.org_id;
  ASSIGN_OR_RETURN(auto vectors,
                   embedder_.embed({embedded_text(attempt.draft)}, cancel));
  attempt.embedding = std::move(vectors[0]);
  ASSIGN_OR_RETURN(const auto matches,
                   search_.similar(org, attempt.agent.id, attempt.embedding,
                                   embedder_.thresholds().fits));
  std::vector<SimilarSkill> similar;
  for (const auto& match : matches) {
    ASSIGN_OR_RETURN(Skill skill, store_.skill(org, match.key));
    similar.push_back({std::move(skill), match.similarity});
  }
  Novelty novelty = judge_novelty(attempt.draft, attempt.traces, similar);
  attempt.novelty = novelty.reason;
  if (novelty.kind == Novelty::Kind::Covered) {
    return skip(std::move(novelty.reason));
  }
  if (novelty.kind == Novelty::Kind::Merge) {
    attempt.replaces = novelty.skill_id;
    attempt.draft = std::move(novelty.merged);
    ASSIGN_OR_RETURN(auto merged,
                     embedder_.embed({embedded_text(attempt.draft)}, cancel));
    attempt.embedding = std::move(merged[0]);
  }
  return {};
}

// By the model if there is one; by the rubric if not, or if the model fails.
Result<void> SkillEvolution::judge(Attempt& attempt,
                                   const CancelToken& cancel) {
  SkillDraft& draft = attempt.draft;
  draft.quality_score = quality_score(draft, attempt.traces);
  draft.reusability_score = std::max(draft.reusability_score,
                                     attempt.traces[0].reflection.reusability);
  attempt.judge = "rubric";
  if (options_.model != nullptr) {
    const auto judged = judge_skill(draft, *options_.model, cancel);
    RETURN_IF_ERROR(cancel.check());
    if (judged) {
      draft.quality_score = judged->quality;
      draft.reusability_score = judged->reusability;
      attempt.validation_tokens = judged->tokens;
      attempt.judge = "model: " + judged->reason;
    } else {
      attempt.validation_tokens = tokens_of(judged.error());
      attempt.judge = "rubric, because: " + judged.error().message();
    }
  }
  const double min_quality = attempt.agent.evolution.min_quality_score;
  if (draft.quality_score < min_quality) {
    return skip(fmt::format("The quality {:.2f} is below {:.2f}.",
                            draft.quality_score, min_quality));
  }
  return {};
}

Result<void> SkillEvolution::validate(Attempt& attempt,
                                      const CancelToken& cancel) {
  RETURN_IF_ERROR(check_draft(attempt.draft));
  RETURN_IF_ERROR(find_novelty(attempt, cancel));
  RETURN_IF_ERROR(check_draft(attempt.draft));
  RETURN_IF_ERROR(
      check_capabilities(attempt.draft, attempt.agent, options_.find_tool));
  RETURN_IF_ERROR(check_untainted(attempt.draft, attempt.traces));
  return judge(attempt, cancel);
}

Result<Skill> SkillEvolution::register_and_index(Attempt& attempt) {
  SkillStore::Registration registration;
  Skill& skill = registration.skill;
  skill.org_id = attempt.job.org_id;
  skill.agent_id = attempt.agent.id;
  skill.session_id = attempt.session();
  skill.definition = attempt.draft;
  std::erase_if(
      skill.definition.evals.get_ref<Json::array_t&>(),
      [](const Json& eval) { return dump_json(eval).size() > kMaxEvalBytes; });
  const bool is_good = attempt.draft.quality_score >= kAutoApproveQuality;
  skill.status = is_good && attempt.agent.evolution.auto_approve
                     ? SkillStatus::AutoApproved
                     : SkillStatus::PendingReview;
  registration.embedder_id = embedder_.id();
  registration.embedding = attempt.embedding;
  registration.job_id = attempt.job.id;
  registration.replaces = attempt.replaces;
  for (const Stage stage : {Stage::Register, Stage::Index}) {
    for (const StageStatus status :
         {StageStatus::Started, StageStatus::Completed}) {
      registration.logs.push_back(
          {.agent_id = attempt.agent.id,
           .session_id = attempt.session(),
           .stage = stage,
           .status = status,
           .input_data = {{"job_id", attempt.job.id}},
           .output_data = {{"status", skill_status_name(skill.status)},
                           {"embedder", embedder_.id()}}});
    }
  }
  return store_.register_skill(registration);
}

Result<EvolutionFinished> SkillEvolution::run(const Job& job,
                                              const CancelToken& cancel) {
  EvolutionFinished finished;
  auto& report = finished.payload;
  report.org_id = job.org_id;
  report.agent_id = job.agent_id;
  const auto start = clock_.elapsed();
  const auto end = [&](std::string state, std::string message) {
    report.state = std::move(state);
    report.message = std::move(message);
    report.seconds =
        std::chrono::duration<double>(clock_.elapsed() - start).count();
  };
  const auto end_job = [&](const Error& error) -> Result<EvolutionFinished> {
    const bool is_cancelled = error.code() == ErrorCode::Cancelled;
    Job ended = job;
    ended.state = is_cancelled                      ? "queued"
                  : error.fields().contains("skip") ? "skipped"
                                                    : "failed";
    ended.message = error.message();
    RETURN_IF_ERROR(store_.finish_job(ended));
    if (is_cancelled) return error;
    end(ended.state, ended.message);
    return finished;
  };

  Result<AgentRecord> agent = store_.agent(job.org_id, job.agent_id);
  if (!agent) return end_job(agent.error());
  Result<std::vector<Trace>> traces = job_traces(job);
  if (!traces) return end_job(traces.error());
  Attempt attempt{
      .job = job, .agent = std::move(*agent), .traces = std::move(*traces)};
  using StageFunction =
      Result<void> (SkillEvolution::*)(Attempt&, const CancelToken&);
  const std::pair<Stage, StageFunction> stages[] = {
      {Stage::Extract, &SkillEvolution::extract},
      {Stage::Validate, &SkillEvolution::validate}};
  for (const auto& [stage, function] : stages) {
    attempt.stage_start = clock_.elapsed();
    RETURN_IF_ERROR(log(attempt, stage, StageStatus::Started, {}, "", 0));
    const Result<void> done = (this->*function)(attempt, cancel);
    report.tokens = attempt.tokens + attempt.validation_tokens;
    report.quality = attempt.draft.quality_score;
    const std::int64_t tokens =
        stage == Stage::Extract ? attempt.tokens : attempt.validation_tokens;
    if (!done) {
      const bool is_skip = done.error().fields().contains("skip");
      RETURN_IF_ERROR(log(attempt, stage,
                          is_skip ? StageStatus::Skipped : StageStatus::Failed,
                          {}, done.error().message(), tokens));
      return end_job(done.error());
    }
    RETURN_IF_ERROR(log(attempt, stage, StageStatus::Completed,
                        {{"name", attempt.draft.name},
                         {"quality_score", attempt.draft.quality_score},
                         {"judge", attempt.judge},
                         {"novelty", attempt.novelty}},
                        "", tokens));
  }
  ASSIGN_OR_RETURN(const Skill skill, register_and_index(attempt));
  report.skill_id = skill.id;
  end("done", attempt.novelty);
  return finished;
}

}  // namespace lamarck::skills::internal
