#include "lamarck/optim/optimizer_file.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <vector>

namespace lamarck::optim {
namespace {

using OptimizerMaker = std::function<std::unique_ptr<Optimizer>(const Graph&)>;

// Every optimizer, and Sgd with its memory in use.
std::vector<OptimizerMaker> optimizer_makers() {
  std::vector<OptimizerMaker> makers = {[](const Graph& graph) {
    return std::make_unique<Sgd>(
        graph.parameters(), 0.05f,
        SgdOptions{.momentum = 0.9f, .nesterov = true});
  }};
  for (const OptimizerEntry& entry : optimizer_table()) {
    makers.emplace_back([&](const Graph& graph) {
      return entry.make(graph.parameters(), entry.usual_rate);
    });
  }
  return makers;
}

// Uses dropout, so that resuming also depends on the state of the random
// numbers.
Graph sample_graph() {
  Graph graph(5);
  const Var w = graph.parameter({3, 7}, Init::xavier(), "w");
  const Var b = graph.parameter({7}, Init::normal(0, 1), "b");
  const Var x = graph.input(Tensor::full({4, 3}, 0.3f));
  const Var hidden = (x.matmul(w) + b).tanh();
  hidden.dropout(0.3f, graph.ones({})).square().mean().set_name("loss");
  return graph;
}

void train(const Graph& graph, Optimizer& optimizer, int steps) {
  const Var loss = graph.named("loss");
  for (int i = 0; i < steps; ++i) optimizer.minimize(loss);
}

std::vector<float> values_of(const Graph& graph) {
  std::vector<float> all;
  for (const Var& parameter : graph.parameters()) {
    for (const float value : parameter.value().to_vector()) {
      all.push_back(value);
    }
  }
  return all;
}

TEST(OptimizerFile, ResumesTrainingBitForBit) {
  const std::string path = testing::TempDir() + "optimizer_file_test.lamarck";
  for (const OptimizerMaker& make : optimizer_makers()) {
    const Graph whole = sample_graph();
    const auto whole_optimizer = make(whole);
    train(whole, *whole_optimizer, 5);
    whole_optimizer->set_rate(0.0123f);
    ModelExtras extras;
    add_optimizer(extras, *whole_optimizer);
    ASSERT_TRUE(save_model(path, whole, extras));
    train(whole, *whole_optimizer, 6);

    auto loaded = load_model(path);
    ASSERT_TRUE(loaded) << loaded.error().message();
    const auto optimizer = make(loaded->graph);
    const auto restored = restore_optimizer(loaded->extras, *optimizer);
    ASSERT_TRUE(restored) << restored.error().message();
    EXPECT_EQ(optimizer->rate(), 0.0123f);
    train(loaded->graph, *optimizer, 6);

    EXPECT_EQ(values_of(loaded->graph), values_of(whole)) << optimizer->kind();
    EXPECT_EQ(optimizer->steps_taken(), 11);
  }
}

TEST(OptimizerFile, StoresSeveralOptimizersByName) {
  const Graph graph = sample_graph();
  Adam first({graph.named("w")}, 0.1f);
  Adam second({graph.named("b")}, 0.2f);
  train(graph, first, 3);
  ModelExtras extras{.tensors = {{"mean", Tensor::zeros({2})}},
                     .notes = {{"classes", "[]"}}};
  add_optimizer(extras, first, "first");
  add_optimizer(extras, second, "second");

  Adam third({graph.named("w")}, 0.3f);
  ASSERT_TRUE(restore_optimizer(extras, third, "first"));
  EXPECT_EQ(third.rate(), 0.1f);
  EXPECT_EQ(third.steps_taken(), 3);
  ASSERT_TRUE(restore_optimizer(extras, second, "second"));
  EXPECT_EQ(extras.notes.at("classes"), "[]");
}

TEST(OptimizerFile, ReplacesOptimizerOfSameName) {
  const Graph graph = sample_graph();
  Adam adam(graph.parameters());
  ModelExtras extras;
  add_optimizer(extras, adam);
  Sgd sgd({graph.named("w")}, 0.1f, {.momentum = 0.5f});
  add_optimizer(extras, sgd);
  EXPECT_EQ(extras.tensors.size(), 1u);
  EXPECT_TRUE(restore_optimizer(extras, sgd));
}

// Returns the error message of a restore, or "" if it succeeds. Expects that a
// failed restore leaves the optimizer unchanged.
std::string restore_failure(const ModelExtras& extras,
                            const std::string& name) {
  const Graph graph = sample_graph();
  Adam adam(graph.parameters(), 0.5f);
  train(graph, adam, 2);
  const OptimizerState before = adam.state();
  const Result<void> outcome = restore_optimizer(extras, adam, name);
  if (outcome.has_value()) return "";
  EXPECT_EQ(adam.steps_taken(), 2);
  EXPECT_EQ(adam.rate(), 0.5f);
  const OptimizerState after = adam.state();
  for (const auto& [key, tensor] : before.tensors) {
    EXPECT_EQ(max_difference(tensor, after.tensors.at(key)), 0);
  }
  return outcome.error().message();
}

TEST(OptimizerFile, RejectsMissingOrDamagedStateUnchanged) {
  const Graph graph = sample_graph();
  ModelExtras good;
  add_optimizer(good, Adam(graph.parameters()));
  EXPECT_EQ(restore_failure(good, "optimizer"), "");
  EXPECT_EQ(restore_failure(good, "adam"),
            "The model contains no optimizer 'adam'; call add_optimizer before "
            "saving the model.");

  for (const char* note :
       {"", "no JSON", "[]", R"({"kind": "adam", "steps": 1})",
        R"({"kind": "adam", "steps": "1", "rate": 0.1})"}) {
    ModelExtras damaged = good;
    damaged.notes["optimizer"] = note;
    EXPECT_EQ(restore_failure(damaged, "optimizer")
                  .rfind("The model's optimizer 'optimizer' is damaged: ", 0),
              0u)
        << note;
  }
  ModelExtras negative = good;
  negative.notes["optimizer"] = R"({"kind": "adam", "steps": -1, "rate": 0.1})";
  EXPECT_NE(restore_failure(negative, "optimizer"), "");
  ModelExtras huge = good;
  huge.notes["optimizer"] = R"({"kind": "adam", "steps": 1, "rate": 1e300})";
  EXPECT_NE(restore_failure(huge, "optimizer"), "");
  ModelExtras missing = good;
  missing.tensors.erase("optimizer/w.square");
  EXPECT_EQ(
      restore_failure(missing, "optimizer"),
      "Cannot restore the optimizer: the state has no tensor 'w.square'.");
  ModelExtras other = good;
  add_optimizer(other, Sgd(graph.parameters(), 0.1f));
  EXPECT_NE(restore_failure(other, "optimizer"), "");
}

TEST(OptimizerFile, RejectsEmptyNameAndSlash) {
  const Graph graph = sample_graph();
  Adam adam(graph.parameters());
  ModelExtras extras;
  EXPECT_THROW(add_optimizer(extras, adam, "a/b"), LogicError);
  EXPECT_THROW(add_optimizer(extras, adam, ""), LogicError);
}

}  // namespace
}  // namespace lamarck::optim
