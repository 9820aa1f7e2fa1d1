// The mutations of Genome.

#include <algorithm>

#include "lamarck/neat/neat_genome.h"

namespace lamarck::neat {
namespace {

constexpr int kTries = 20;       // Random pairs tried for a new connection.
constexpr double kGentle = 0.2;  // Factor of a gentle perturbation.

float capped(double weight, double cap) {
  return static_cast<float>(std::clamp(weight, -cap, cap));
}

bool can_be_split(const ConnectionGene& gene, const NeatOptions& options) {
  return gene.enabled && (options.split_bias || gene.from != 0);
}

}  // namespace

void Genome::randomize_weights(double range, Rng& rng) {
  for (ConnectionGene& gene : connections_) {
    gene.weight = static_cast<float>(range * (2 * rng.uniform() - 1));
  }
}

void Genome::mutate_weights(const NeatOptions& options, Rng& rng) {
  const bool gentle = rng.chance(options.gentle_share);
  const double power = options.perturb_power * (gentle ? kGentle : 1);
  // One 64-bit draw per gene: the low half decides whether the weight is
  // replaced, the high half is the value.
  constexpr double kHalf = 0x1p32;
  const auto replaced = static_cast<std::uint64_t>(options.replace * kHalf);
  for (ConnectionGene& gene : connections_) {
    const std::uint64_t bits = rng.bits();
    const double draw = static_cast<double>(bits >> 32U) * (2 / kHalf) - 1;
    const double weight = (bits & 0xffffffffU) < replaced
                              ? draw * options.replace_range
                              : double{gene.weight} + draw * power;
    gene.weight = capped(weight, options.weight_cap);
  }
}

bool Genome::mutate_add_connection(const NeatOptions& options,
                                   InnovationTracker& tracker, Rng& rng) {
  const bool recurrent =
      options.recurrent_share > 0 && rng.chance(options.recurrent_share);
  const std::size_t first = 1 + inputs_;
  for (int i = 0; i < kTries; ++i) {
    const std::size_t to = first + rng.below(nodes_.size() - first);
    // Nodes are sorted by order key, so a smaller index is a forward source.
    const std::size_t from =
        recurrent ? to + rng.below(nodes_.size() - to) : rng.below(to);
    // Nodes with the same key, such as two outputs, could not be split later.
    if (!recurrent && nodes_[from].order == nodes_[to].order) continue;
    const NeatNodeId from_id = nodes_[from].id;
    const NeatNodeId to_id = nodes_[to].id;
    if (has_connection(from_id, to_id)) continue;
    const double weight = options.replace_range * (2 * rng.uniform() - 1);
    insert_connection({.innovation = tracker.connection(from_id, to_id),
                       .from = from_id,
                       .to = to_id,
                       .weight = capped(weight, options.weight_cap)});
    return true;
  }
  return false;
}

bool Genome::mutate_add_node(const NeatOptions& options,
                             InnovationTracker& tracker, Rng& rng) {
  const auto candidates = static_cast<std::size_t>(std::count_if(
      connections_.begin(), connections_.end(),
      [&](const ConnectionGene& gene) { return can_be_split(gene, options); }));
  if (candidates == 0) return false;
  std::size_t left = rng.below(candidates);
  for (const ConnectionGene& gene : connections_) {
    if (!can_be_split(gene, options)) continue;
    if (left-- > 0) continue;
    split_connection(gene.innovation, tracker);
    return true;
  }
  return false;
}

void Genome::mutate_toggle(Rng& rng) {
  if (connections_.empty()) return;
  ConnectionGene& gene = rng.choice(connections_);
  gene.enabled = !gene.enabled;
}

void Genome::mutate(const NeatOptions& options, InnovationTracker& tracker,
                    Rng& rng) {
  if (rng.chance(options.add_node)) mutate_add_node(options, tracker, rng);
  if (rng.chance(options.add_connection)) {
    mutate_add_connection(options, tracker, rng);
  }
  if (rng.chance(options.mutate_weights)) mutate_weights(options, rng);
  if (options.toggle_enabled > 0 && rng.chance(options.toggle_enabled)) {
    mutate_toggle(rng);
  }
}

}  // namespace lamarck::neat
