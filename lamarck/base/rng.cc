#include "lamarck/base/rng.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <unordered_set>

#include "lamarck/base/ensure.h"
#include "lamarck/base/hash.h"
#include "lamarck/base/portable_math.h"

namespace lamarck {
namespace {

// __extension__ silences -Wpedantic for the 128-bit type.
__extension__ using Wide = unsigned __int128;

// The ziggurat of Marsaglia and Tsang (2000) in Doornik's form (2005): the area
// under exp(-x^2/2) in 256 layers of equal area, from the widest to the
// narrowest.
constexpr std::size_t kLayers = 256;
constexpr double kTailStart = 3.6541528853610088;  // Edge of the lowest layer.
constexpr double kLayerArea = 0.00492867323399;    // Area of each layer.

struct Ziggurat {
  std::array<double, kLayers + 1> edge;    // edge[0] is the lowest layer's.
  std::array<double, kLayers + 1> height;  // exp(-edge^2 / 2)

  Ziggurat() {
    const double density = portable_exp(-0.5 * kTailStart * kTailStart);
    edge[0] = kLayerArea / density;
    edge[1] = kTailStart;
    edge[kLayers] = 0;
    for (std::size_t i = 2; i < kLayers; ++i) {
      const double y = kLayerArea / edge[i - 1] +
                       portable_exp(-0.5 * edge[i - 1] * edge[i - 1]);
      edge[i] = std::sqrt(-2 * portable_log(std::min(y, 1.0)));
    }
    for (std::size_t i = 0; i <= kLayers; ++i) {
      height[i] = portable_exp(-0.5 * edge[i] * edge[i]);
    }
  }
};

const Ziggurat& ziggurat() {
  static const Ziggurat kTable;
  return kTable;
}

// In the open interval (0, 1), so the logarithm is finite.
double open_uniform(Rng& rng) {
  return (static_cast<double>(rng.bits() >> 12) + 0.5) * 0x1.0p-52;
}

// Draws |x| > kTailStart by Marsaglia's method (1964).
double normal_tail(Rng& rng) {
  for (;;) {
    const double x = -portable_log(open_uniform(rng)) / kTailStart;
    const double y = -portable_log(open_uniform(rng));
    if (y + y > x * x) return kTailStart + x;
  }
}

}  // namespace

Rng::Rng(Key key) : key_(key), state_() {
  // Two SplitMix64 sequences, one for each half of the key, with different
  // increments so that equal halves do not cancel out.
  for (std::size_t i = 0; i < state_.size(); ++i) {
    state_[i] = mix64(key.low + (i + 1) * 0x9e3779b97f4a7c15) ^
                std::rotl(mix64(key.high + (i + 1) * 0xd1342543de82ef95), 29);
  }
  // The all-zero state is the only one that xoshiro forbids.
  if (std::ranges::all_of(state_, [](auto word) { return word == 0; })) {
    state_[0] = 1;
  }
}

Rng::Rng(std::uint64_t seed) : Rng(Key{~mix64(seed), seed}) {}

Rng Rng::split(std::uint64_t key) const {
  // Both halves of the new key depend on the parent and on `key`. With 128
  // bits, billions of streams do not collide.
  const std::uint64_t a = mix64(key_.low ^ mix64(key + 0x632be59bd9b4e019));
  const std::uint64_t b = mix64(key_.high + mix64(key ^ 0xd6e8feb86659fd93));
  return Rng(Key{mix64(a + std::rotl(b, 32)), mix64(b ^ (a * 3))});
}

Rng Rng::split(std::string_view key) const {
  // The constant ("text" in ASCII) separates string keys from number keys.
  return split(0x7465787400000000).split(stable_hash(key));
}

std::uint64_t Rng::bits() {
  auto& s = state_;
  const std::uint64_t result = std::rotl(s[0] + s[3], 23) + s[0];
  const std::uint64_t t = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= t;
  s[3] = std::rotl(s[3], 45);
  return result;
}

double Rng::uniform() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }

double Rng::uniform(double low, double high) {
  REQUIRE(std::isfinite(low) && std::isfinite(high) && low <= high,
          "Rng::uniform: low and high must be finite and low <= high, got [{}, "
          "{}).",
          low, high);
  // Halve first, because high - low may overflow. Rounding may yield high.
  const double x = 2 * (low / 2 + (high / 2 - low / 2) * uniform());
  return x < high ? x : low;
}

float Rng::uniform_float() {
  return static_cast<float>(bits() >> 40) * 0x1.0p-24f;
}

double Rng::normal() {
  const Ziggurat& table = ziggurat();
  for (;;) {
    const std::uint64_t random = bits();
    const std::size_t layer = random & (kLayers - 1);
    const double u =
        static_cast<double>(static_cast<std::int64_t>(random) >> 11) *
        0x1.0p-52;  // In [-1, 1).
    const double x = u * table.edge[layer];
    // Most draws end here, inside the part of the layer below the curve.
    if (std::abs(x) < table.edge[layer + 1]) return x;
    if (layer == 0) {
      const double tail = normal_tail(*this);
      return u < 0 ? -tail : tail;
    }
    const double top = table.height[layer + 1];
    const double bottom = table.height[layer];
    if (bottom + (top - bottom) * uniform() < portable_exp(-0.5 * x * x)) {
      return x;
    }
  }
}

