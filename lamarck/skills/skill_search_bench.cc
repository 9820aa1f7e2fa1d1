// Search among 10,000 skills of one organization, against reading their vectors
// once.

#include <benchmark/benchmark.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/rng.h"
#include "lamarck/skills/skill_library.h"
#include "lamarck/skills/skill_samples_fixture.h"
#include "lamarck/text/lexical_embedder.h"
#include "lamarck/text/vector_index.h"

namespace lamarck::skills {
namespace {

constexpr std::size_t kSkills = 10'000;
constexpr std::size_t kSize = text::LexicalEmbedder::kDimensions;

// Words without meaning, so that all skills differ.
std::string bench_description(Rng& rng) {
  std::string text;
  for (int i = 0; i < 6; ++i) {
    text += fmt::format("w{} ", static_cast<int>(rng.uniform() * 3'000));
  }
  return text;
}

struct BenchLibrary {
  BenchLibrary() {
    store = std::move(open_sqlite_skill_store({}, clock)).value();
    const AgentRecord agent =
        store->create_agent(sample_agent("acme", "ada")).value();
    text::LexicalEmbedder embedder;
    Rng rng(1);
    for (std::size_t i = 0; i < kSkills; ++i) {
      auto registration =
          sample_registration(agent, fmt::format("skill {}", i));
      registration.skill.status = SkillStatus::AutoApproved;
      SkillDraft& draft = registration.skill.definition;
      draft.description = bench_description(rng);
      registration.embedder_id = embedder.id();
      registration.embedding =
          std::move(embedder.embed({draft.description}, {}).value()[0]);
      (void)store->register_skill(registration);
      index.insert(draft.name, registration.embedding);
      floats.insert(floats.end(), registration.embedding.begin(),
                    registration.embedding.end());
      last = draft.description;
    }
    library = std::move(SkillLibrary::open(*store, {}, clock)).value();
    query = std::move(embedder.embed({last}, {}).value()[0]);
  }

  SystemClock clock;
  std::unique_ptr<SkillStore> store;
  std::unique_ptr<SkillLibrary> library;
  text::VectorIndex index{kSize};
  std::vector<float> floats;
  std::vector<float> query;
  std::string last;
};

BenchLibrary& bench_library() {
  static BenchLibrary library;
  return library;
}

// The limit: a sum over all vectors in 16 independent lanes.
void BM_ReadVectorsOnce(benchmark::State& state) {
  const std::vector<float>& floats = bench_library().floats;
  for (auto _ : state) {
    float sums[16] = {};
    for (std::size_t i = 0; i + 16 <= floats.size(); i += 16) {
      for (std::size_t k = 0; k < 16; ++k) sums[k] += floats[i + k];
    }
    benchmark::DoNotOptimize(sums);
  }
}
BENCHMARK(BM_ReadVectorsOnce)->Unit(benchmark::kMicrosecond);

void BM_SearchVectors(benchmark::State& state) {
  const BenchLibrary& bench = bench_library();
  for (auto _ : state) {
    benchmark::DoNotOptimize(bench.index.search(bench.query, 5));
  }
}
BENCHMARK(BM_SearchVectors)->Unit(benchmark::kMicrosecond);

// With embedding the task, the full-text search and reading the skills.
void BM_SearchSkills(benchmark::State& state) {
  BenchLibrary& bench = bench_library();
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        bench.library->search("acme", "", bench.last, 5, {}));
  }
}
BENCHMARK(BM_SearchSkills)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace lamarck::skills
