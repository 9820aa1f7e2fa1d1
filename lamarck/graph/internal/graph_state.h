// What the handles Graph and Var share.

#pragma once

#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lamarck/base/rng.h"
#include "lamarck/base/thread_pool.h"
#include "lamarck/graph/internal/history.h"
#include "lamarck/graph/operation.h"
#include "lamarck/graph/var.h"
#include "lamarck/tensor/tensor.h"

namespace lamarck {

class NodeOrder;
class Plan;
struct StepOptions;
enum class PlanKind : std::uint8_t;

struct Node {
  const Operation* operation = nullptr;  // Null for a leaf.
  std::uint64_t serial = 0;  // Its own: an id may be used again, this not.
  std::vector<NodeId> inputs;
  Attributes attributes;
  std::string name;
  bool is_parameter = false;
  bool is_constant = false;
  bool is_detached = false;
  bool requires_gradient = false;  // Of a leaf.
  bool is_removed = false;         // Its place is free once no Var names it.

  // Of a memory: where it begins, and the node whose value it takes over at
  // each step.
  bool is_memory = false;
  Tensor initial;
  std::optional<NodeId> source;

  Shape shape;  // As of the last run; before the first one, as it was built.
  // A leaf's own, shared with snapshots until it is written; another node's as
  // its last plan computed it.
  Tensor value;
  bool is_value_shared = false;  // Perhaps; of a leaf.
  bool is_computed = false;      // Not of a leaf.
  Tensor gradient;
  bool has_gradient = false;

  // How many Vars name it: while some do, a plan keeps its value.
  std::size_t handles = 0;

  bool is_leaf() const { return operation == nullptr; }
  // The leaf's elements, no longer shared with any snapshot.
  Tensor& own_value();
};

struct GraphState {
  explicit GraphState(std::uint64_t seed);
  ~GraphState();
  GraphState(const GraphState&) = delete;
  GraphState& operator=(const GraphState&) = delete;

  // Throws LogicError of kind node_not_found if it was removed.
  Node& node(NodeId id);
  const Node& node(NodeId id) const;

  // Throws LogicError if the inputs' shapes do not fit.
  NodeId add_operation(const Operation& operation, std::vector<NodeId> inputs,
                       const Attributes& attributes);
  NodeId add_leaf(const Tensor& value, const std::string& name);
  NodeId add_node(Node node);
  // REQUIRES: nothing reads it.
  void remove_node(NodeId id);
  std::vector<NodeId> consumers_of(NodeId id) const;
  // Each after what it reads. Throws LogicError of kind cycle if there is none.
  std::vector<NodeId> topological_order() const;
  // All shapes, worked out from the leaves' as they are now; none where inputs
  // of different batches meet, and none behind. `first_failure` then says why.
  // Throws LogicError of kind cycle.
  std::vector<std::optional<Shape>> inferred_shapes(
      std::exception_ptr* first_failure = nullptr) const;
  // Takes over those that are known.
  void set_shapes(const std::vector<std::optional<Shape>>& shapes);
  // Gives a node other inputs. Throws LogicError and changes nothing if that
  // would close a cycle or some node fits no more; nodes that did not fit
  // before, because inputs hold different batches, may stay so.
  void replace_inputs(NodeId id, std::vector<NodeId> inputs);

  // Throws LogicError if the memory cannot take over the source's value.
  void require_memory_fits(const Node& memory, NodeId source) const;

  void set_value(NodeId id, const Tensor& value);
  void set_name(NodeId id, const std::string& name);
  void topology_changed() {
    topology = ++last_topology;
    ++edits;
  }
  // A memory no longer holds what the last recorded step gave it.
  void note_memory_set(NodeId id);
  void gradient_flow_changed() { ++gradient_flow; }
  void forget_plans_beyond(NodeId count);

  // The plan for the node with the inputs' shapes as they are now.
  std::shared_ptr<Plan>& plan_for(NodeId id, PlanKind kind);
  void forward(NodeId id);
  float backward(NodeId id, bool retain_graph);
  float backward_through_time(NodeId id, const BpttOptions& options);
  void step(NodeId id, const StepOptions& options);

  const std::uint64_t identity;  // Another one for each graph there ever was.
  std::uint64_t last_serial = 0;
  std::vector<Node> nodes;
  std::size_t removed_count = 0;
  std::map<std::string, NodeId, std::less<>> names;
  Rng rng;
  bool is_gradient_enabled = true;

  // Grows whenever a leaf's value changes: what was computed before is old.
  std::uint64_t pass = 1;
  // Grows with each run; chance draws by it.
  std::uint64_t runs = 0;
  // Grows whenever a parameter's value changes.
  std::uint64_t parameter_changes = 0;
  // Names a topology: plans of another one do not fit. Nodes that are only
  // added at the end leave it as it is.
  std::uint64_t topology = 1;
  std::uint64_t last_topology = 1;
  std::uint64_t edits = 0;  // Of nodes and edges.
  // Grows whenever a node is detached, attached or asked for its gradient, or a
  // Var begins to name it: plans look again whether they fit.
  std::uint64_t gradient_flow = 1;
  std::size_t plans_compiled = 0;
  // By target; several for the shapes of several batches.
  std::map<NodeId, std::vector<std::shared_ptr<Plan>>> plans;
  // The serial number of the one whose values the nodes show; 0 for none.
  std::uint64_t shown_plan = 0;

  // Whether each node's shape follows from the leaves' shapes as they are now.
  bool has_current_shapes = true;
  // Made by the first edit that needs it; null again after a restore.
  std::unique_ptr<NodeOrder> node_order;

  std::shared_ptr<ThreadPool> workers;  // Null: the caller's thread alone.

  History history;
  std::vector<Tensor> taken_over;  // During a step, by the memories.

 private:
  void notice_growth();
  // Looks only at what changes; returns false, and changes nothing, if the edit
  // is a mistake or shapes are not current.
  bool replace_inputs_locally(NodeId id, const std::vector<NodeId>& inputs);
  void replace_inputs_globally(NodeId id, std::vector<NodeId> inputs);

  std::size_t nodes_at_last_backward_ = 0;
  int growing_passes_ = 0;
};

}  // namespace lamarck