double Rng::normal(double mean, double deviation) {
  return mean + deviation * normal();
}

bool Rng::chance(double probability) { return uniform() < probability; }

std::uint64_t Rng::below(std::uint64_t bound) {
  REQUIRE(bound > 0, "Rng::below: bound must be at least 1, got {}.", bound);
  // Lemire (2019): take the high half of the product, and reject the few low
  // halves that would bias the result.
  Wide product = Wide{bits()} * bound;
  if (static_cast<std::uint64_t>(product) < bound) {
    const std::uint64_t threshold = (0 - bound) % bound;
    while (static_cast<std::uint64_t>(product) < threshold) {
      product = Wide{bits()} * bound;
    }
  }
  return static_cast<std::uint64_t>(product >> 64);
}

std::int64_t Rng::integer(std::int64_t low, std::int64_t high) {
  REQUIRE(low <= high, "Rng::integer: low must not exceed high, got {} and {}.",
          low, high);
  const std::uint64_t span =
      static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
  // The span wraps to 0 for the full 64-bit range.
  const std::uint64_t offset = span == 0 ? bits() : below(span);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + offset);
}

std::size_t Rng::weighted_choice(std::span<const double> weights) {
  REQUIRE(!weights.empty(), "Rng::weighted_choice: weights must not be empty.");
  double total = 0;
  for (const double weight : weights) {
    REQUIRE(weight >= 0 && std::isfinite(weight),
            "Rng::weighted_choice: weights must be finite and not negative, "
            "got {}.",
            weight);
    total += weight;
  }
  REQUIRE(
      std::isfinite(total),
      "Rng::weighted_choice: the sum of the weights must be finite, got {}.",
      total);
  if (total == 0) return below(weights.size());
  double left = uniform() * total;
  std::size_t last = 0;  // The last index with a positive weight.
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] == 0) continue;
    if (left < weights[i]) return i;
    left -= weights[i];
    last = i;
  }
  return last;  // Rounding left a small remainder.
}

std::size_t Rng::softmax_choice(std::span<const double> scores,
                                double temperature) {
  REQUIRE(!scores.empty(), "Rng::softmax_choice: scores must not be empty.");
  REQUIRE(temperature >= 0 && std::isfinite(temperature),
          "Rng::softmax_choice: temperature must be finite and not negative, "
          "got {}.",
          temperature);
  for (const double score : scores) {
    REQUIRE(!std::isnan(score), "Rng::softmax_choice: scores must not be NaN.");
  }
  const auto best = std::ranges::max_element(scores);
  std::vector<double> weights(scores.size());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    // The difference of equal infinities is NaN, so handle the maximum apart.
    weights[i] = scores[i] == *best ? 1.0
                 : temperature > 0
                     ? portable_exp((scores[i] - *best) / temperature)
                     : 0.0;
  }
  if (temperature == 0) {
    return static_cast<std::size_t>(best - scores.begin());
  }
  return weighted_choice(weights);
}

// Redraws duplicates, which are rare because the sample is small.
std::vector<std::size_t> Rng::sparse_sample(std::size_t size,
                                            std::size_t count) {
  std::vector<std::size_t> indices;
  std::unordered_set<std::size_t> seen;
  while (indices.size() < count) {
    const std::size_t index = below(size);
    if (seen.insert(index).second) indices.push_back(index);
  }
  return indices;
}

std::vector<std::size_t> Rng::sample(std::size_t size, std::size_t count) {
  REQUIRE(count <= size, "Rng::sample: count ({}) must not exceed size ({}).",
          count, size);
  if (count < size / 16) return sparse_sample(size, count);
  std::vector<std::size_t> indices(size);
  std::iota(indices.begin(), indices.end(), std::size_t{0});
  for (std::size_t i = 0; i < count; ++i) {
    std::swap(indices[i], indices[i + below(size - i)]);
  }
  indices.resize(count);
  return indices;
}

std::string Rng::to_string() const {
  return to_hex64(key_.high) + to_hex64(key_.low) + to_hex64(state_[0]) +
         to_hex64(state_[1]) + to_hex64(state_[2]) + to_hex64(state_[3]);
}

Result<Rng> Rng::from_string(std::string_view text) {
  std::array<std::uint64_t, 6> words{};
  const Error damaged(ErrorCode::DataDamaged,
                      "A stored random stream must be 96 hex digits, got '" +
                          std::string(text.substr(0, 100)) + "'.");
  if (text.size() != 16 * words.size()) return damaged;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const char* begin = text.data() + 16 * i;
    const auto [end, status] = std::from_chars(begin, begin + 16, words[i], 16);
    if (status != std::errc() || end != begin + 16) return damaged;
  }
  if (words[2] == 0 && words[3] == 0 && words[4] == 0 && words[5] == 0) {
    return damaged;
  }
  Rng rng(Key{words[0], words[1]});
  std::copy(words.begin() + 2, words.end(), rng.state_.begin());
  return rng;
}

}  // namespace lamarck
