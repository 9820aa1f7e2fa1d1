#include "lamarck/text/similarity_scores_fixture.h"

#include <string>
#include <vector>

#include "lamarck/text/similarity_cases_fixture.h"

namespace lamarck::text {
namespace {

using Vectors = std::vector<std::vector<float>>;

struct Nearest {
  std::size_t index = 0;
  double similarity = -1;
};

Nearest find_nearest(const Vectors& vectors, const std::vector<float>& query) {
  Nearest best;
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    const double similarity = inner_product(vectors[i], query);
    if (similarity > best.similarity) best = {i, similarity};
  }
  return best;
}

}  // namespace

SimilarityScores similarity_scores(Embedder& embedder) {
  std::vector<std::string> descriptions, same, requests, unrelated;
  for (const SimilarityCase& one : held_out_cases()) {
    descriptions.emplace_back(one.description);
    same.emplace_back(one.same);
    requests.emplace_back(one.request);
  }
  for (const SimilarityCase& one : similarity_cases()) {
    descriptions.emplace_back(one.description);
  }
  for (const std::string_view text : held_out_unrelated_requests()) {
    unrelated.emplace_back(text);
  }
  const SimilarityThresholds thresholds = embedder.thresholds();
  const Vectors skills = embedder.embed(descriptions, {}).value();
  const Vectors copies = embedder.embed(same, {}).value();
  const Vectors tasks = embedder.embed(requests, {}).value();
  const Vectors others = embedder.embed(unrelated, {}).value();

  SimilarityScores scores;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    ++scores.requests;
    const Nearest nearest = find_nearest(skills, tasks[i]);
    scores.found += nearest.index == i && nearest.similarity >= thresholds.fits;
    for (std::size_t j = 0; j < skills.size(); ++j) {
      const bool is_close =
          inner_product(skills[j], copies[i]) >= thresholds.duplicate;
      (i == j ? scores.duplicates_found : scores.false_duplicates) += is_close;
    }
  }
  for (std::size_t i = 0; i < others.size(); ++i) {
    ++scores.unrelated;
    scores.abstained +=
        find_nearest(skills, others[i]).similarity < thresholds.fits;
  }
  return scores;
}

}  // namespace lamarck::text
