#include "lamarck/graph/internal/changed_shapes.h"

#include <set>
#include <utility>
#include <vector>

#include "lamarck/base/error.h"
#include "lamarck/graph/internal/node_order.h"

namespace lamarck {
namespace {

// Propagates new shapes downstream from one node.
class ShapeChange {
 public:
  ShapeChange(const GraphState& state, const NodeOrder& order)
      : state_(state), order_(order) {}

  // Throws LogicError if the inputs of a node do not fit.
  void run(NodeId id, std::span<const NodeId> inputs) {
    update(id, inputs);
    while (!waiting_.empty()) {
      const NodeId next = waiting_.begin()->second;
      waiting_.erase(waiting_.begin());
      update(next, state_.nodes[next].inputs);
    }
  }

  std::unordered_map<NodeId, Shape>& changed() { return changed_; }

 private:
  // The new shape if it changed, else the stored one.
  const Shape& shape(NodeId id) const {
    const auto found = changed_.find(id);
    return found == changed_.end() ? state_.nodes[id].shape : found->second;
  }

  void update(NodeId id, std::span<const NodeId> inputs) {
    const Node& node = state_.nodes[id];
    std::vector<Shape> shapes;
    shapes.reserve(inputs.size());
    for (const NodeId input : inputs) shapes.push_back(shape(input));
    const Shape now =
        node.operation->shape(*node.operation, shapes, node.attributes);
    if (now == node.shape) return;  // Nothing changes downstream.
    changed_.emplace(id, now);
    for (const NodeId reader : order_.readers(id)) {
      waiting_.emplace(order_.rank(reader), reader);
    }
  }

  const GraphState& state_;
  const NodeOrder& order_;
  std::unordered_map<NodeId, Shape> changed_;
  // Sorted by rank, so that each node is updated once, after all its inputs.
  std::set<std::pair<std::int64_t, NodeId>> waiting_;
};

}  // namespace

std::optional<std::unordered_map<NodeId, Shape>> find_changed_shapes(
    const GraphState& state, const NodeOrder& order, NodeId id,
    std::span<const NodeId> inputs) {
  ShapeChange change(state, order);
  try {
    change.run(id, inputs);
  } catch (const LogicError&) {
    return std::nullopt;
  }
  return std::move(change.changed());
}

}  // namespace lamarck
