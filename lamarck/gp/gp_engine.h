// Genetic programming on the rows of a table: finds laws without a model.
//
// Each island has a search of its own (gp_search.h). One mutation is a burst of
// trials; what it gives is a formula that no smaller one beats, with its
// constants fitted. A search that stalls begins again, with another link and
// another limit of size. Between cycles islands share what they found.

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "lamarck/archipelago/formula_skeleton.h"
#include "lamarck/archipelago/mutation_engine.h"
#include "lamarck/gp/gp_data.h"
#include "lamarck/gp/gp_library.h"
#include "lamarck/gp/gp_options.h"
#include "lamarck/gp/gp_search.h"
#include "lamarck/gp/regression_problem.h"

namespace lamarck::gp {

// A formula whose constants need no further start.
class FittedSkeleton : public archipelago::FormulaSkeleton {
 public:
  using archipelago::FormulaSkeleton::FormulaSkeleton;
};

// The model as a formula of the problem's inputs, and its constants.
archipelago::SkeletonPtr gp_skeleton(const GpModel& model,
                                     const RegressionProblem& problem);

class GpEngine : public archipelago::MutationEngine {
 public:
  // `problem` outlives the engine.
  GpEngine(const RegressionProblem& problem, GpOptions options,
           std::size_t islands, std::uint64_t seed,
           std::shared_ptr<const archipelago::Evaluator> evaluator);
  ~GpEngine() override;

  std::string_view name() const override { return "gp"; }
  void end_cycle(std::uint64_t cycle) override;
  void learn(const archipelago::MutationContext& context,
             const archipelago::FunctionPtr& made, bool improved) override;
  Json state() const override;
  Result<void> restore(const Json& state) override;

 private:
  struct IslandSearch {
    std::size_t data = 0;  // Which of datas_.
    std::unique_ptr<GpSearch> search;
    std::deque<GpFind> pending;           // Found and not yet given out.
    std::vector<std::uint64_t> injected;  // Ids of parents, the latest last.
    // Of this cycle: tags of new finds with those they descend from, and the
    // one that was given out.
    std::vector<std::pair<std::uint64_t, std::uint64_t>> fresh;
    std::uint64_t given = 0;
  };

  // What became of a find.
  struct Descent {
    std::uint64_t parent = 0;    // A tag.
    std::uint64_t function = 0;  // Its id, once it was given out and stored.
  };

  Result<archipelago::FunctionPtr> make(
      const std::vector<archipelago::FunctionPtr>& parents,
      const archipelago::MutationContext& context) override;
  void take_in(IslandSearch& island,
               const std::vector<archipelago::FunctionPtr>& parents);
  void begin(IslandSearch& island, std::size_t number, Rng rng);
  const GpLibrary& library_for(const IslandSearch& island) const;
  void share_finds(Rng& rng);
  // The function that a find with this tag is, or descends from; 0 if none.
  std::uint64_t function_of(const IslandSearch& island,
                            std::uint64_t tag) const;

  const RegressionProblem* problem_;
  GpOptions options_;
  std::uint64_t seed_;
  std::shared_ptr<const archipelago::Evaluator> evaluator_;
  std::vector<std::unique_ptr<GpData>> datas_;  // The plain one first.
  std::unique_ptr<GpLibrary> library_;
  std::unique_ptr<GpLibrary> factors_;  // For the link `log`.
  std::vector<IslandSearch> islands_;
  std::map<std::uint64_t, Descent> descents_;  // By tag; of past cycles.
  GpArchive archive_;  // Of all islands, as of the last cycle.
};

}  // namespace lamarck::gp
