// Measures an embedder and its thresholds on the similarity cases.

#pragma once

#include "lamarck/text/embedder.h"
#include "lamarck/text/internal/unit_length.h"

namespace lamarck::text {

struct SimilarityScores {
  int requests = 0;          // That have a skill, each with one duplicate.
  int found = 0;             // The right skill came first and fits.
  int unrelated = 0;         // Requests without a skill.
  int abstained = 0;         // No skill fits.
  int duplicates_found = 0;  // Of `requests`.
  int false_duplicates = 0;  // Pairs of different skills.
};

// Over the held-out cases; all descriptions are candidates.
SimilarityScores similarity_scores(Embedder& embedder);

}  // namespace lamarck::text
