// Memories: what one time step passes to the next, and backpropagation through
// time.

#include <algorithm>
#include <utility>

#include "lamarck/base/ensure.h"
#include "lamarck/graph/graph.h"
#include "lamarck/graph/internal/graph_error.h"
#include "lamarck/graph/internal/graph_state.h"
#include "lamarck/graph/internal/plan.h"
#include "lamarck/tensor/vector_math.h"

namespace lamarck {
namespace {

void require_memory(const Node& node, std::string_view function) {
  if (node.is_memory) return;
  throw_graph_error(ErrorCode::InvalidArgument, "not_a_memory",
                    std::string(function) +
                        ": the node is not a memory; create one with "
                        "memory().");
}

std::int64_t row_size(const Shape& shape) {
  return shape.rank() == 0 || shape[0] == 0 ? 1
                                            : shape.element_count() / shape[0];
}

std::int64_t row_count(const Shape& shape) {
  return shape.rank() == 0 ? 1 : shape[0];
}

// Row `row`, or the only row of a tensor that stands for the whole batch.
const float* row_of(const Tensor& tensor, std::int64_t row) {
  const std::int64_t at = row_count(tensor.shape()) == 1 ? 0 : row;
  return tensor.begin_of_data() + at * row_size(tensor.shape());
}

RowChange find_change(const std::vector<RowChange>& rows, std::int64_t row) {
  const auto at = static_cast<std::size_t>(row);
  return at < rows.size() ? rows[at] : RowChange::Advanced;
}

// Assigns the rows of `source` that advance to the memory.
void advance(Node& memory, const Tensor& source,
             const std::vector<RowChange>& rows) {
  if (rows.empty() && memory.value.shape() == source.shape()) {
    memory.own_value().assign(source);
    return;
  }
  Tensor next = source.clone();
  const std::int64_t size = row_size(next.shape());
  for (std::int64_t row = 0; row < row_count(next.shape()); ++row) {
    if (find_change(rows, row) == RowChange::Advanced) continue;
    std::copy_n(row_of(memory.value, row), size,
                next.begin_of_data() + row * size);
  }
  memory.value = std::move(next);
  memory.shape = memory.value.shape();
}

// Adds the gradient that the following step gave a memory. In rows that
// advanced it belongs to the memory's source in this step; in rows that were
// held, to the memory itself; in rows that were reset, to nothing.
void add_carried(const Tensor& carried, const std::vector<RowChange>& rows,
                 Tensor* to_source, Tensor* to_memory) {
  const std::int64_t size = row_size(carried.shape());
  for (std::int64_t row = 0; row < row_count(carried.shape()); ++row) {
    const RowChange change = find_change(rows, row);
    Tensor* to = change == RowChange::Advanced ? to_source
                 : change == RowChange::Held   ? to_memory
                                               : nullptr;
    if (to == nullptr || row_size(to->shape()) != size) continue;
    // A single row that was broadcast gets the sum over the batch.
    const std::int64_t at = row_count(to->shape()) == 1 ? 0 : row;
    if (at >= row_count(to->shape())) continue;
    add_to(carried.begin_of_data() + row * size,
           to->begin_of_data() + at * size, static_cast<std::size_t>(size));
  }
}

std::vector<RowChange> changes_from(const std::vector<float>& active) {
  std::vector<RowChange> rows;
  for (const float one : active) {
    rows.push_back(one != 0 ? RowChange::Advanced : RowChange::Held);
  }
  return rows;
}

}  // namespace

void GraphState::require_memory_fits(const Node& memory, NodeId source) const {
  const Shape& shape = node(source).shape;
  const Shape& initial = memory.initial.shape();
  const bool fits = shape == initial ||
                    (initial.rank() > 0 && shape.rank() == initial.rank() &&
                     initial.with(0, 0) == shape.with(0, 0));
  if (fits) return;
  throw_shape_mismatch("add_recurrent_edge", shape, initial,
                       "a memory must have the shape of its source, or one row "
                       "for any batch size");
}

void GraphState::step(NodeId id, const StepOptions& options) {
  REQUIRE(
      !node(id).is_leaf(),
      "Graph::step: the target must be computed by an operation; node {} is "
      "an input or a parameter.",
      id);
  const std::shared_ptr<Plan> plan = plan_for(id, PlanKind::Step);
  plan->forward(*this);
  const std::vector<RowChange> rows = changes_from(options.active);
  for (const Plan::MemoryLink& link : plan->memories()) {
    const Shape& shape = plan->source_value(*this, link).shape();
    if (rows.empty()) continue;
    if (static_cast<std::int64_t>(rows.size()) != row_count(shape)) {
      throw_invalid_value("step", "active must have one entry per sequence, " +
                                      std::to_string(row_count(shape)) +
                                      ", got " + std::to_string(rows.size()));
    }
    const Shape& held = nodes[link.memory].value.shape();
    if (row_size(held) != row_size(shape) ||
        (row_count(held) != 1 && row_count(held) != row_count(shape))) {
      throw_shape_mismatch("step", held, shape,
                           "to hold rows, a memory must have the rows of its "
                           "source");
    }
  }
  if (!is_gradient_enabled) {
    // An unrecorded step cuts the path of the gradient through the memories.
    for (const Plan::MemoryLink& link : plan->memories()) {
      note_memory_set(link.memory);
    }
  } else {
    StepRecord& record = history.append();
    record.target = id;
    record.plan = plan;
    record.edits = edits;
    record.rows = rows;
    plan->record(*this, record);
  }
  // Read all sources before writing any memory: a source may itself be a
  // memory.
  next_memory_values.clear();
  for (const Plan::MemoryLink& link : plan->memories()) {
    next_memory_values.push_back(plan->source_value(*this, link));
  }
  for (std::size_t i = 0; i < next_memory_values.size(); ++i) {
    Node& memory = nodes[plan->memories()[i].memory];
    memory.is_value_shared = true;
    has_current_shapes &= memory.shape == next_memory_values[i].shape();
    advance(memory, next_memory_values[i], rows);
  }
  next_memory_values.clear();
  ++pass;
}

float GraphState::backward_through_time(NodeId id, const BpttOptions& options) {
  if (history.empty()) {
    throw_graph_error(ErrorCode::FailedPrecondition, "no_steps",
                      "backward_through_time: no step was recorded; call "
                      "graph.step(loss) for each step first, outside no_grad.");
  }
  const std::size_t count = history.size();
  const std::size_t wanted =
      options.steps == 0 ? count : std::min(options.steps, count);
  float total = 0;
  for (std::size_t at = 0; at < count; ++at) {
    const StepRecord& record = history[at];
    if (record.target != id) {
      throw_graph_error(ErrorCode::InvalidArgument, "target_mismatch",
                        "backward_through_time: the steps were recorded with "
                        "another target; pass the same loss to step().");
    }
    if (record.edits != edits) {
      throw_graph_error(ErrorCode::FailedPrecondition, "topology_changed",
                        "backward_through_time: nodes or edges changed after "
                        "the steps; call it before the change, or call "
                        "reset_state().");
    }
    if (record.parameter_changes != parameter_changes) {
      throw_graph_error(ErrorCode::FailedPrecondition, "parameters_changed",
                        "backward_through_time: parameters changed after the "
                        "steps; call it before the optimizer's step.");
    }
    if (!options.last_loss_only || at + 1 == count) {
      total += record.target_value;
    }
  }
  if (node(id).shape.element_count() != 1) {
    throw_invalid_shape("backward_through_time", node(id).shape,
                        "it must start at one element; call sum() or mean() "
                        "first");
  }
  // For each memory, the gradient from the following step. The loop walks the
  // steps backward and hands these gradients from one step to the one before.
  std::map<NodeId, Tensor> carried;
  for (std::size_t back = 0; back < wanted; ++back) {
    const StepRecord& record = history[count - 1 - back];
    Plan& plan = *record.plan;
    plan.recall(*this, record);
    plan.begin_step_backward(options.last_loss_only && back > 0 ? 0.0f : 1.0f);
    for (const Plan::MemoryLink& link : plan.memories()) {
      const auto found = carried.find(link.memory);
      // A value that was set by hand does not depend on this step.
      if (found == carried.end() ||
          std::ranges::count(record.set_after, link.memory) > 0) {
        continue;
      }
      add_carried(
          found->second, record.rows,
          plan.has_gradient(link.source_slot) ? &plan.gradient(link.source_slot)
                                              : nullptr,
          plan.has_gradient(link.memory_slot) ? &plan.gradient(link.memory_slot)
                                              : nullptr);
    }
    plan.finish_step_backward(*this);
    for (const Plan::MemoryLink& link : plan.memories()) {
      if (!plan.has_gradient(link.memory_slot)) {  // The memory is detached.
        carried.erase(link.memory);
        continue;
      }
      const Tensor& given = plan.gradient(link.memory_slot);
      Tensor& kept = carried[link.memory];
      if (kept.shape() == given.shape()) {
        kept.assign(given);
      } else {
        kept = given.clone();
      }
    }
  }
  // Restore the values of the last step, which Vars show.
  StepRecord& last = history[count - 1];
  last.plan->recall(*this, last);
  history.clear();
  return total;
}

Var Graph::memory(const Tensor& initial, const std::string& name) const {
  Var memory = input_named(initial, name);
  Node& node = state_->node(memory.node_id());
  node.is_memory = true;
  node.initial = initial.clone();
  return memory;
}

void Graph::add_recurrent_edge(const Var& from, const Var& memory) const {
  require_own(from, "add_recurrent_edge");
  require_own(memory, "add_recurrent_edge");
  Node& node = state_->node(memory.node_id());
  require_memory(node, "add_recurrent_edge");
  if (node.source) {
    throw_graph_error(ErrorCode::AlreadyExists, "connection_exists",
                      "add_recurrent_edge: the memory already follows node " +
                          std::to_string(*node.source) +
                          "; call remove_recurrent_edge first.");
  }
  if (from.is_parameter()) {
    throw_graph_error(ErrorCode::InvalidArgument, "not_computed",
                      "add_recurrent_edge: a parameter does not change from "
                      "step to step; let the memory follow a node that is "
                      "computed from it.");
  }
  state_->require_memory_fits(node, from.node_id());
  node.source = from.node_id();
  state_->topology_changed();
}

void Graph::remove_recurrent_edge(const Var& memory) const {
  require_own(memory, "remove_recurrent_edge");
  Node& node = state_->node(memory.node_id());
  require_memory(node, "remove_recurrent_edge");
  if (!node.source) {
    throw_graph_error(ErrorCode::NotFound, "edge_not_found",
                      "remove_recurrent_edge: the memory has no recurrent "
                      "edge.");
  }
  node.source.reset();
  state_->topology_changed();
}

void Graph::step(const Var& target, const StepOptions& options) const {
  require_own(target, "step");
  state_->step(target.node_id(), options);
}

void Graph::reset_state() const {
  for (Node& node : state_->nodes) {
    if (!node.is_memory) continue;
    if (node.value.shape() == node.initial.shape()) {
      node.own_value().assign(node.initial);
    } else {
      node.value = node.initial.clone();
      node.shape = node.value.shape();
      state_->has_current_shapes = false;
    }
  }
  state_->history.clear();
  ++state_->pass;
}

void Graph::reset_state(std::span<const std::int64_t> rows) const {
  for (Node& node : state_->nodes) {
    if (!node.is_memory) continue;
    const Shape shape = node.value.shape();
    for (const std::int64_t row : rows) {
      const std::int64_t initial_rows = row_count(node.initial.shape());
      REQUIRE(
          row >= 0 && row < row_count(shape) &&
              (initial_rows == 1 || row < initial_rows) &&
              row_size(node.initial.shape()) == row_size(shape),
          "Graph::reset_state: row {} must exist in every memory and in its "
          "initial value, got a memory of shape {} with an initial value of "
          "shape {}.",
          row, shape.to_string(), node.initial.shape().to_string());
      std::copy_n(row_of(node.initial, row), row_size(shape),
                  node.own_value().begin_of_data() + row * row_size(shape));
    }
    if (state_->history.empty()) continue;
    // A row that was reset passes no gradient back to the last step.
    auto& changes = state_->history[state_->history.size() - 1].rows;
    changes.resize(
        std::max(changes.size(), static_cast<std::size_t>(row_count(shape))),
        RowChange::Advanced);
    for (const std::int64_t row : rows) {
      changes[static_cast<std::size_t>(row)] = RowChange::Reset;
    }
  }
  ++state_->pass;
}

std::size_t Graph::recorded_steps() const { return state_->history.size(); }

}  // namespace lamarck
