// The skills of many organizations: learning from traces, finding what fits a
// task, recording what came of it, and retiring what stops working. The HTTP
// interface, the MCP tools, the command line and the agent all use this class.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/cancel_token.h"
#include "lamarck/base/clock.h"
#include "lamarck/base/profiler.h"
#include "lamarck/base/result.h"
#include "lamarck/llm/chat_model.h"
#include "lamarck/skills/skill_store.h"
#include "lamarck/skills/tool_info.h"
#include "lamarck/skills/trace.h"
#include "lamarck/text/embedder.h"

namespace lamarck::skills {

struct SkillMatch {
  Skill skill;
  double score = 0;          // Combined; 0 to 1.
  double similarity = 0;     // Cosine of the descriptions.
  double success_bound = 0;  // Lower bound of its success rate.
  // Values for parameters that were found in the task's text.
  Json suggested_arguments = Json::object();
};
struct SkillMatches {
  std::vector<SkillMatch> matches;  // Best first; empty = none fits.
  std::string reason;               // Why none fits.
};

// Successes, steps and tokens of tasks with a skill and of those without.
struct SkillLift {
  std::int64_t with_count = 0;
  std::int64_t without_count = 0;
  double with_success = 0;
  double without_success = 0;
  double with_steps = 0;  // Means.
  double without_steps = 0;
  double with_tokens = 0;
  double without_tokens = 0;
};
Json to_json(const SkillLift& lift);

// What happened to one evolution, for metrics and for people who watch.
struct EvolutionFinished {
  static constexpr std::string_view type = "evolution_finished";
  struct Payload {
    std::string org_id;
    std::string agent_id;
    std::string state;  // "done", "failed", "skipped".
    std::string skill_id;
    std::string message;
    double quality = 0;  // 0 if there is no draft.
    double seconds = 0;
    std::int64_t tokens = 0;
  } payload;
};

struct SkillLibraryOptions {
  std::shared_ptr<text::Embedder> embedder;  // Null = the lexical one.
  std::shared_ptr<llm::ChatModel> model;     // Null = extraction by rules.
  FindTool find_tool;  // Tools that skills may use; empty = any, unknown ones
                       // count as dangerous unless their names read only.
};

// Thread safety: all members may be called from any thread.
class SkillLibrary {
 public:
  // `store` and `clock` must outlive the library.
  static Result<std::unique_ptr<SkillLibrary>> open(SkillStore& store,
                                                    SkillLibraryOptions options,
                                                    Clock& clock);
  virtual ~SkillLibrary() = default;

  virtual SkillStore& store() = 0;
  virtual const text::Embedder& embedder() const = 0;

  // At most `limit` usable skills for a task, or none with the reason.
  virtual Result<SkillMatches> search(std::string_view org,
                                      std::string_view agent_id,
                                      std::string_view task, std::size_t limit,
                                      const CancelToken& cancel) = 0;

  // Checks the trigger conditions (success, three steps, reusability, enabled,
  // rate, cooldown) and queues EVOLVE; the error says which does not hold. The
  // trace is redacted before it is stored.
  virtual Result<Job> learn(std::string_view org, std::string_view agent_id,
                            const Trace& trace) = 0;
  // Aligns several traces of one kind: what differs becomes a parameter.
  virtual Result<Job> learn_many(std::string_view org,
                                 std::string_view agent_id,
                                 const std::vector<Trace>& traces) = 0;

  // Runs one queued job; false if there was none. A failure is in the job and
  // the log, not in the result, which reports only a broken store.
  virtual Result<bool> run_one_job(const CancelToken& cancel) = 0;

  // Which skill was used and what came of it.
  virtual Result<SkillUse> begin_use(std::string_view org,
                                     std::string_view agent_id,
                                     std::string_view skill_id,
                                     std::string_view session_id) = 0;
  virtual Result<Skill> report_use(std::string_view org,
                                   std::string_view use_id, bool success,
                                   std::int64_t steps, std::int64_t tokens,
                                   std::string_view message) = 0;
  virtual Result<SkillLift> lift(std::string_view org,
                                 std::string_view skill_id) = 0;

  // The periodic rules of decay for all organizations.
  virtual Result<void> run_decay() = 0;

  virtual Remover use_profiler(
      Profiler<EvolutionFinished>::Function function) = 0;
};

}  // namespace lamarck::skills
