// Genetic programming on the rows of a table. Needs no language model.
//
// Each island has its own search (gp_search.h). One mutation runs a burst of
// trials and returns a formula with fitted constants that no smaller formula
// beats. A search that stalls restarts with another link and another size
// limit. Between cycles the islands share what they found. If the law is not
// found soon, the engine looks for views with fewer inputs (find_views.h), and
// many islands search in these.
//
// A crew can share out the bursts. The search of an island then stays with the
// process that ran it last. Members repeat what changes the scenes, and the
// leader has all searches, so that it can save them and give them to others.

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lamarck/archipelago/formula_skeleton.h"
#include "lamarck/archipelago/mutation_engine.h"
#include "lamarck/crew/crew.h"
#include "lamarck/gp/gp_options.h"
#include "lamarck/gp/gp_scene.h"
#include "lamarck/gp/gp_search.h"
#include "lamarck/gp/regression_problem.h"

namespace lamarck::gp {

// A formula whose constants are already fitted, so the evaluator only polishes
// them.
class FittedSkeleton : public archipelago::FormulaSkeleton {
 public:
  using archipelago::FormulaSkeleton::FormulaSkeleton;
};

// Converts the model to a formula of the problem's inputs with its constants.
archipelago::SkeletonPtr gp_skeleton(const GpModel& model,
                                     const RegressionProblem& problem);

class GpEngine : public archipelago::MutationEngine {
 public:
  // `problem` must outlive the engine. If `cancel` is cancelled while the
  // engine is made, the engine is incomplete and must not be used.
  GpEngine(const RegressionProblem& problem, GpOptions options,
           std::size_t islands, std::uint64_t seed,
           std::shared_ptr<const archipelago::Evaluator> evaluator,
           const CancelToken& cancel = {});
  ~GpEngine() override;

  std::string_view name() const override { return "gp"; }
  Result<void> prepare(
      crew::Crew& crew,
      const std::vector<std::vector<archipelago::FunctionPtr>>& parents,
      const std::vector<archipelago::MutationContext>& contexts) override;
  // For a member of that crew, whose engine is made of the same arguments; it
  // needs no evaluator. Searches until the leader ends the stage.
  Result<void> serve(crew::Crew& crew);

  void end_cycle(std::uint64_t cycle) override;
  void learn(const archipelago::MutationContext& context,
             const archipelago::FunctionPtr& made, bool improved) override;
  Json state() const override;
  Result<void> restore(const Json& state) override;

 private:
  struct IslandSearch {
    std::size_t scene = 0;     // Index into scenes_.
    std::size_t data = 0;      // Index into the data of the scene.
    std::uint64_t trials = 0;  // Of all its searches.
    CancelToken cancel;        // Of the last mutation.
    std::unique_ptr<GpSearch> search;
    std::deque<GpFind> pending;           // Found but not yet returned.
    std::vector<std::uint64_t> injected;  // Ids of parents, the latest last.
    // In this cycle: the tags of new finds with their parents' tags, and the
    // tag of the find that was returned.
    std::vector<std::pair<std::uint64_t, std::uint64_t>> fresh;
    std::uint64_t given = 0;
    // With a crew: whether the burst of this cycle is done, and the trials
    // before it.
    bool is_searched = false;
    std::uint64_t trials_before = 0;
    // Whether the process that ran the search last has another state of it.
    bool is_changed = true;
  };

  // How the last cycle changed the scenes.
  struct SceneChange {
    std::vector<GpTree> parts;
    std::string rng;  // Before the refresh.
    bool has_new_views = false;
  };

  // Where a find came from, and which function it became.
  struct Descent {
    std::uint64_t parent = 0;    // A tag.
    std::uint64_t function = 0;  // Its id, once it was returned and recorded.
  };

  archipelago::MutationResult make(
      const std::vector<archipelago::FunctionPtr>& parents,
      const archipelago::MutationContext& context) override;
  void inject_parents(IslandSearch& island,
                      const std::vector<archipelago::FunctionPtr>& parents);
  void begin_burst(IslandSearch& island,
                   const std::vector<archipelago::FunctionPtr>& parents);
  std::size_t burst_of(const IslandSearch& island) const;
  void begin(IslandSearch& island, std::size_t number, Rng rng);
  std::size_t draw_link(std::size_t scene, std::size_t number, Rng& rng);
  void make_search(IslandSearch& island, std::size_t max_nodes,
                   std::uint64_t first_tag);
  bool needs_views() const;
  void add_views(const CancelToken& cancel);
  void add_scene(const GpView& view, const CancelToken& cancel);
  // Whether only views in which the units cancel may be searched.
  bool has_units() const;
  void inject_laws();
  void share_finds(Rng& rng);
  void refresh_scenes(const std::vector<GpTree>& parts, Rng& rng);

  // For checkpoints and crews.
  Json scenes_state() const;
  Result<void> restore_scenes(const Json& state);
  Json search_state(const IslandSearch& island) const;
  Result<void> restore_search(IslandSearch& island, const Json& state);
  // Member.
  std::string search_piece(std::size_t index, std::string_view input,
                           const CancelToken& cancel);
  Result<void> see_cycle(std::uint64_t cycle, bool is_whole,
                         std::string_view scenes);
  Result<void> change_scenes(std::string_view bytes);
  void read_search(crew::ByteReader& in, IslandSearch& island);
  // Returns the id of the function that the find with this tag is or descends
  // from, or 0 if there is none.
  std::uint64_t find_function(const IslandSearch& island,
                              std::uint64_t tag) const;

  const RegressionProblem* problem_;
  GpOptions options_;
  std::uint64_t seed_;
  std::shared_ptr<const archipelago::Evaluator> evaluator_;
  // The problem as it is, then views of it.
  std::vector<std::unique_ptr<GpScene>> scenes_;
  std::vector<GpTree> laws_;         // Views without inputs: y is their factor.
  bool has_looked_ = false;          // For views.
  std::uint64_t view_searches_ = 0;  // Searches of views so far.
  std::vector<IslandSearch> islands_;
  std::map<std::uint64_t, Descent> descents_;  // Past cycles, keyed by tag.
  GpArchive archive_;  // Finds of all islands up to the last cycle.

  // With a crew.
  std::optional<SceneChange> change_;  // Leader: empty without a crew.
  std::mutex mutex_;
  std::uint64_t seen_cycle_ = 0;  // Member: of the scenes; guarded by mutex_.
};

}  // namespace lamarck::gp
