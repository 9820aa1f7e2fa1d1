// 200 skills: tasks that one of them fits, and tasks that none fits.

#pragma once

#include <memory>
#include <string>

#include "lamarck/text/embedder.h"

namespace lamarck::skills {

struct RetrievalScores {
  int fitting = 0;     // Tasks that one skill fits,
  int found = 0;       // and for which it comes first.
  int foreign = 0;     // Tasks that no skill fits,
  int abstained = 0;   // and for which none is offered.
  std::string missed;  // What went wrong, a line each.
};

// Null = the lexical embedder.
RetrievalScores retrieval_scores(std::shared_ptr<text::Embedder> embedder);

}  // namespace lamarck::skills
