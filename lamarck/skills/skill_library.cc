#include "lamarck/skills/skill_library.h"

#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/entropy.h"
#include "lamarck/base/hash.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/unicode.h"
#include "lamarck/skills/internal/skill_evolution.h"
#include "lamarck/skills/internal/skill_search.h"
#include "lamarck/skills/trace_generalization.h"
#include "lamarck/store/redaction.h"
#include "lamarck/text/lexical_embedder.h"

namespace lamarck::skills {
namespace {

constexpr std::size_t kMinSteps = 3;
constexpr double kMinReusability = 0.7;
constexpr std::chrono::seconds kLease{300};
constexpr std::int64_t kMaxAttempts = 20;  // A job that kills its worker.
constexpr std::size_t kMaxTraceBytes = 4'194'304;
constexpr std::size_t kReindexBatch = 64;

Error not_triggered(std::string message) {
  return {ErrorCode::FailedPrecondition, std::move(message)};
}

Result<void> check_trigger(const Trace& trace) {
  if (!trace.reflection.success) {
    return not_triggered("Only a task that succeeded becomes a skill.");
  }
  const std::size_t steps = effective_trace(trace).calls.size();
  if (steps < kMinSteps) {
    return not_triggered(
        fmt::format("A skill needs at least {} successful tool calls, got {}.",
                    kMinSteps, steps));
  }
  if (trace.reflection.reusability < kMinReusability) {
    return not_triggered(
        fmt::format("The reusability must be at least {}, got {}.",
                    kMinReusability, trace.reflection.reusability));
  }
  if (!trace.skills_used.empty()) {
    return not_triggered("The task was solved with an existing skill.");
  }
  return {};
}

double mean(double sum, std::int64_t count) {
  return count == 0 ? 0 : sum / static_cast<double>(count);
}

class StoredSkillLibrary : public SkillLibrary {
 public:
  StoredSkillLibrary(SkillStore& store, SkillLibraryOptions options,
                     Clock& clock)
      : store_(store),
        clock_(clock),
        options_(std::move(options)),
        worker_(to_hex64(entropy_seed())),
        search_(store_, *options_.embedder),
        evolution_(store_, *options_.embedder, search_, options_, clock_) {}

  SkillStore& store() override { return store_; }
  const text::Embedder& embedder() const override { return *options_.embedder; }

  Result<SkillMatches> search(std::string_view org, std::string_view agent_id,
                              std::string_view task, std::size_t limit,
                              const CancelToken& cancel) override {
    std::string agent;
    if (!agent_id.empty()) {
      ASSIGN_OR_RETURN(const AgentRecord record, store_.agent(org, agent_id));
      agent = record.id;
    }
    return search_.search(org, agent, task, limit, cancel);
  }

  Result<Job> learn(std::string_view org, std::string_view agent_id,
                    const Trace& trace) override {
    return learn_many(org, agent_id, {trace});
  }

  Result<Job> learn_many(std::string_view org, std::string_view agent_id,
                         const std::vector<Trace>& traces) override {
    if (traces.empty()) return invalid_argument("There must be a trace.");
    Json list = Json::array();
    for (const Trace& trace : traces) {
      RETURN_IF_ERROR(check_trigger(trace));
      list.push_back(store::redacted_json(to_json(trace)));
    }
    const Json payload = {{"traces", std::move(list)}};
    if (const std::size_t size = dump_json(payload).size();
        size > kMaxTraceBytes) {
      return invalid_argument(
          fmt::format("The traces must have at most {} bytes, got {}.",
                      kMaxTraceBytes, size));
    }
    return store_.queue_evolution(org, agent_id, payload);
  }

  Result<bool> run_one_job(const CancelToken& cancel) override {
    ASSIGN_OR_RETURN(std::optional<Job> job, store_.claim_job(worker_, kLease));
    if (!job) return false;
    if (job->attempts > kMaxAttempts) {
      return end(*job, "failed", "The job was started too often.");
    }
    if (job->kind == "reindex") {
      RETURN_IF_ERROR(reindex(job->org_id, cancel));
      return end(*job, "done", "");
    }
    if (job->kind == "decay") {
      RETURN_IF_ERROR(run_decay());
      return end(*job, "done", "");
    }
    if (job->kind != "evolve") {
      return end(*job, "failed", "Unknown kind of job.");
    }
    ASSIGN_OR_RETURN(const EvolutionFinished finished,
                     evolution_.run(*job, cancel));
    profiler_.send(finished);
    return true;
  }

  Result<SkillUse> begin_use(std::string_view org, std::string_view agent_id,
                             std::string_view skill_id,
                             std::string_view session_id) override {
    ASSIGN_OR_RETURN(const AgentRecord agent, store_.agent(org, agent_id));
    ASSIGN_OR_RETURN(const Skill skill, store_.skill(org, skill_id));
    if (!skill.is_usable()) {
      return Error(
          ErrorCode::FailedPrecondition,
          fmt::format("The skill '{}' cannot be used: it is {}.",
                      skill.definition.name,
                      skill.is_disabled ? "disabled"
                                        : skill_status_name(skill.status)));
    }
    if (skill.agent_id != agent.id && !skill.is_shared) {
      return Error(ErrorCode::PermissionDenied,
                   fmt::format("The skill '{}' belongs to another agent and is "
                               "not shared.",
                               skill.definition.name));
    }
    return store_.record_use(org, {.skill_id = skill.id,
                                   .agent_id = agent.id,
                                   .session_id = std::string(session_id),
                                   .kind = "used"});
  }

