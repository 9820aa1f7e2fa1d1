#include "lamarck/archipelago/cluster.h"

#include <gtest/gtest.h>

#include <array>
#include <map>

#include "lamarck/archipelago/internal/source_skeleton.h"
#include "lamarck/archipelago/toy_engine_fixture.h"

namespace lamarck::archipelago {
namespace {

// All functions have the same score.
FunctionPtr of_length(std::size_t length) {
  std::int64_t number = 1;
  for (std::size_t i = 1; i < length; ++i) number *= 10;
  auto fn = std::make_shared<Function>(0, std::make_shared<ToySkeleton>(number),
                                       nullptr, Origin{});
  fn->accept({.scores = {1}, .failure = {}, .constants = {}});
  return fn;
}

TEST(Cluster, DrawsFunctionsBySoftmaxOfNegatedLength) {
  Cluster cluster;
  for (const std::size_t length : {2, 6, 10}) cluster.add_fn(of_length(length));
  std::map<std::size_t, double> share;
  constexpr int kDraws = 20'000;
  Rng rng(1);

  for (int i = 0; i < kDraws; ++i) {
    share[cluster.select_fn(rng)->skeleton()->size()] += 1.0 / kDraws;
  }

  // exp(0) : exp(-1/2) : exp(-1)
  EXPECT_NEAR(share[2], 0.5065, 0.015);
  EXPECT_NEAR(share[6], 0.3072, 0.015);
  EXPECT_NEAR(share[10], 0.1863, 0.015);
}

TEST(Cluster, BestIsShortestAmongHighestScores) {
  Cluster cluster;
  for (const std::size_t length : {4, 2, 3}) cluster.add_fn(of_length(length));

  EXPECT_EQ(cluster.best_fn()->skeleton()->size(), 2U);
}

TEST(Cluster, DropsLongestButNeverBest) {
  Cluster cluster;
  for (const std::size_t length : {3, 5, 2, 5}) {
    cluster.add_fn(of_length(length));
  }

  cluster.drop_longest();
  cluster.drop_longest();
  cluster.drop_longest();

  ASSERT_EQ(cluster.functions().size(), 1U);
  EXPECT_EQ(cluster.best_fn()->skeleton()->size(), 2U);
  EXPECT_THROW(cluster.drop_longest(), LogicError);
}

TEST(Cluster, ReportsAddedAndSelectedFunctions) {
  Cluster cluster;
  std::vector<std::string_view> types;
  cluster.use_profiler(
      [&](const ClusterEvent& event) { types.push_back(event_type(event)); });
  Rng rng(1);

  cluster.add_fn(of_length(2));
  cluster.select_fn(rng);

  EXPECT_EQ(types,
            (std::vector<std::string_view>{"on_fn_added", "on_fn_selected"}));
}

TEST(Cluster, RejectsFailedFunction) {
  Cluster cluster;

  EXPECT_THROW(cluster.add_fn(toy_function(7)), LogicError);
  EXPECT_THROW(cluster.best_fn(), LogicError);
}

// Its size is not the number of its characters.
class SizedSkeleton : public SourceSkeleton {
 public:
  SizedSkeleton(std::string source, std::size_t size)
      : SourceSkeleton(std::move(source)), size_(size) {}
  std::size_t size() const override { return size_; }

 private:
  std::size_t size_;
};

TEST(Cluster, LengthMayBeThatOfTheText) {
  for (const LengthUnit unit : {LengthUnit::Size, LengthUnit::Characters}) {
    Cluster cluster(unit);
    for (const auto& [source, size] :
         {std::pair("x + 1", 9), std::pair("x + velocity", 3)}) {
      auto fn = std::make_shared<Function>(
          0, std::make_shared<SizedSkeleton>(source, size), nullptr, Origin{});
      fn->accept({.scores = {1}, .failure = {}, .constants = {}});
      cluster.add_fn(fn);
    }
    EXPECT_EQ(cluster.best_fn()->skeleton()->source(),
              unit == LengthUnit::Size ? "x + velocity" : "x + 1");
  }
}

}  // namespace
}  // namespace lamarck::archipelago
