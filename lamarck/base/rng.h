// Random numbers as an argument: one seed gives one run, on every machine.
//
// A stream splits by key into independent streams. A split depends only on the
// stream's seed and the key, never on the numbers drawn so far, so work that
// uses `rng.split(index)` gives the same result for every thread count:
//
//   pool.parallel_for(n, [&](std::size_t i) { Rng own = rng.split(i); ... });

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "lamarck/base/result.h"

namespace lamarck {

// Generator: xoshiro256++, seeded by SplitMix64. Copyable; a copy draws the
// same numbers. Thread safety: used by one thread at a time.
class Rng {
 public:
  explicit Rng(std::uint64_t seed);

  // Derives the child stream for `key`. Equal keys give equal streams.
  Rng split(std::uint64_t key) const;
  Rng split(std::string_view key) const;

  std::uint64_t bits();  // 64 random bits.

  double uniform();  // In [0, 1), 53 bits.
  // In [low, high), or low if they are equal. REQUIRES: both are finite and
  // low <= high.
  double uniform(double low, double high);
  float uniform_float();  // In [0, 1), 24 bits.
  double normal();        // Mean 0, standard deviation 1.
  double normal(double mean, double deviation);
  bool chance(double probability);  // True with this probability.

  // Uniform over 0 .. bound-1, without bias. REQUIRES: bound > 0.
  std::uint64_t below(std::uint64_t bound);
  // Uniform over low .. high, both included. REQUIRES: low <= high.
  std::int64_t integer(std::int64_t low, std::int64_t high);

  // Draws an index with probability proportional to its weight; if all weights
  // are 0, uniformly. REQUIRES: not empty; weights finite and not negative.
  std::size_t weighted_choice(std::span<const double> weights);
  // Draws an index from softmax(scores / temperature). A temperature of 0 gives
  // the highest score, the first of equals. A score of -inf is never drawn
  // while another is finite. REQUIRES: not empty, temperature finite and >= 0,
  // no NaN.
  std::size_t softmax_choice(std::span<const double> scores,
                             double temperature = 1.0);
  // Draws `count` distinct indices below `size`, in random order.
  // REQUIRES: count <= size.
  std::vector<std::size_t> sample(std::size_t size, std::size_t count);

  // REQUIRES: items is not empty.
  template <class T>
  T& choice(std::span<T> items) {
    return items[below(items.size())];
  }
  template <class Container>
  auto& choice(Container& items) {
    return choice(std::span(items));
  }

  template <class T>
  void shuffle(std::span<T> items) {
    for (std::size_t i = items.size(); i > 1; --i) {
      using std::swap;
      swap(items[i - 1], items[below(i)]);
    }
  }
  template <class Container>
  void shuffle(Container& items) {
    shuffle(std::span(items));
  }

  // For checkpoints: 96 hex digits that restore the exact state.
  std::string to_string() const;
  static Result<Rng> from_string(std::string_view text);

  friend bool operator==(const Rng&, const Rng&) = default;

 private:
  struct Key {
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    friend bool operator==(const Key&, const Key&) = default;
  };
  explicit Rng(Key key);
  std::vector<std::size_t> sparse_sample(std::size_t size, std::size_t count);

  Key key_;  // The stream's seed, from which splits derive.
  std::array<std::uint64_t, 4> state_;
};

}  // namespace lamarck