  Result<Skill> report_use(std::string_view org, std::string_view use_id,
                           bool success, std::int64_t steps,
                           std::int64_t tokens,
                           std::string_view message) override {
    const std::string safe = truncate_characters(store::redacted(message), 500);
    return store_.report_use(org, use_id, success, steps, tokens, safe);
  }

  Result<SkillLift> lift(std::string_view org,
                         std::string_view skill_id) override {
    ASSIGN_OR_RETURN(const Skill skill, store_.skill(org, skill_id));
    ASSIGN_OR_RETURN(const auto tasks, store_.tasks(org, skill.id, 10'000));
    SkillLift sums;
    for (const TaskRecord& task : tasks) {
      const bool with = task.used_skill;
      ++(with ? sums.with_count : sums.without_count);
      (with ? sums.with_success : sums.without_success) += task.success ? 1 : 0;
      (with ? sums.with_steps : sums.without_steps) +=
          static_cast<double>(task.steps);
      (with ? sums.with_tokens : sums.without_tokens) +=
          static_cast<double>(task.tokens);
    }
    sums.with_success = mean(sums.with_success, sums.with_count);
    sums.with_steps = mean(sums.with_steps, sums.with_count);
    sums.with_tokens = mean(sums.with_tokens, sums.with_count);
    sums.without_success = mean(sums.without_success, sums.without_count);
    sums.without_steps = mean(sums.without_steps, sums.without_count);
    sums.without_tokens = mean(sums.without_tokens, sums.without_count);
    return sums;
  }

  Result<void> run_decay() override {
    ASSIGN_OR_RETURN(const auto organizations, store_.organizations());
    for (const std::string& org : organizations) {
      RETURN_IF_ERROR(store_.mark_cleanup_candidates(org));
    }
    return {};
  }

  Remover use_profiler(
      Profiler<EvolutionFinished>::Function function) override {
    return profiler_.use_profiler(std::move(function));
  }

  // Queues the work that a change of the embedder makes.
  Result<void> queue_reindexing() {
    ASSIGN_OR_RETURN(const auto organizations, store_.organizations());
    for (const std::string& org : organizations) {
      ASSIGN_OR_RETURN(
          const auto outdated,
          store_.outdated_vectors(org, options_.embedder->id(), 1));
      if (outdated.empty()) continue;
      RETURN_IF_ERROR(store_.queue_job(
          {.org_id = org, .kind = "reindex", .payload = Json::object()}));
    }
    return {};
  }

 private:
  Result<bool> end(Job job, std::string state, std::string message) {
    job.state = std::move(state);
    job.message = std::move(message);
    RETURN_IF_ERROR(store_.finish_job(job));
    return true;
  }

  Result<void> reindex(const std::string& org, const CancelToken& cancel) {
    const std::string_view id = options_.embedder->id();
    for (;;) {
      ASSIGN_OR_RETURN(const auto outdated,
                       store_.outdated_vectors(org, id, kReindexBatch));
      if (outdated.empty()) return {};
      std::vector<std::string> texts;
      for (const std::string& skill_id : outdated) {
        ASSIGN_OR_RETURN(const Skill skill, store_.skill(org, skill_id));
        texts.push_back(internal::embedded_text(skill.definition));
      }
      ASSIGN_OR_RETURN(const auto vectors,
                       options_.embedder->embed(texts, cancel));
      for (std::size_t i = 0; i < outdated.size(); ++i) {
        RETURN_IF_ERROR(store_.set_vector(org, outdated[i], id, vectors[i]));
      }
    }
  }

  SkillStore& store_;
  Clock& clock_;
  const SkillLibraryOptions options_;
  const std::string worker_;
  internal::SkillSearch search_;
  internal::SkillEvolution evolution_;
  Profiler<EvolutionFinished> profiler_;
};

}  // namespace

Json to_json(const SkillLift& lift) {
  return {{"with_count", lift.with_count},
          {"without_count", lift.without_count},
          {"with_success", lift.with_success},
          {"without_success", lift.without_success},
          {"with_steps", lift.with_steps},
          {"without_steps", lift.without_steps},
          {"with_tokens", lift.with_tokens},
          {"without_tokens", lift.without_tokens}};
}

Result<std::unique_ptr<SkillLibrary>> SkillLibrary::open(
    SkillStore& store, SkillLibraryOptions options, Clock& clock) {
  if (options.embedder == nullptr) {
    options.embedder = std::make_shared<text::LexicalEmbedder>();
  }
  auto library =
      std::make_unique<StoredSkillLibrary>(store, std::move(options), clock);
  RETURN_IF_ERROR(library->queue_reindexing());
  return std::unique_ptr<SkillLibrary>(std::move(library));
}

}  // namespace lamarck::skills
