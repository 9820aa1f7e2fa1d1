// EVOLVE: EXTRACT, VALIDATE, REGISTER and INDEX of one job.

#pragma once

#include "lamarck/skills/internal/skill_search.h"
#include "lamarck/skills/skill_library.h"

namespace lamarck::skills::internal {

class SkillEvolution {
 public:
  // All references must outlive it.
  SkillEvolution(SkillStore& store, text::Embedder& embedder,
                 SkillSearch& search, const SkillLibraryOptions& options,
                 Clock& clock)
      : store_(store),
        embedder_(embedder),
        search_(search),
        options_(options),
        clock_(clock) {}

  // Ends the job as done, failed or skipped. Fails only if the store does, or
  // with Cancelled; then the job is queued again.
  Result<EvolutionFinished> run(const Job& job, const CancelToken& cancel);

 private:
  struct Attempt;

  Result<void> extract(Attempt& attempt, const CancelToken& cancel);
  Result<void> validate(Attempt& attempt, const CancelToken& cancel);
  Result<void> judge(Attempt& attempt, const CancelToken& cancel);
  Result<void> find_novelty(Attempt& attempt, const CancelToken& cancel);
  Result<Skill> register_and_index(Attempt& attempt);
  Result<void> log(const Attempt& attempt, Stage stage, StageStatus status,
                   Json output, const std::string& message,
                   std::int64_t tokens);

  SkillStore& store_;
  text::Embedder& embedder_;
  SkillSearch& search_;
  const SkillLibraryOptions& options_;
  Clock& clock_;
};

}  // namespace lamarck::skills::internal
