#include "lamarck/graph/internal/plan.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "lamarck/base/ensure.h"
#include "lamarck/graph/internal/error_place.h"
#include "lamarck/graph/internal/plan_parts.h"
#include "lamarck/tensor/flush_denormals.h"
#include "lamarck/tensor/worker_scope.h"

namespace lamarck {

bool Plan::fits(const GraphState& state) {
  if (topology_ != state.topology) return false;
  // The check of all slots is expensive, so it runs only after a change of
  // handles or gradients. A plan does not fit if a Var now refers to a node
  // whose value it does not keep.
  if (checked_gradient_flow_ != state.gradient_flow) {
    const bool is_same = std::ranges::all_of(slots_, [&](const Slot& slot) {
      const Node& node = state.nodes[slot.id];
      return node.serial == slot.serial &&
             (slot.is_leaf || slot.is_kept || node.handles == 0) &&
             node.is_detached == slot.is_detached &&
             node.requires_gradient == slot.requires_gradient;
    });
    if (!is_same) return false;
    checked_gradient_flow_ = state.gradient_flow;
  }
  return std::ranges::all_of(leaves_, [&](std::size_t leaf) {
    return state.nodes[slots_[leaf].id].value.shape() == slots_[leaf].shape;
  });
}

NodeId Plan::largest_node() const {
  NodeId largest = 0;
  for (const Slot& slot : slots_) largest = std::max(largest, slot.id);
  return largest;
}

void Plan::bind_value(Slot& slot, const float* value) {
  if (value == slot.bound_value) return;
  slot.bound_value = value;
  for (ConstView* use : slot.value_uses) use->data = value;
}

// Leaves belong to the graph and may be replaced between runs, so each run
// first updates the pointers of the calls that read them.
void Plan::bind_leaves(GraphState& state) {
  for (const std::size_t leaf : leaves_) {
    Slot& slot = slots_[leaf];
    Node& node = state.nodes[slot.id];
    bind_value(slot, std::as_const(node.value).begin_of_data());
    if (!slot.needs_gradient || !slot.has_own_gradient()) continue;
    if (!(node.gradient.shape() == slot.shape)) {
      node.gradient = Tensor::uninitialized(slot.shape);
      node.has_gradient = false;
    }
    if (node.gradient.begin_of_data() != slot.bound_gradient) {
      slot.bound_gradient = node.gradient.begin_of_data();
      for (float** use : slot.gradient_uses) *use = slot.bound_gradient;
    }
  }
}

void Plan::forward(GraphState& state) {
  if (computed_pass_ == state.pass) ++state.pass;
  // An operation may write to a leaf (running statistics): unshare it first, so
  // that snapshots keep the old value.
  for (const Step& step : steps_) {
    for (std::size_t i = 0; step.operation->updated_inputs >> i != 0; ++i) {
      state.nodes[slots_[step.input_slots[i]].id].own_value();
    }
  }
  bind_leaves(state);
  const WorkerScope scope(state.workers.get());
  const FlushDenormals flush;
  if (state.last_run_pass != state.pass) {
    state.last_run_pass = state.pass;
    ++state.runs;
  }
  run_ = state.runs;
  run_values(state);
  // Nodes refer to the buffers of one plan at a time. They need an update only
  // if another plan ran last.
  if (state.shown_plan != serial_) {
    show(state);
    state.shown_plan = serial_;
  }
  computed_pass_ = state.pass;
  consumed_pass_ = 0;
}

void Plan::run_values(GraphState& state) {
  std::size_t at = 0;
  auto chain = chains_.begin();
  try {
    while (at < steps_.size()) {
      if (chain != chains_.end() && chain->begin == at) {
        run_chain(*chain);
        at = chain->end;
        ++chain;
        continue;
      }
      run_step(state, steps_[at]);
      ++at;
    }
  } catch (const InvariantError&) {
    throw;
  } catch (const LogicError& failure) {  // Such as an index out of range.
    const NodeId id = slots_[steps_[at].slot].id;
    throw LogicError(locate_error(state, failure.error(), state.nodes[id], id));
  }
}

void Plan::run_step(GraphState& state, Step& step) const {
  step.value_call.run = run_;
  if (step.operation->updated_inputs != 0) {
    Node& node = state.nodes[slots_[step.slot].id];
    step.value_call.updates_inputs = node.updated_pass != state.pass;
    node.updated_pass = state.pass;
  }
  step.operation->value(step.value_call);
}

void Plan::show(GraphState& state) const {
  for (const Step& step : steps_) {
    const Slot& slot = slots_[step.slot];
    Node& node = state.nodes[slot.id];
    node.shape = slot.node_shape;
    if (!slot.is_kept) continue;
    node.value = slot.value;
    node.is_computed = true;
  }
}

void Plan::backward(GraphState& state) {
  ENSURE(computed_pass_ == state.pass, "values are computed before gradients");
  bind_leaves(state);
  Slot& target = slots_[target_slot_];
  // The target needs no gradient if it depends on no parameter.
  if (target.gradient_buffer != kNone) target.gradient.data()[0] = 1;
  run_gradients(state);
}

void Plan::run_gradients(GraphState& state) {
  const WorkerScope scope(state.workers.get());
  const FlushDenormals flush;
  // The first contribution to a parameter in this pass adds to the gradient of
  // earlier passes, unless zero_grad cleared it.
  for (const std::size_t leaf : leaves_) {
    const Slot& slot = slots_[leaf];
    if (slot.first_accumulate != nullptr) {
      *slot.first_accumulate = state.nodes[slot.id].has_gradient;
    }
  }
  auto chain = chains_.rbegin();
  for (std::size_t at = steps_.size(); at-- > 0;) {
    // Skip the chains after this step, which are done.
    while (chain != chains_.rend() && chain->begin > at) ++chain;
    if (chain != chains_.rend() && chain->has_gradient &&
        chain->end == at + 1) {
      run_chain_gradient(*chain);
      at = chain->begin;  // The loop continues with the step before it.
      continue;
    }
    Step& step = steps_[at];
    if (!step.has_gradient) continue;
    for (const std::size_t cleared : step.cleared_slots) {
      Slot& slot = slots_[cleared];
      if (!slot.has_own_gradient()) {
        slot.gradient.fill(0);
      } else if (!slot.is_cleared_first) {  // No gradient of an earlier pass.
        state.nodes[slot.id].gradient.fill(0);
      }
    }
    step.gradient_call.run = run_;
    step.operation->gradient(step.gradient_call);
  }
  for (const std::size_t leaf : leaves_) {
    const Slot& slot = slots_[leaf];
    if (slot.first_accumulate != nullptr) {
      state.nodes[slot.id].has_gradient = true;
    }
  }
  // Publish the gradients of the nodes that Vars refer to.
  for (const Step& step : steps_) {
    const Slot& slot = slots_[step.slot];
    if (!slot.is_kept || !step.has_gradient) continue;
    Node& node = state.nodes[slot.id];
    if (!node.has_gradient ||
        !node.gradient.shares_elements_with(slot.gradient)) {
      node.gradient = slot.gradient;
      node.has_gradient = true;
    }
  }
}

float Plan::target_value() const {
  const Slot& target = slots_[target_slot_];
  return target.is_leaf ? target.bound_value[0]
                        : std::as_const(target.value).begin_of_data()[0];
}

std::optional<NodeId> Plan::first_nan(GraphState& state) {
  const auto has_nan = [](const float* data, const Shape& shape) {
    return std::any_of(data, data + shape.element_count(),
                       [](float x) { return std::isnan(x); });
  };
  bind_leaves(state);
  for (const std::size_t leaf : leaves_) {
    const Slot& slot = slots_[leaf];
    if (has_nan(slot.bound_value, slot.shape)) return slot.id;
  }
  // Step by step, because later nodes may have overwritten the values of
  // earlier ones.
  const WorkerScope scope(state.workers.get());
  const FlushDenormals flush;
  for (Step& step : steps_) {
    step.value_call.updates_inputs = false;
    step.operation->value(step.value_call);
    if (has_nan(step.value_call.output.data, *step.value_call.output.shape)) {
      return slots_[step.slot].id;
    }
  }
  return std::nullopt;
}

void Plan::record(const GraphState& state, StepRecord& record) const {
  if (record.values.shape() == values_.shape()) {
    record.values.assign(values_);
  } else {
    record.values = values_.clone();
  }
  record.leaves.resize(leaves_.size());
  for (std::size_t i = 0; i < leaves_.size(); ++i) {
    const Node& node = state.nodes[slots_[leaves_[i]].id];
    if (node.is_parameter) continue;  // Must not change between the steps.
    if (record.leaves[i].shape() == node.value.shape()) {
      record.leaves[i].assign(node.value);
    } else {
      record.leaves[i] = node.value.clone();
    }
  }
  record.run = run_;
  record.target_value = target_value();
  record.parameter_changes = state.parameter_changes;
}

void Plan::recall(GraphState& state, const StepRecord& record) {
  bind_leaves(state);
  values_.assign(record.values);
  run_ = record.run;  // Dropout recomputes the mask of that run.
  for (std::size_t i = 0; i < leaves_.size(); ++i) {
    Slot& slot = slots_[leaves_[i]];
    if (slot.is_parameter) continue;
    bind_value(slot, record.leaves[i].begin_of_data());
  }
}

void Plan::begin_step_backward(float target_gradient) {
  for (Slot& slot : slots_) {
    if (slot.gradient_buffer == kNone) continue;
    if (slot.is_filled_before()) slot.gradient.fill(0);
  }
  Slot& target = slots_[target_slot_];
  if (target.gradient_buffer == kNone) return;
  target.gradient.data()[0] = target_gradient;
}

void Plan::finish_step_backward(GraphState& state) { run_gradients(state); }

const Tensor& Plan::source_value(const GraphState& state,
                                 const MemoryLink& link) const {
  const Slot& slot = slots_[link.source_slot];
  return slot.is_leaf ? state.nodes[slot.id].value : slot.value;
}
Tensor& Plan::gradient(std::size_t slot) { return slots_[slot].gradient; }
bool Plan::has_gradient(std::size_t slot) const {
  return slots_[slot].gradient_buffer != kNone;
}

}  // namespace lamarck
