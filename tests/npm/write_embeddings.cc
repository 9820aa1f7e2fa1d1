// Reads a JSON array of texts and prints {"tokens", "vectors", "seconds",
// "scores"} of MiniLM as JSON: write_embeddings MODEL-FOLDER TEXTS-FILE.
// `seconds` is the time per text, each embedded alone on one thread; `scores`
// says how well its thresholds work.

#include <chrono>
#include <iostream>
#include <nlohmann/json.hpp>

#include "lamarck/base/file.h"
#include "lamarck/text/minilm_embedder.h"
#include "lamarck/text/similarity_scores_fixture.h"

int main(int argc, char** argv) {
  using namespace lamarck;
  if (argc != 3) return 2;
  const auto embedder = text::MiniLmEmbedder::open(argv[1]);
  if (!embedder) {
    std::cerr << embedder.error().message() << "\n";
    return 1;
  }
  const auto texts = nlohmann::json::parse(read_file(argv[2]).value())
                         .get<std::vector<std::string>>();
  nlohmann::json out;
  out["tokens"] = nlohmann::json::array();
  for (const std::string& text : texts) {
    out["tokens"].push_back((*embedder)->tokenizer().encode(
        text, text::MiniLmEmbedder::kMaxTokens));
  }
  out["vectors"] = (*embedder)->embed(texts, {}).value();
  const auto begin = std::chrono::steady_clock::now();
  constexpr int kRepeats = 10;
  for (int i = 0; i < kRepeats; ++i) {
    for (const std::string& text : texts) {
      if (!(*embedder)->embed({text}, {})) return 1;
    }
  }
  const std::chrono::duration<double> taken =
      std::chrono::steady_clock::now() - begin;
  out["seconds"] = taken.count() / kRepeats / static_cast<double>(texts.size());
  const text::SimilarityScores scores = text::similarity_scores(**embedder);
  out["scores"] = {{"requests", scores.requests},
                   {"found", scores.found},
                   {"unrelated", scores.unrelated},
                   {"abstained", scores.abstained},
                   {"duplicates_found", scores.duplicates_found},
                   {"false_duplicates", scores.false_duplicates}};
  std::cout << out << "\n";
}
