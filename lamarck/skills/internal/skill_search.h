// Finds the skills that fit a task: vectors, keywords and how often each skill
// worked.

#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "lamarck/skills/skill_library.h"
#include "lamarck/skills/skill_store.h"
#include "lamarck/text/embedder.h"
#include "lamarck/text/vector_index.h"

namespace lamarck::skills::internal {

// The text of a skill that is embedded.
std::string embedded_text(const SkillDraft& draft);

// Caches the vectors of an organization and agent until the index changes.
// Thread safety: all members may be called from any thread.
class SkillSearch {
 public:
  SkillSearch(SkillStore& store, text::Embedder& embedder)
      : store_(store), embedder_(embedder) {}

  Result<SkillMatches> search(std::string_view org, std::string_view agent_id,
                              std::string_view task, std::size_t limit,
                              const CancelToken& cancel);
  // Skills of any status whose description is like `vector`, best first.
  Result<std::vector<text::VectorMatch>> similar(
      std::string_view org, std::string_view agent_id,
      const std::vector<float>& vector, double min_similarity);

 private:
  struct Cached {
    std::int64_t revision = -1;
    text::VectorIndex index;
  };
  using Key = std::pair<std::string, std::string>;

  Result<std::shared_ptr<const Cached>> cached(std::string_view org,
                                               std::string_view agent_id);

  SkillStore& store_;
  text::Embedder& embedder_;
  std::mutex mutex_;
  std::map<Key, std::shared_ptr<const Cached>> cache_;  // Guarded by mutex_.
};

}  // namespace lamarck::skills::internal
