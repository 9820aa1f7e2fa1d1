// The state that the handles Graph and Var share: nodes, names, compiled plans
// and the history of recorded steps.

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

// A leaf (input, parameter, constant or memory) or the result of an operation.
struct Node {
  const Operation* operation = nullptr;  // Null for a leaf.
  std::uint64_t serial = 0;  // Unique: ids are reused, serial numbers are not.
  std::vector<NodeId> inputs;
  Attributes attributes;
  std::string name;
  bool is_parameter = false;
  bool is_constant = false;
  bool is_detached = false;
  bool requires_gradient = false;  // For leaves only.
  // The id can be reused once no Var refers to it.
  bool is_removed = false;

  // For memories: the initial value, and the node whose value the memory takes
  // after each step.
  bool is_memory = false;
  Tensor initial;
  std::optional<NodeId> source;

  // From the last run; before the first run, from when the node was built.
  Shape shape;
  // A leaf's own value, shared with snapshots until it is written. For other
  // nodes, the value as the last plan computed it.
  Tensor value;
  // For leaves: a snapshot may share the value, so copy it before writing.
  bool is_value_shared = false;
  bool is_computed = false;  // For operations only.
  // The last pass in which the operation updated leaves; see
  // Operation::updated_inputs.
  std::uint64_t updated_pass = 0;
  Tensor gradient;
  bool has_gradient = false;

  // The number of Vars that refer to this node. A plan keeps the value of a
  // node while there are any.
  std::size_t handles = 0;

  bool is_leaf() const { return operation == nullptr; }
  // The value of a leaf for writing; copies it first if a snapshot shares it.
  Tensor& own_value();
};

struct GraphState {
  explicit GraphState(std::uint64_t seed);
  ~GraphState();
  GraphState(const GraphState&) = delete;
  GraphState& operator=(const GraphState&) = delete;

  // Throws a LogicError of kind node_not_found if the node does not exist.
  Node& node(NodeId id);
  const Node& node(NodeId id) const;

  // Throws LogicError if the inputs' shapes do not fit.
  NodeId add_operation(const Operation& operation, std::vector<NodeId> inputs,
                       const Attributes& attributes);
  NodeId add_leaf(const Tensor& value, const std::string& name);
  NodeId add_node(Node node);
  // REQUIRES: no other node reads it.
  void remove_node(NodeId id);
  std::vector<NodeId> consumers_of(NodeId id) const;
  // Each node comes after its inputs. Throws a LogicError of kind cycle if the
  // graph has one.
  std::vector<NodeId> topological_order() const;
  // Infers all shapes from the current shapes of the leaves. A node whose
  // inputs do not fit (batches of different sizes meet) and all nodes
  // downstream have none; `first_failure` then holds the exception. Throws
  // LogicError of kind cycle.
  std::vector<std::optional<Shape>> inferred_shapes(
      std::exception_ptr* first_failure = nullptr) const;
  // Stores the shapes that are known.
  void set_shapes(const std::vector<std::optional<Shape>>& shapes);
  // Gives a node other inputs. Throws LogicError and changes nothing if that
  // would close a cycle or break the shape of some node. Nodes whose inputs did
  // not fit before, because batches differ in size, may stay that way.
  void replace_inputs(NodeId id, std::vector<NodeId> inputs);

  // Throws LogicError if the memory cannot hold the source's value.
  void require_memory_fits(const Node& memory, NodeId source) const;

  void set_value(NodeId id, const Tensor& value);
  void set_name(NodeId id, const std::string& name);
  void topology_changed() {
    topology = ++last_topology;
    ++edits;
  }
  // Notes that a memory was set by hand after the last recorded step, so no
  // gradient flows back through it.
  void note_memory_set(NodeId id);
  void gradient_flow_changed() { ++gradient_flow; }
  // Drops every plan that uses a node with an id of at least `count`.
  void forget_plans_beyond(NodeId count);

  // Finds or compiles the plan for the node with the current input shapes.
  std::shared_ptr<Plan>& plan_for(NodeId id, PlanKind kind);
  void forward(NodeId id);
  float backward(NodeId id, bool retain_graph);
  float backward_through_time(NodeId id, const BpttOptions& options);
  void step(NodeId id, const StepOptions& options);

  const std::uint64_t identity;  // Unique among all graphs of the process.
  std::uint64_t last_serial = 0;
  std::vector<Node> nodes;
  std::size_t removed_count = 0;
  std::map<std::string, NodeId, std::less<>> names;
  Rng rng;
  bool is_gradient_enabled = true;

  // Increases whenever the value of a leaf changes, so that earlier results are
  // stale, and when a target is computed again. Within a pass, targets that
  // share a node agree on it: it draws and updates statistics once.
  std::uint64_t pass = 1;
  // Increases with each pass that computes something; random operations such as
  // dropout derive their draws from it.
  std::uint64_t runs = 0;
  std::uint64_t last_run_pass = 0;
  // Increases whenever the value of a parameter changes.
  std::uint64_t parameter_changes = 0;
  // Identifies the topology that a plan was compiled for. Appending nodes does
  // not change it, because no existing plan reads them.
  std::uint64_t topology = 1;
  std::uint64_t last_topology = 1;
  std::uint64_t edits = 0;  // Counts changes of nodes and edges.
  // Increases whenever a node is detached, attached or asked for its gradient,
  // or gets a Var that a plan did not know of. Plans then check again whether
  // they still fit.
  std::uint64_t gradient_flow = 1;
  std::size_t plans_compiled = 0;
  // By target node, with one plan for each kind and each set of input shapes.
  std::map<NodeId, std::vector<std::shared_ptr<Plan>>> plans;
  // The serial number of the plan whose values the nodes refer to; 0 for none.
  std::uint64_t shown_plan = 0;

  // Whether each node's shape follows from the leaves' shapes as they are now.
  bool has_current_shapes = true;
  // Created by the first edit that needs it; null again after a restore.
  std::unique_ptr<NodeOrder> node_order;

  std::shared_ptr<ThreadPool> workers;  // Null: only the caller's thread runs.

  History history;
  // During a step: the value that each memory takes next.
  std::vector<Tensor> next_memory_values;

 private:
  void notice_growth(bool is_backward);
  // Warns once about a loss that is NaN and names the node where it begins.
  void notice_nan(Plan& plan);
  // Visits only the nodes that change. Returns false and changes nothing if the
  // edit is invalid or the shapes are not current.
  bool replace_inputs_locally(NodeId id, const std::vector<NodeId>& inputs);
  void replace_inputs_globally(NodeId id, std::vector<NodeId> inputs);

  std::size_t nodes_at_last_run_ = 0;
  int growths_ = 0;  // Since the graph last stopped growing.
  int runs_since_growth_ = 0;
  bool has_warned_of_growth_ = false;
  std::uint64_t backward_count_ = 0;
  bool has_warned_of_nan_ = false;
};

}  // namespace lamarck
