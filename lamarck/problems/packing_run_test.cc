#include "lamarck/problems/packing_run.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "lamarck/base/error.h"

namespace lamarck::problems {
namespace {

using Rule = std::function<double(int item, int left)>;

PackingTable table(int smallest, int largest, int capacity, const Rule& rule) {
  std::vector<double> priorities;
  for (int item = smallest; item <= largest; ++item) {
    for (int left = 0; left <= capacity; ++left) {
      priorities.push_back(left < item ? 0 : rule(item, left));
    }
  }
  return PackingTable(smallest, largest, capacity, priorities);
}

// The reference: looks at all possible bins and takes the first with the
// highest priority.
int reference_bins_used(const PackingInstance& instance, const Rule& rule) {
  std::vector<int> left(instance.items.size(), instance.capacity);
  for (const int item : instance.items) {
    int best = -1;
    double highest = 0;
    for (std::size_t i = 0; i < left.size(); ++i) {
      if (left[i] < item) continue;
      const double priority = rule(item, left[i]);
      if (best >= 0 && priority <= highest) continue;
      best = static_cast<int>(i);
      highest = priority;
    }
    left[static_cast<std::size_t>(best)] -= item;
  }
  int used = 0;
  for (const int each : left) used += each < instance.capacity ? 1 : 0;
  return used;
}

const Rule kBestFit = [](int item, int left) { return item - left; };
const Rule kFirstFit = [](int, int) { return 0.0; };
const Rule kWorstFit = [](int item, int left) { return left - item; };
const Rule kUneven = [](int item, int left) {
  return static_cast<double>((left * 7 + item * 3) % 11);
};
const Rule kSigned = [](int item, int left) {
  return left % 3 == 0 ? -0.0 : 0.0 * item;
};
const Rule kNever = [](int, int left) {
  return left < 60 ? -std::numeric_limits<double>::infinity() : 1.0 / left;
};

TEST(PackingRun, AgreesWithReferencePacking) {
  Rng rng(1);
  const auto instances = uniform_packing({.instances = 10}, rng);
  for (const Rule& rule :
       {kBestFit, kFirstFit, kWorstFit, kUneven, kSigned, kNever}) {
    const PackingTable priorities = table(20, 100, 150, rule);
    for (const PackingInstance& instance : instances) {
      EXPECT_EQ(bins_used(instance, priorities),
                reference_bins_used(instance, rule))
          << instance.name;
    }
  }
}

TEST(PackingRun, PrefersFirstOfEqualBins) {
  // First fit puts 40 into the bin with 50 and needs three bins; best fit puts
  // it into the bin with 60.
  const PackingInstance instance{
      .name = "i", .capacity = 100, .items = {50, 60, 40, 50}};

  EXPECT_EQ(bins_used(instance, table(40, 60, 100, kFirstFit)), 3);
  EXPECT_EQ(bins_used(instance, table(40, 60, 100, kBestFit)), 2);
}

TEST(PackingRun, ReproducesKnownExcessOfBestFitAndFirstFit) {
  Rng rng(2);
  const auto instances = uniform_packing({.instances = 400}, rng);
  const double best = packing_excess(instances, table(20, 100, 150, kBestFit));
  const double first =
      packing_excess(instances, table(20, 100, 150, kFirstFit));

  EXPECT_NEAR(best, 0.0645, 0.003);
  EXPECT_NEAR(first, 0.0705, 0.003);
  EXPECT_LT(best, first);
}

TEST(PackingRun, RejectsTableOfWrongSize) {
  const std::vector<double> four(4);

  EXPECT_THROW(PackingTable(20, 100, 150, four), LogicError);
  EXPECT_THROW(PackingTable(0, 1, 1, four), LogicError);
}

}  // namespace
}  // namespace lamarck::problems
