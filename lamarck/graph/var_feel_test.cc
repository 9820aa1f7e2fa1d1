// What users of PyTorch expect of expressions.

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "lamarck/base/error.h"
#include "lamarck/graph/graph.h"

namespace lamarck {
namespace {

using VarValues = std::vector<float>;

VarValues value_of(const Var& var) {
  var.forward();
  return var.value().to_vector();
}

template <class Work>
Error error_of(Work&& work) {
  try {
    work();
  } catch (const LogicError& failure) {
    return failure.error();
  }
  ADD_FAILURE() << "nothing was thrown";
  return invalid_argument("");
}

// Beside an attached use of the same node, which `detach` would block too.
TEST(VarFeel, DetachedCopyBlocksGradientOnlyThroughItself) {
  Graph graph;
  const Var w = graph.parameter({}, Init::constant(3), "w");
  const Var v = graph.parameter({}, Init::constant(2), "v");
  const Var fake = w * 5.0f;
  const Var blocked = fake.detached() * v;
  const Var open = fake * v;
  blocked.backward();
  EXPECT_FALSE(w.has_grad());
  EXPECT_EQ(v.grad().item(), 15);
  open.backward();
  EXPECT_EQ(w.grad().item(), 10);
  EXPECT_EQ(fake.detached().operation(), "detached");
  EXPECT_EQ(value_of(fake.detached()), VarValues{15});
}

TEST(VarFeel, NoGradReturnsValueAndBuildsWithoutGradients) {
  Graph graph;
  const Var w = graph.parameter({}, Init::constant(2), "w");
  const Var fixed = graph.no_grad([&] { return w * w; });
  const Var loss = fixed * w;
  EXPECT_EQ(loss.backward(), 8);
  EXPECT_EQ(w.grad().item(), 4);  // Only the factor outside counts.
  const float value = graph.no_grad([&] {
    loss.forward();
    return loss.item();
  });
  EXPECT_EQ(value, 8);
  EXPECT_THROW(graph.no_grad([&]() -> float { throw 1; }), int);
  EXPECT_NO_THROW((w * w).backward());  // Gradients are on again.
}

TEST(VarFeel, ReductionsKeepAxisAndArgmaxCoversAll) {
  Graph graph;
  const Var x = graph.input(Tensor::from({2, 3}, {1, 6, 3, 4, 5, 2}));
  EXPECT_EQ(x.mean(1, true).shape(), Shape({2, 1}));
  EXPECT_EQ(value_of(x - x.max(-1, true)), (VarValues{-5, 0, -3, -1, 0, -3}));
  EXPECT_EQ(value_of(x.argmax()), VarValues{1});
  EXPECT_EQ(x.argmax(0, true).shape(), Shape({1, 3}));
}

TEST(VarFeel, ShapesComeFromVectorsAndAxesMayBeNegative) {
  Graph graph;
  const Var x = graph.input(Tensor::range(24).reshape({2, 3, 4}));
  const std::vector<std::int64_t> sizes = {4, -1};
  EXPECT_EQ(x.reshape(sizes).shape(), Shape({4, 6}));
  const std::vector<std::int64_t> axes = {-1, 0, 1};
  EXPECT_EQ(x.permute(axes).shape(), Shape({4, 2, 3}));
  EXPECT_EQ(x.transpose(0, -1).shape(), Shape({4, 3, 2}));
  EXPECT_EQ(x.unsqueeze(-1).shape(), Shape({2, 3, 4, 1}));
  EXPECT_EQ(x.unsqueeze(0).squeeze(0).shape(), x.shape());
  EXPECT_EQ(value_of(x.select(-1, -1).select(0, 0)), (VarValues{3, 7, 11}));
  EXPECT_EQ(x.slice(1, -2, kToEnd).shape(), Shape({2, 2, 4}));
  EXPECT_THROW(x.squeeze(0), LogicError);
  // Slices from the end fit other batches.
  const Var last = x.select(1, -1);
  x.set_value(Tensor::range(40).reshape({2, 5, 4}));
  EXPECT_EQ(value_of(last), (VarValues{16, 17, 18, 19, 36, 37, 38, 39}));
}

TEST(VarFeel, SoftmaxWorksAlongAnyAxis) {
  Graph graph(5);
  const Var x = graph.randn({2, 3, 4});
  const Tensor along = [&] {
    const Var y = x.softmax(1);
    y.forward();
    return y.value();
  }();
  const Var moved = x.transpose(1, 2).softmax().transpose(1, 2);
  moved.forward();
  EXPECT_EQ(max_difference(along, moved.value()), 0);
  const Var log = x.log_softmax(0).exp().sum(0);
  for (const float total : value_of(log)) EXPECT_NEAR(total, 1, 1e-6);
  EXPECT_EQ(x.softmax(-1).operation(), "softmax");
  EXPECT_THROW(x.softmax(3), LogicError);
}

TEST(VarFeel, CompoundAssignmentRebindsOnlyThisVar) {
  Graph graph;
  const Var x = graph.input(Tensor::scalar(3));
  Var total = x;
  total += x;
  total *= 4;
  total -= 1.0f;
  total /= x;
  EXPECT_NEAR(value_of(total)[0], 23.0f / 3, 1e-6);
  EXPECT_EQ(x.item(), 3);
}

TEST(VarFeel, ComparesOnEitherSide) {
  Graph graph;
  const Var x = graph.input(Tensor::from({3}, {1, 2, 3}));
  EXPECT_EQ(value_of(2 < x), (VarValues{0, 0, 1}));
  EXPECT_EQ(value_of(2 >= x), (VarValues{1, 1, 0}));
  EXPECT_EQ(value_of(x == 2), (VarValues{0, 1, 0}));
  EXPECT_EQ(value_of(2 != x), (VarValues{1, 0, 1}));
  EXPECT_EQ(value_of(x == x), (VarValues{1, 1, 1}));
  EXPECT_TRUE(same_node(x, graph.node(x.node_id())));
}

TEST(VarFeel, EmptyVarCanBeAssignedButNotUsed) {
  Var x;
  EXPECT_FALSE(x.is_defined());
  const Var copy = x;
  EXPECT_EQ(error_of([&] { copy.forward(); }).fields().at("kind"),
            "undefined_var");
  EXPECT_EQ(error_of([&] { static_cast<void>(x + 1.0f); }).fields().at("kind"),
            "undefined_var");
  Graph graph;
  const Var y = graph.input(Tensor::scalar(1));
  EXPECT_EQ(error_of([&] { static_cast<void>(y * x); }).fields().at("kind"),
            "undefined_var");
  x = y;
  EXPECT_EQ(x.item(), 1);
}

TEST(VarFeel, PrintsValueAndOrigin) {
  Graph graph;
  const Var x = graph.input(Tensor::from({2}, {1, 2}));
  const Var w = graph.parameter({2}, Init::constant(3), "w");
  const Var y = x * w;
  std::ostringstream out;
  out << x << "; " << w << "; " << y << "; ";
  y.forward();
  out << y << "; " << Var();
  EXPECT_EQ(out.str(),
            "[1, 2] (input); [3, 3] (parameter 'w'); (mul of shape [2], not "
            "computed yet); [3, 6] (mul); (undefined)");
}

TEST(VarFeel, DrawsFromRangesAndNormals) {
  Graph graph(1);
  const Tensor u = graph.uniform({1000}, 3, 4).value();
  EXPECT_GE(min(u).item(), 3);
  EXPECT_LT(max(u).item(), 4);
  EXPECT_NEAR(mean(graph.normal({2000}, -7, 0.5f).value()).item(), -7, 0.1);
}

TEST(VarFeel, ErrorsNameNodeAndLayer) {
  Graph graph;
  const Var x = graph.input_named(Tensor::zeros({2, 3}), "pixels");
  const Var w = graph.parameter({4, 5}, Init::zeros(), "hidden.weight");
  const Error built = error_of([&] { static_cast<void>(x.matmul(w)); });
  EXPECT_EQ(built.fields().at("node"), "pixels");
  EXPECT_EQ(built.fields().at("layer"), "hidden");
  EXPECT_EQ(built.fields().at("kind"), "shape_mismatch");
  EXPECT_NE(built.message().find("Layer 'hidden': matmul"), std::string::npos);
}

TEST(VarFeel, ErrorsOfARunNameNodeAndLayer) {
  Graph graph;
  const Var table = graph.parameter({4, 5}, Init::zeros(), "words.weight");
  const Var at = graph.input(Tensor::from({1}, {2}));
  const Var found = table.embedding(at).set_name("found");
  at.set_value(Tensor::from({1}, {9}));
  const Error run = error_of([&] { found.forward(); });
  EXPECT_EQ(run.fields().at("node"), "found");
  EXPECT_EQ(run.fields().at("layer"), "words");

  const Var x = graph.input(Tensor::zeros({2, 3}));
  const Var y = graph.input(Tensor::zeros({2, 3}));
  const Var sum = x + y;
  x.set_value(Tensor::zeros({4, 3}));
  EXPECT_EQ(error_of([&] { sum.forward(); }).fields().at("node"),
            std::to_string(sum.node_id()));
}

}  // namespace
}  // namespace lamarck
