#include "lamarck/evolution/internal/island_delta.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "lamarck/evolution/internal/network_bytes.h"

namespace lamarck::evolution {
namespace {

using crew::ByteReader;
using crew::ByteWriter;

constexpr std::array kCounts = {
    &EvolutionCounts::generations,    &EvolutionCounts::evaluations,
    &EvolutionCounts::gradient_steps, &EvolutionCounts::dropped,
    &EvolutionCounts::stopped_early,  &EvolutionCounts::repeated,
    &EvolutionCounts::infeasible,     &EvolutionCounts::restarts};

std::string candidate_bytes(const Candidate& candidate) {
  ByteWriter out;
  add_candidate(out, candidate);
  return out.take();
}

// Candidates that the reader has; each is written once.
class KnownCandidates {
 public:
  void add(std::string bytes) { known_.push_back(std::move(bytes)); }
  // Writes the place of a known one, or 0 and the candidate.
  void write(ByteWriter& out, const Candidate& candidate) {
    std::string bytes = candidate_bytes(candidate);
    const auto found = std::ranges::find(known_, bytes);
    out.add_count(found == known_.end()
                      ? 0
                      : static_cast<std::uint64_t>(found - known_.begin()) + 1);
    if (found != known_.end()) return;
    out.add_text(bytes);
    add(std::move(bytes));
  }

 private:
  std::vector<std::string> known_;
};

void add_tried(ByteWriter& out, const Island& before, const Island& after) {
  const bool is_cleared = std::ranges::any_of(before.tried, [&](const auto& e) {
    return !after.tried.contains(e.first);
  });
  out.add_flag(is_cleared);
  std::vector<std::pair<std::uint64_t, std::size_t>> changed;
  for (const auto& [hash, times] : after.tried) {
    const auto old = before.tried.find(hash);
    if (is_cleared || old == before.tried.end() || old->second != times) {
      changed.emplace_back(hash, times);
    }
  }
  out.add_count(changed.size());
  for (const auto& [hash, times] : changed) {
    out.add_bits(hash);
    out.add_count(times);
  }
}

void read_tried(ByteReader& in, Island& island) {
  if (in.flag()) island.tried.clear();
  const std::size_t count = in.length();
  for (std::size_t i = 0; i < count && in.is_good(); ++i) {
    const std::uint64_t hash = in.bits();
    island.tried[hash] = static_cast<std::size_t>(in.count());
  }
}

}  // namespace

void add_island_delta(ByteWriter& out, const Island& before,
                      const Island& after) {
  out.add_integer(after.generation - before.generation);
  out.add_integer(after.since_gain - before.since_gain);
  out.add_integer(after.lives - before.lives);
  for (const auto count : kCounts) {
    out.add_integer(after.counts.*count - before.counts.*count);
  }
  add_tried(out, before, after);
  KnownCandidates known;
  for (const Candidate& each : before.population) {
    known.add(candidate_bytes(each));
  }
  known.add(candidate_bytes(before.best));
  out.add_count(after.population.size());
  for (const Candidate& each : after.population) known.write(out, each);
  known.write(out, after.best);
}

void apply_island_delta(ByteReader& in, Island& island) {
  island.generation += in.integer();
  island.since_gain += in.integer();
  island.lives += in.integer();
  for (const auto count : kCounts) island.counts.*count += in.integer();
  read_tried(in, island);
  std::vector<Candidate> known = std::move(island.population);
  known.push_back(std::move(island.best));
  const auto read = [&]() -> Candidate {
    const std::uint64_t place = in.count();
    if (place > known.size()) in.fail();
    if (!in.is_good()) return {};
    if (place > 0) return known[static_cast<std::size_t>(place) - 1];
    ByteReader bytes(in.view());
    Candidate candidate = read_candidate(bytes);
    if (!bytes.check("A candidate")) in.fail();
    known.push_back(candidate);
    return candidate;
  };
  const std::size_t size = in.length();
  island.population.clear();
  for (std::size_t i = 0; i < size && in.is_good(); ++i) {
    island.population.push_back(read());
  }
  island.best = read();
}

}  // namespace lamarck::evolution
