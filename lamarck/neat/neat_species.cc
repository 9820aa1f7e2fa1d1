#include "lamarck/neat/neat_species.h"

#include <algorithm>

namespace lamarck::neat {
namespace {

std::size_t index_of_best(std::span<const Species> species) {
  const auto best = std::max_element(
      species.begin(), species.end(),
      [](const Species& a, const Species& b) { return a.best < b.best; });
  return static_cast<std::size_t>(best - species.begin());
}

// Returns which species may breed: those that are not stagnant, or only the
// best two in a flat population.
std::vector<bool> breeders(std::span<const Species> species, bool flat,
                           const NeatOptions& options) {
  std::vector<bool> may(species.size());
  const std::size_t best = index_of_best(species);
  std::size_t second = species.size();
  for (std::size_t i = 0; i < species.size(); ++i) {
    may[i] = !species[i].is_stagnant(options);
    if (i == best) continue;
    if (second == species.size() || species[i].best > species[second].best) {
      second = i;
    }
  }
  if (flat) {
    may.assign(species.size(), false);
    if (second < species.size()) may[second] = true;
  }
  if (flat || options.best_species_stays) may[best] = true;
  return may;
}

}  // namespace

void Species::rank(std::span<const Genome> genomes) {
  std::sort(members.begin(), members.end(), [&](std::size_t a, std::size_t b) {
    const double fitness = genomes[a].fitness;
    const double other = genomes[b].fitness;
    // Ties are broken by index, so the order is the same on every machine.
    return fitness != other ? fitness > other : a < b;
  });
  best = genomes[members.front()].fitness;
  double sum = 0;
  for (const std::size_t member : members) sum += genomes[member].fitness;
  mean = sum / static_cast<double>(members.size());
  beat_record = best > record;
  ++age;
  since_gain = beat_record ? 0 : since_gain + 1;
  record = std::max(record, best);
}

void speciate(std::span<const Genome> genomes, double threshold,
              const NeatOptions& options, std::size_t& next_id,
              std::vector<Species>& species) {
  for (Species& one : species) one.members.clear();
  for (std::size_t i = 0; i < genomes.size(); ++i) {
    const auto match =
        std::find_if(species.begin(), species.end(), [&](const Species& one) {
          return one.representative.is_near(genomes[i], options, threshold);
        });
    if (match != species.end()) {
      match->members.push_back(i);
      continue;
    }
    species.push_back({.id = next_id++, .representative = genomes[i]});
    species.back().members.push_back(i);
  }
  std::erase_if(species,
                [](const Species& one) { return one.members.empty(); });
}

std::vector<std::size_t> offspring_counts(std::span<const Species> species,
                                          std::size_t count, bool flat,
                                          const NeatOptions& options) {
  std::vector<std::size_t> counts(species.size(), 0);
  if (species.empty()) return counts;
  const std::vector<bool> may = breeders(species, flat, options);
  double sum = 0;
  std::size_t breeding = 0;
  for (std::size_t i = 0; i < species.size(); ++i) {
    if (!may[i]) continue;
    sum += species[i].mean;
    ++breeding;
  }
  if (breeding == 0) return counts;
  // The fractions that rounding drops are carried over to the next species, so
  // the counts add up.
  double carried = 0;
  std::size_t given = 0;
  std::size_t last = 0;
  for (std::size_t i = 0; i < species.size(); ++i) {
    if (!may[i]) continue;
    const double share =
        sum > 0 ? species[i].mean / sum : 1.0 / static_cast<double>(breeding);
    carried += share * static_cast<double>(count);
    counts[i] = std::min(count, static_cast<std::size_t>(carried)) - given;
    given += counts[i];
    last = i;
  }
  const std::size_t best = index_of_best(species);
  counts[may[best] ? best : last] += count - given;
  if (may[best] && counts[best] == 0) {
    // The best genome of the population must survive.
    --*std::max_element(counts.begin(), counts.end());
    ++counts[best];
  }
  return counts;
}

}  // namespace lamarck::neat
