#include "lamarck/evolution/internal/orphans.h"

namespace lamarck::evolution {
namespace {

// Counts the edges of each node and removes orphans in a queue, so every edge
// is visited a constant number of times.
class OrphanSearch {
 public:
  OrphanSearch(const Network& network, std::span<const PlacedEdge> edges)
      : network_(network),
        edges_(edges),
        arriving_(network.nodes().size(), 0),
        leaving_(arriving_),
        is_orphan_(network.nodes().size(), false) {}

  std::vector<bool> run() {
    for (const PlacedEdge& edge : edges_) {
      if (edge.is_self_loop()) continue;
      ++arriving_[edge.to];
      ++leaving_[edge.from];
    }
    for (std::size_t i = 0; i < is_orphan_.size(); ++i) check(i);
    if (!found_.empty()) spread();
    return is_orphan_;
  }

 private:
  // Marks a hidden node that has no incoming or no outgoing edge left.
  void check(std::size_t place) {
    if (network_.nodes()[place].role != Role::Hidden || is_orphan_[place] ||
        (arriving_[place] > 0 && leaving_[place] > 0)) {
      return;
    }
    is_orphan_[place] = true;
    found_.push_back(place);
  }

  // Removes the edges of each orphan, which may make its neighbors orphans.
  void spread() {
    std::vector<std::vector<std::size_t>> sources(is_orphan_.size());
    std::vector<std::vector<std::size_t>> targets(is_orphan_.size());
    for (const PlacedEdge& edge : edges_) {
      if (edge.is_self_loop()) continue;
      sources[edge.to].push_back(edge.from);
      targets[edge.from].push_back(edge.to);
    }
    for (std::size_t at = 0; at < found_.size(); ++at) {
      const std::size_t orphan = found_[at];
      for (const std::size_t target : targets[orphan]) {
        --arriving_[target];
        check(target);
      }
      for (const std::size_t source : sources[orphan]) {
        --leaving_[source];
        check(source);
      }
    }
  }

  const Network& network_;
  std::span<const PlacedEdge> edges_;
  // Numbers of edges by position, without self-loops and without the edges of
  // orphans processed so far.
  std::vector<std::size_t> arriving_;
  std::vector<std::size_t> leaving_;
  std::vector<bool> is_orphan_;
  std::vector<std::size_t> found_;  // Orphans; also the queue of spread().
};

}  // namespace

std::vector<bool> find_orphans(const Network& network,
                               std::span<const PlacedEdge> edges) {
  return OrphanSearch(network, edges).run();
}

}  // namespace lamarck::evolution
