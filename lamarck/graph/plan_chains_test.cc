#include <gtest/gtest.h>

#include <vector>

#include "lamarck/graph/graph.h"
#include "lamarck/graph/internal/graph_json.h"
#include "lamarck/graph/internal/plan.h"

namespace lamarck {
namespace {

// A random elementwise expression over [rows, 50] that broadcasts a row and a
// column. Each seed always gives the same expression.
struct Expression {
  Expression(std::uint64_t seed, const Tensor& values, const Tensor& column)
      : x(graph.input(values)),
        c(graph.input(column)),
        row(graph.parameter({50}, Init::normal(0, 1), "row")),
        loss(build(seed)) {
    x.set_requires_grad(true);
    c.set_requires_grad(true);
    row.set_value(Tensor::range(50) / Tensor::scalar(50));
  }

  Var build(std::uint64_t seed) const {
    Rng rng(seed);
    std::vector<Var> pool = {x};
    for (int i = 0; i < 25; ++i) {
      const Var& a = pool[rng.below(pool.size())];
      const Var& b = pool[rng.below(pool.size())];
      switch (rng.below(8)) {
        case 0:
          pool.push_back(a + row);
          break;
        case 1:
          pool.push_back(c * a);
          break;
        case 2:
          pool.push_back(a * b * 0.5f);
          break;
        case 3:
          pool.push_back((a - b).tanh());
          break;
        case 4:
          pool.push_back(a.sigmoid());
          break;
        case 5:
          pool.push_back(0.3f - a);
          break;
        case 6:
          pool.push_back((a * a).silu() * 0.2f);
          break;
        default:
          pool.push_back(a.leaky_relu(0.1f) + b);
          break;
      }
    }
    return (pool.back() + pool[pool.size() / 2]).tanh().sum();
  }

  Graph graph;
  Var x, c, row, loss;
};

// Compares a tensor that is large enough for chains with pieces that are not.
TEST(PlanChains, GiveSameResultsAsSingleSteps) {
  constexpr std::int64_t kRows = 1500;
  constexpr std::int64_t kPiece = 500;
  for (std::uint64_t seed = 0; seed < 15; ++seed) {
    Rng rng(seed);
    const Tensor values = Tensor::randn({kRows, 50}, rng);
    const Tensor column = Tensor::rand({kRows, 1}, rng);
    const Expression whole(seed, values, column);
    double expected = 0;
    Tensor row_gradient = Tensor::zeros({50});
    const float loss = whole.loss.backward();
    for (std::int64_t at = 0; at < kRows; at += kPiece) {
      const Expression piece(seed, values.slice(0, at, at + kPiece).clone(),
                             column.slice(0, at, at + kPiece).clone());
      expected += piece.loss.backward();
      EXPECT_LT(max_difference(whole.x.grad().slice(0, at, at + kPiece),
                               piece.x.grad()),
                1e-5)
          << "seed " << seed;
      if (piece.c.has_grad()) {
        EXPECT_LT(max_difference(whole.c.grad().slice(0, at, at + kPiece),
                                 piece.c.grad()),
                  1e-4)
            << "seed " << seed;
      }
      if (piece.row.has_grad()) {
        row_gradient = row_gradient + piece.row.grad();
      }
    }
    EXPECT_NEAR(loss, expected, 0.1) << "seed " << seed;
    if (whole.row.has_grad()) {
      EXPECT_LT(max_difference(whole.row.grad(), row_gradient), 2e-2)
          << "seed " << seed;
    }
  }
}

// Vars keep values from sharing buffers. The results must be identical with and
// without them.
TEST(PlanChains, SharedBuffersDoNotChangeResults) {
  for (std::uint64_t seed = 0; seed < 15; ++seed) {
    Rng rng(seed);
    const Tensor values = Tensor::randn({1500, 50}, rng);
    const Tensor column = Tensor::rand({1500, 1}, rng);
    const Expression shared(seed, values, column);
    const Expression kept(seed, values, column);
    std::vector<Var> handles;
    for (const NodeId id : kept.graph.node_ids()) {
      handles.push_back(kept.graph.node(id));
    }
    EXPECT_EQ(shared.loss.backward(), kept.loss.backward()) << "seed " << seed;
    EXPECT_EQ(max_difference(shared.x.grad(), kept.x.grad()), 0)
        << "seed " << seed;
    GraphState& state = GraphAccess::state(shared.graph);
    GraphState& other = GraphAccess::state(kept.graph);
    EXPECT_LT(
        state.plan_for(shared.loss.node_id(), PlanKind::Training)->value_size(),
        other.plan_for(kept.loss.node_id(), PlanKind::Training)->value_size());
  }
}

}  // namespace
}  // namespace lamarck
