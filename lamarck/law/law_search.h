// Finds laws in a table. This is the search behind `lamarck evolve fn`.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lamarck/archipelago/evolver_options.h"
#include "lamarck/archipelago/llm_engine.h"
#include "lamarck/base/cancel_token.h"
#include "lamarck/base/result.h"
#include "lamarck/gp/gp_options.h"
#include "lamarck/gp/regression_problem.h"
#include "lamarck/law/law.h"
#include "lamarck/llm/chat_model.h"

namespace lamarck::crew {
class Crew;
}  // namespace lamarck::crew

namespace lamarck::law {

enum class LawEngine : std::uint8_t { Gp, Llm, Mix };

struct LawSearchOptions {
  LawEngine engine = LawEngine::Gp;
  gp::GpOptions gp;  // gp.max_nodes is --max-size.
  // Needed for Llm and Mix.
  std::shared_ptr<llm::ChatModel> model;
  archipelago::LlmEngineOptions llm;
  // Islands, threads, budget, seed and resets. If neither reset period is set,
  // one that suits the engine is used.
  archipelago::EvolverOptions evolver;
  // Equations to start with, besides a constant.
  std::vector<formula::Formula> seeds;
  // Laws of an earlier search to start with, with their constants. Those with
  // other inputs than the problem are left out.
  std::vector<Law> known;
  std::optional<std::filesystem::path> folder;
  bool is_resumed = false;
  // Wall time that the caller spent before, such as reading the table. It
  // counts toward the budget, as does all preparation.
  std::chrono::nanoseconds time_spent{0};
  // Shares out the bursts of the engine gp, and requires it; its members call
  // help_find_laws. Null: the threads do all. Does not affect results.
  crew::Crew* crew = nullptr;
};

// A function in the line of descent of a law.
struct LawAncestor {
  std::uint64_t id = 0;
  std::string engine;
  std::string move;
  std::string formula;  // Infix.
  double nmse = 0;
  std::size_t size = 0;
};

// Sent after every cycle.
struct LawProgress {
  archipelago::EvolverCounts counts;
  double best_nmse = 0;  // The most accurate law of the front.
  std::size_t best_size = 0;
  std::vector<double> island_nmse;  // The best error of each island.
  std::chrono::nanoseconds elapsed{0};
  // Both are valid during the call only.
  const std::vector<Law>* front = nullptr;
  // The law of the front with this id and its ancestors, oldest first.
  std::function<std::vector<LawAncestor>(std::uint64_t id)> lineage;
};

struct LawSearchResult {
  std::vector<Law> front;
  std::size_t best = 0;              // The index of the recommended law.
  std::vector<LawAncestor> lineage;  // From the first function to the law.
  archipelago::EvolverCounts counts;
  archipelago::EvolverEnd end = archipelago::EvolverEnd::Budget;
  std::string reason;  // Why the search ended, as a sentence.
};

// Stops early once an exact law was found and the same number of evaluations
// again found no shorter one. The same seed gives the same result for any
// number of threads, if the budget limits evaluations and not time. Returns an
// error only if the search cannot start or its folder cannot be read or
// written.
Result<LawSearchResult> find_laws(
    const gp::RegressionProblem& problem, const LawSearchOptions& options,
    const std::function<void(const LawProgress&)>& watch = {},
    const CancelToken& cancel = {});

// For a member of options.crew, with the same problem and options: searches
// until the leader ends the run.
Result<void> help_find_laws(const gp::RegressionProblem& problem,
                            const LawSearchOptions& options,
                            const CancelToken& cancel = {});

// Rebuilds the front of a run from its journal, without engine or model.
// Without a problem the laws are not polished, and the most accurate one is
// `best`.
Result<LawSearchResult> replayed_laws(const std::filesystem::path& folder,
                                      const gp::RegressionProblem* problem);

}  // namespace lamarck::law
