#include "lamarck/problems/packing_instance.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <numeric>

#include <fmt/format.h>

#include "lamarck/base/ensure.h"
#include "lamarck/base/macros.h"

namespace lamarck::problems {
namespace {

constexpr std::string_view kSpace = " \t\r\n";
// Limits that keep a damaged file from exhausting memory.
constexpr int kMaxInstances = 100'000;
constexpr int kMaxItems = 1'000'000;

// Reads a text word by word.
class Words {
 public:
  explicit Words(std::string_view text) : text_(text) {}

  // Returns an empty view at the end.
  std::string_view next() {
    const std::size_t begin = text_.find_first_not_of(kSpace, at_);
    if (begin == std::string_view::npos) return {};
    at_ = std::min(text_.find_first_of(kSpace, begin), text_.size());
    return text_.substr(begin, at_ - begin);
  }

  Result<int> number(std::string_view what, int min, int max) {
    const std::string_view word = next();
    int value = 0;
    const auto [end, error] =
        std::from_chars(word.data(), word.data() + word.size(), value);
    const bool is_integer =
        error == std::errc() && end == word.data() + word.size();
    if (is_integer && value >= min && value <= max) return value;
    return Error(
        ErrorCode::InvalidArgument,
        fmt::format("Packing file: {} must be an integer between {} and "
                    "{}, got '{}'.",
                    what, min, max, word));
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

Result<PackingInstance> next_instance(Words& words) {
  PackingInstance instance;
  instance.name = words.next();
  ASSIGN_OR_RETURN(instance.capacity,
                   words.number("the capacity", 1, 1'000'000'000));
  ASSIGN_OR_RETURN(const int count,
                   words.number("the number of items", 1, kMaxItems));
  RETURN_IF_ERROR(words.number("the best known number of bins", 0, kMaxItems));
  for (int i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(const int size,
                     words.number("the size of an item", 1, instance.capacity));
    instance.items.push_back(size);
  }
  return instance;
}

}  // namespace

int min_bins(const PackingInstance& instance) {
  const auto sum = std::accumulate(instance.items.begin(), instance.items.end(),
                                   std::int64_t{0});
  return static_cast<int>((sum + instance.capacity - 1) / instance.capacity);
}

std::vector<PackingInstance> uniform_packing(const UniformPacking& options,
                                             Rng& rng) {
  REQUIRE(
      0 < options.smallest && options.smallest <= options.largest &&
          options.largest <= options.capacity,
      "uniform_packing: sizes must have 0 < smallest <= largest <= capacity, "
      "got {}, {} and {}.",
      options.smallest, options.largest, options.capacity);
  std::vector<PackingInstance> instances(options.instances);
  for (std::size_t i = 0; i < instances.size(); ++i) {
    instances[i].name = fmt::format("u{}_{:02}", options.items, i);
    instances[i].capacity = options.capacity;
    for (std::size_t k = 0; k < options.items; ++k) {
      instances[i].items.push_back(
          static_cast<int>(rng.integer(options.smallest, options.largest)));
    }
  }
  return instances;
}

Result<std::vector<PackingInstance>> parse_packing(std::string_view text) {
  Words words(text);
  ASSIGN_OR_RETURN(const int count,
                   words.number("the number of instances", 1, kMaxInstances));
  std::vector<PackingInstance> instances;
  for (int i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(PackingInstance instance, next_instance(words));
    instances.push_back(std::move(instance));
  }
  return instances;
}

}  // namespace lamarck::problems
