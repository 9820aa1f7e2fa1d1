// What the handles Graph and Var share.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lamarck/base/rng.h"
#include "lamarck/graph/operation.h"
#include "lamarck/graph/var.h"
#include "lamarck/tensor/tensor.h"

namespace lamarck {

class Plan;

struct Node {
  const Operation* operation = nullptr;  // Null for a leaf.
  std::vector<NodeId> inputs;
  Attributes attributes;
  std::string name;
  bool is_parameter = false;
  bool is_detached = false;
  bool requires_gradient = false;  // Of a leaf.

  // A leaf's own; another node's as its last plan computed it.
  Tensor value;
  bool is_computed = false;  // Not of a leaf.
  Tensor gradient;
  bool has_gradient = false;
};

struct GraphState {
  explicit GraphState(std::uint64_t seed);
  ~GraphState();

  // Throws LogicError if the inputs' shapes do not fit.
  NodeId add_operation(const Operation& operation, std::vector<NodeId> inputs,
                       const Attributes& attributes);
  NodeId add_leaf(const Tensor& value, const std::string& name);

  Shape shape_of(NodeId id) const;
  void set_value(NodeId id, const Tensor& value);
  // The plan for the node with the inputs' shapes as they are now.
  Plan& plan_for(NodeId id);
  void forward(NodeId id);
  float backward(NodeId id, bool retain_graph);

  std::vector<Node> nodes;
  std::map<std::string, NodeId, std::less<>> names;
  Rng rng;
  bool is_gradient_enabled = true;

  // Grows whenever a leaf's value changes: what was computed before is old.
  std::uint64_t pass = 1;
  // Grows whenever plans must be compiled anew.
  std::uint64_t topology = 1;
  std::size_t plans_compiled = 0;
  // By target; several for the shapes of several batches.
  std::map<NodeId, std::vector<std::unique_ptr<Plan>>> plans;

 private:
  void notice_growth();

  std::size_t nodes_at_last_backward_ = 0;
  int growing_passes_ = 0;
};

}  // namespace lamarck
