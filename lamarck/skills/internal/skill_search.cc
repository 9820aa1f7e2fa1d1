#include "lamarck/skills/internal/skill_search.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/base/string_split.h"
#include "lamarck/skills/internal/argument_suggestion.h"
#include "lamarck/skills/skill_quality.h"
#include "lamarck/text/lexical_embedder.h"

namespace lamarck::skills::internal {
namespace {

constexpr std::size_t kMaxCandidates = 16;  // Of each kind of search.
constexpr std::size_t kMaxCached = 64;      // Organizations and agents.

// How much of a match each kind of evidence is. Calibrated with 200 skills and
// 40 tasks; see docs/skills.md.
constexpr double kSimilarityWeight = 0.6;
constexpr double kKeywordWeight = 0.4;
constexpr double kSuccessWeight = 0.1;

std::set<std::string> stems(std::string_view text) {
  const std::vector<std::string> words = text::lexical_words(text);
  return {words.begin(), words.end()};
}

// The share of the skill's keywords that the task contains.
double keyword_share(const SkillDraft& draft,
                     const std::set<std::string>& task) {
  const std::set<std::string> keywords =
      stems(join_text(draft.trigger_keywords, " ") + " " + draft.name);
  if (keywords.empty()) return 0;
  const auto shared =
      std::count_if(keywords.begin(), keywords.end(),
                    [&](const auto& word) { return task.contains(word); });
  return static_cast<double>(shared) / static_cast<double>(keywords.size());
}

void keep_best(std::vector<SkillMatch>& matches, std::size_t limit) {
  std::sort(matches.begin(), matches.end(),
            [](const SkillMatch& a, const SkillMatch& b) {
              return a.score != b.score ? a.score > b.score
                                        : a.skill.id < b.skill.id;
            });
  if (matches.size() > limit) matches.resize(limit);
}

}  // namespace

std::string embedded_text(const SkillDraft& draft) { return draft.description; }

Result<std::shared_ptr<const SkillSearch::Cached>> SkillSearch::cached(
    std::string_view org, std::string_view agent_id) {
  ASSIGN_OR_RETURN(const std::int64_t revision, store_.index_revision(org));
  const Key key{std::string(org), std::string(agent_id)};
  {
    const std::lock_guard lock(mutex_);
    const auto found = cache_.find(key);
    if (found != cache_.end() && found->second->revision == revision) {
      return found->second;
    }
  }
  ASSIGN_OR_RETURN(const auto vectors,
                   store_.vectors(org, agent_id, embedder_.id(), true));
  auto loaded = std::make_shared<Cached>(
      Cached{revision, text::VectorIndex(embedder_.dimensions())});
  for (const auto& [skill_id, embedding] : vectors) {
    if (embedding.size() == embedder_.dimensions()) {
      loaded->index.insert(skill_id, embedding);
    }
  }
  const std::lock_guard lock(mutex_);
  if (cache_.size() >= kMaxCached && !cache_.contains(key)) {
    cache_.erase(cache_.begin());
  }
  cache_[key] = loaded;
  return std::shared_ptr<const Cached>(loaded);
}

Result<SkillMatches> SkillSearch::search(std::string_view org,
                                         std::string_view agent_id,
                                         std::string_view task,
                                         std::size_t limit,
                                         const CancelToken& cancel) {
  ASSIGN_OR_RETURN(const auto cache, cached(org, agent_id));
  ASSIGN_OR_RETURN(const auto vectors,
                   embedder_.embed({std::string(task)}, cancel));
  std::map<std::string, double> candidates;
  for (const auto& match : cache->index.search(vectors[0], kMaxCandidates)) {
    candidates[match.key] = match.similarity;
  }
  // A skill that is not embedded yet, or only shares words, is found here.
  ASSIGN_OR_RETURN(const auto hits,
                   store_.text_search(org, agent_id, task, kMaxCandidates));
  for (const auto& hit : hits) candidates.emplace(hit.skill_id, 0);
  const std::set<std::string> words = stems(task);
  const double min_relevance = embedder_.thresholds().fits;
  SkillMatches found;
  double best = 0;
  for (const auto& [id, similarity] : candidates) {
    ASSIGN_OR_RETURN(Skill skill, store_.skill(org, id));
    // The cache may be older than a change of the skill.
    const bool is_visible =
        agent_id.empty() || skill.agent_id == agent_id || skill.is_shared;
    if (!skill.is_usable() || !is_visible) continue;
    const double relevance =
        kSimilarityWeight * similarity +
        kKeywordWeight * keyword_share(skill.definition, words);
    best = std::max(best, relevance);
    if (relevance < min_relevance) continue;
    SkillMatch match;
    match.similarity = similarity;
    match.success_bound =
        success_lower_bound(skill.use_count, skill.success_count);
    match.score = std::clamp(
        (1 - kSuccessWeight) * relevance + kSuccessWeight * match.success_bound,
        0.0, 1.0);
    match.suggested_arguments = suggest_arguments(skill.definition, task);
    match.skill = std::move(skill);
    found.matches.push_back(std::move(match));
  }
  keep_best(found.matches, limit);
  if (found.matches.empty()) {
    found.reason = candidates.empty()
                       ? "There is no approved skill that resembles the task."
                       : fmt::format(
                             "The most similar skill has a relevance "
                             "of {:.2f}; at least {:.2f} is needed.",
                             best, min_relevance);
  }
  return found;
}

Result<std::vector<text::VectorMatch>> SkillSearch::similar(
    std::string_view org, std::string_view agent_id,
    const std::vector<float>& vector, double min_similarity) {
  ASSIGN_OR_RETURN(const auto stored,
                   store_.vectors(org, agent_id, embedder_.id(), false));
  text::VectorIndex index(embedder_.dimensions());
  for (const auto& [skill_id, embedding] : stored) {
    if (embedding.size() == embedder_.dimensions()) {
      index.insert(skill_id, embedding);
    }
  }
  std::vector<text::VectorMatch> matches = index.search(vector, kMaxCandidates);
  std::erase_if(matches, [&](const text::VectorMatch& match) {
    return match.similarity < min_similarity;
  });
  return matches;
}

}  // namespace lamarck::skills::internal
