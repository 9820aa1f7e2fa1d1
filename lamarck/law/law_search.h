// From a table to the laws behind it: `lamarck evolve fn` without its words.

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

namespace lamarck::law {

enum class LawEngine : std::uint8_t { Gp, Llm, Mix };

struct LawSearchOptions {
  LawEngine engine = LawEngine::Gp;
  gp::GpOptions gp;  // Its most_nodes is --max-size.
  // For Llm and Mix.
  std::shared_ptr<llm::ChatModel> model;
  archipelago::LlmEngineOptions llm;
  // Islands, threads, budget, seed, resets. A reset period that is not set by
  // the caller (nullopt for both) becomes what suits the engine.
  archipelago::EvolverOptions evolver;
  // Equations to begin with; a constant if there are none.
  std::vector<formula::Formula> seeds;
  std::optional<std::filesystem::path> folder;
  bool is_resumed = false;
};

// Sent after every cycle.
struct LawProgress {
  archipelago::EvolverCounts counts;
  double best_nmse = 0;  // Of the front's most exact law.
  std::size_t best_size = 0;
  std::vector<double> island_nmse;  // The best of each island.
  std::chrono::nanoseconds elapsed{0};
};

// A function that led to the chosen law, from the first one to itself.
struct LawAncestor {
  std::uint64_t id = 0;
  std::string engine;
  std::string move;
  std::string formula;  // Infix.
  double nmse = 0;
  std::size_t size = 0;
};

struct LawSearchResult {
  std::vector<Law> front;
  std::size_t best = 0;  // Its place in the front.
  std::vector<LawAncestor> lineage;
  archipelago::EvolverCounts counts;
  archipelago::EvolverEnd end = archipelago::EvolverEnd::Budget;
  std::string reason;  // Why it ended, as a sentence.
};

// Stops early when an exact law was found and, after as many trials again, no
// shorter one. The same seed gives the same result for any number of threads,
// as long as the budget counts evaluations. An error only if nothing could be
// begun.
Result<LawSearchResult> find_laws(
    const gp::RegressionProblem& problem, const LawSearchOptions& options,
    const std::function<void(const LawProgress&)>& watch = {},
    const CancelToken& cancel = {});

// The front of a run from its journal, without engine or model.
Result<LawSearchResult> replayed_laws(const std::filesystem::path& folder,
                                      const gp::RegressionProblem* problem);

}  // namespace lamarck::law
