// Prints how well skills are found with MiniLM, and fails below 18 of 20:
// write_retrieval MODEL-FOLDER.

#include <iostream>

#include "lamarck/skills/skill_retrieval_fixture.h"
#include "lamarck/text/minilm_embedder.h"

int main(int argc, char** argv) {
  using namespace lamarck;
  if (argc != 2) return 2;
  auto embedder = text::MiniLmEmbedder::open(argv[1]);
  if (!embedder) {
    std::cerr << embedder.error().message() << "\n";
    return 1;
  }
  const skills::RetrievalScores scores =
      skills::retrieval_scores(std::move(*embedder));
  std::cout << "found " << scores.found << " of " << scores.fitting
            << ", abstained " << scores.abstained << " of " << scores.foreign
            << "\n"
            << scores.missed;
  return scores.found >= 18 && scores.abstained >= 18 ? 0 : 1;
}
