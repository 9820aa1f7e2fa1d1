// Compiling a plan: what to compute, in which order, and in which memory.

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "lamarck/base/ensure.h"
#include "lamarck/graph/internal/error_place.h"
#include "lamarck/graph/internal/plan_parts.h"

namespace lamarck {
namespace {

Tensor make_view(const Tensor& buffers, std::int64_t offset,
                 const Shape& shape) {
  return buffers.slice(0, offset, offset + shape.element_count())
      .reshape(shape);
}

}  // namespace

Plan::Plan(const GraphState& state, NodeId target, PlanKind kind,
           std::uint64_t serial)
    : kind_(kind), topology_(state.topology), serial_(serial) {
  // The order matters: lifetimes depend on the final steps, and buffers depend
  // on lifetimes and on chains.
  collect(state, target);
  make_steps(state);
  pool_before_relu();
  find_lifetimes();
  find_chains();
  place_values();
  place_gradients();
  place_scratch();
}

Plan::~Plan() = default;

// Lists the nodes that the target needs, in topological order.
void Plan::collect(const GraphState& state, NodeId target) {
  std::vector<char> seen(state.nodes.size(), 0);
  collect_from(state, target, seen);
  target_slot_ = slots_.size() - 1;
  if (kind_ != PlanKind::Step) return;
  // Also compute the source of every memory. A source may read further
  // memories, so the list grows during the loop.
  for (std::size_t at = 0; at < slots_.size(); ++at) {
    const Node& node = state.nodes[slots_[at].id];
    if (!node.is_memory || !node.source) continue;
    slots_[at].is_memory = true;
    if (seen[*node.source] == 0) collect_from(state, *node.source, seen);
  }
}

// Depth-first post-order: a node is appended after all its inputs. Keeps its
// own stack, because recursion could overflow on a deep graph.
void Plan::collect_from(const GraphState& state, NodeId root,
                        std::vector<char>& seen) {
  struct Visit {
    NodeId id;
    std::size_t next_input = 0;
  };
  std::vector<Visit> path = {{root}};
  seen[root] = 1;
  while (!path.empty()) {
    Visit& visit = path.back();
    const Node& node = state.nodes[visit.id];
    if (visit.next_input < node.inputs.size()) {
      const NodeId input = node.inputs[visit.next_input++];
      if (seen[input] == 0) {
        seen[input] = 1;
        path.push_back({input});
      }
      continue;
    }
    Slot slot;
    slot.id = visit.id;
    slot.is_leaf = node.is_leaf();
    slots_.push_back(std::move(slot));
    path.pop_back();
  }
}

// Turns each operation into a step. Decides on the way which slots need a
// gradient: a slot does if some differentiable input does.
void Plan::make_steps(const GraphState& state) {
  std::unordered_map<NodeId, std::size_t> slot_of;
  slot_of.reserve(slots_.size());
  const auto leaf_count = std::ranges::count(slots_, true, &Slot::is_leaf);
  steps_.reserve(slots_.size() - static_cast<std::size_t>(leaf_count));
  for (std::size_t at = 0; at < slots_.size(); ++at) {
    Slot& slot = slots_[at];
    slot_of[slot.id] = at;
    const Node& node = state.nodes[slot.id];
    slot.root = at;
    slot.serial = node.serial;
    slot.is_detached = node.is_detached;
    slot.is_parameter = node.is_parameter;
    slot.requires_gradient = node.requires_gradient;
    slot.is_kept = node.handles > 0 || at == target_slot_;
    if (slot.is_leaf) {
      leaves_.push_back(at);
      slot.shape = node.value.shape();
      slot.needs_gradient = (node.requires_gradient || slot.is_memory) &&
                            !node.is_detached && kind_ != PlanKind::Inference;
      continue;
    }
    Step step;
    step.operation = node.operation;
    step.slot = at;
    step.attributes = node.attributes;
    std::vector<Shape> shapes;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const std::size_t from = slot_of.at(node.inputs[i]);
      step.input_slots.push_back(from);
      shapes.push_back(slots_[from].shape);
      slot.needs_gradient |= slots_[from].needs_gradient &&
                             i < node.operation->differentiable_inputs;
    }
    slot.needs_gradient &=
        node.operation->gradient != nullptr && !node.is_detached;
    step.has_gradient = slot.needs_gradient;
    const Operation& operation = *node.operation;
    slot.shape = with_error_place(state, node, slot.id, [&] {
      return operation.shape(operation, shapes, node.attributes);
    });
    if (operation.saved_size != nullptr) {
      step.saved_size =
          operation.saved_size(shapes, slot.shape, node.attributes);
    }
    if (operation.scratch_size != nullptr) {
      step.scratch_size =
          operation.scratch_size(shapes, slot.shape, node.attributes);
    }
    if (operation.binary != nullptr) {
      step.broadcast = BroadcastPlan(shapes[0], shapes[1], slot.shape);
    }
    steps_.push_back(std::move(step));
  }
  for (std::size_t at = 0; at < slots_.size(); ++at) {
    if (!slots_[at].is_memory) continue;
    const std::size_t source = slot_of.at(*state.nodes[slots_[at].id].source);
    memories_.push_back({slots_[at].id, at, source});
    slots_[source].is_source = true;
    slots_[source].is_kept = true;
  }
  // pool_before_relu may change the shape of a slot, but not that of its node.
  for (Slot& slot : slots_) slot.node_shape = slot.shape;
}

// Swaps relu and max pooling if nothing else reads the value between them. relu
// then visits one element of each window instead of all. The results are
// identical to the bit: relu is monotonic, so the maximum is the same, and it
// stops the gradient of every window whose maximum is not positive.
void Plan::pool_before_relu() {
  std::vector<std::size_t> reads(slots_.size(), 0);
  for (const Step& step : steps_) {
    for (const std::size_t from : step.input_slots) ++reads[from];
  }
  for (std::size_t at = 0; at + 1 < steps_.size(); ++at) {
    Step& relu = steps_[at];
    Step& pool = steps_[at + 1];
    if (relu.operation->name != "relu" ||
        pool.operation->name != "max_pool2d" ||
        pool.input_slots[0] != relu.slot || reads[relu.slot] != 1 ||
        slots_[relu.slot].is_kept || slots_[relu.slot].is_detached) {
      continue;
    }
    std::swap(relu.operation, pool.operation);
    std::swap(relu.attributes, pool.attributes);
    std::swap(relu.saved_size, pool.saved_size);
    std::swap(relu.scratch_size, pool.scratch_size);
    slots_[relu.slot].shape = slots_[pool.slot].shape;
  }
}

// Finds, for each buffer, the last step that reads it, and whether it is
// pinned: a Var or a gradient reads it after the forward pass, so it is never
// reused.
void Plan::find_lifetimes() {
  // A view has no buffer of its own, so its uses count for the buffer it shows.
  // A view of a leaf is copied instead: the elements of a leaf may move.
  for (const Step& step : steps_) {
    const std::size_t from = step.input_slots[0];
    if (step.operation->is_view && !slots_[from].is_leaf) {
      slots_[step.slot].root = slots_[from].root;
    }
  }
  for (std::size_t at = 0; at < steps_.size(); ++at) {
    const Step& step = steps_[at];
    Slot& slot = slots_[step.slot];
    Slot& root = slots_[slot.root];
    root.last_use = std::max(root.last_use, at);
    root.is_pinned |= slot.is_kept;
    root.is_pinned |=
        step.has_gradient && step.operation->gradient_reads_output;
    for (const std::size_t from : step.input_slots) {
      Slot& input_root = slots_[slots_[from].root];
      input_root.last_use = std::max(input_root.last_use, at);
      input_root.is_pinned |=
          step.has_gradient && step.operation->gradient_reads_inputs;
    }
  }
}

// Returns the index of an input whose value no later step reads, so that the
// output can overwrite it; kNone if there is none.
std::size_t Plan::input_to_overwrite(const Step& step, std::size_t at) const {
  if (!step.operation->in_place || step.operation->is_view) return kNone;
  for (std::size_t i = 0; i < step.input_slots.size(); ++i) {
    const Slot& from = slots_[step.input_slots[i]];
    const Slot& root = slots_[from.root];
    if (!root.is_leaf && !root.is_pinned && root.last_use == at &&
        from.shape == slots_[step.slot].shape) {
      return i;
    }
  }
  return kNone;
}

// Walks the steps in order, takes a buffer for each value and releases it after
// its last use.
void Plan::place_values() {
  BufferPlanner planner;
  std::vector<std::size_t> released_later;  // Buffers that die in a chain.
  for (std::size_t at = 0; at < steps_.size(); ++at) {
    Step& step = steps_[at];
    Slot& slot = slots_[step.slot];
    std::size_t overwritten = kNone;
    if (slot.root == step.slot) {
      const std::size_t input = input_to_overwrite(step, at);
      if (input != kNone) {
        overwritten = slots_[step.input_slots[input]].root;
        slot.value_buffer = slots_[overwritten].value_buffer;
      } else {
        slot.value_buffer = planner.take(slot.shape.element_count());
      }
    }
    // What an operation saves must survive until the gradient; without one, it
    // is released at once.
    if (step.saved_size > 0) step.saved_buffer = planner.take(step.saved_size);
    if (step.saved_size > 0 && !step.has_gradient) {
      planner.release(step.saved_buffer);
    }
    // Release the buffers that are read for the last time here, each once. The
    // output itself is among them if no step reads it.
    std::vector<std::size_t> dying = {slot.root};
    for (const std::size_t from : step.input_slots) {
      dying.push_back(slots_[from].root);
    }
    std::ranges::sort(dying);
    dying.erase(std::unique(dying.begin(), dying.end()), dying.end());
    for (const std::size_t root : dying) {
      const Slot& dead = slots_[root];
      if (!dead.is_leaf && !dead.is_pinned && dead.last_use == at &&
          root != overwritten) {
        released_later.push_back(dead.value_buffer);
      }
    }
    // Within a chain, a later step runs on the first block before an earlier
    // step has finished the last one. So nothing is reused before the chain
    // ends.
    if (at + 1 >= step.chain_end) {
      for (const std::size_t buffer : released_later) planner.release(buffer);
      released_later.clear();
    }
  }
  const std::vector<std::int64_t> offsets = planner.offsets();
  values_ = Tensor::uninitialized({offsets.back()});
  for (Step& step : steps_) {
    Slot& slot = slots_[step.slot];
    slot.value =
        make_view(values_, offsets[slots_[slot.root].value_buffer], slot.shape);
    if (step.saved_buffer != kNone) {
      float* saved = values_.begin_of_data() + offsets[step.saved_buffer];
      step.value_call.saved = saved;
      step.gradient_call.saved = saved;
    }
  }
  point_value_calls();
}

// Fills in the pointers of the value calls. The slots do not move any more, so
// calls may point into them. Leaves get their pointers in bind_leaves.
void Plan::point_value_calls() {
  for (Step& step : steps_) {
    Slot& slot = slots_[step.slot];
    for (const std::size_t from : step.input_slots) {
      step.inputs.push_back(
          {slots_[from].is_leaf ? nullptr : slots_[from].value.begin_of_data(),
           &slots_[from].shape});
    }
    for (std::size_t i = 0; i < step.inputs.size(); ++i) {
      Slot& from = slots_[step.input_slots[i]];
      if (from.is_leaf) from.value_uses.push_back(&step.inputs[i]);
    }
    step.value_call.operation = step.operation;
    step.value_call.attributes = &step.attributes;
    step.value_call.broadcast = &step.broadcast;
    step.value_call.inputs = step.inputs;
    step.value_call.output = {slot.value.begin_of_data(), &slot.shape};
  }
}

// Returns the index of an input whose gradient may overwrite the gradient of
// the output; kNone if there is none. `reads` counts how often the step reads
// each slot.
std::size_t Plan::gradient_to_overwrite(
    const Step& step, const std::vector<std::size_t>& reads) const {
  const Slot& slot = slots_[step.slot];
  if (!step.operation->in_place || slot.is_kept || slot.is_source) return kNone;
  const auto& inputs = step.input_slots;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Slot& from = slots_[inputs[i]];
    const bool has_shape =
        from.shape == slot.shape ||
        (step.operation->is_view &&
         from.shape.element_count() == slot.shape.element_count());
    if (from.needs_gradient && !from.is_leaf && has_shape &&
        from.gradient_buffer == kNone && reads[inputs[i]] == 1) {
      return i;
    }
  }
  return kNone;
}

// Walks the steps backward, takes a buffer for each gradient at its first
// contribution and releases it after the step that consumes it. Gradients that
// the caller sets before the pass (target, memories and their sources) get
// their buffers first.
void Plan::place_gradients() {
  BufferPlanner planner;
  std::vector<std::size_t> released_later;
  std::vector<char> is_written(slots_.size(), 0);
  std::vector<std::size_t> reads(slots_.size(), 0);  // In the current step.
  for (std::size_t at = 0; at < slots_.size(); ++at) {
    Slot& slot = slots_[at];
    if (!slot.needs_gradient || slot.has_own_gradient()) continue;
    if (slot.is_filled_before() || at == target_slot_) {
      slot.gradient_buffer = planner.take(slot.shape.element_count());
    }
    // Their first contribution within the pass must therefore be added.
    is_written[at] = slot.is_filled_before() || at == target_slot_ ? 1 : 0;
  }
  for (std::size_t at = steps_.size(); at-- > 0;) {
    Step& step = steps_[at];
    Slot& slot = slots_[step.slot];
    if (!step.has_gradient) continue;
    // No later step contributes to it, so the target does not depend on it and
    // its gradient is zero.
    if (slot.gradient_buffer == kNone) {
      step.has_gradient = false;
      continue;
    }
    for (const std::size_t input : step.input_slots) ++reads[input];
    const std::size_t overwriting = gradient_to_overwrite(step, reads);
    step.accumulate = std::make_unique<bool[]>(step.input_slots.size());
    for (std::size_t i = 0; i < step.input_slots.size(); ++i) {
      const std::size_t input = step.input_slots[i];
      Slot& from = slots_[input];
      if (!from.needs_gradient || i >= step.operation->differentiable_inputs) {
        continue;
      }
      // The first contribution overwrites, later ones add. If the step reads
      // the slot twice, it may compute its contributions in any order, so the
      // gradient is cleared first and both are added.
      const bool is_read_twice = reads[input] > 1;
      const bool is_first = is_written[input] == 0;
      step.accumulate[i] = !is_first || is_read_twice;
      if (is_first && is_read_twice) step.cleared_slots.push_back(input);
      if (from.has_own_gradient()) {
        // Whether the first contribution adds depends on earlier passes, so
        // run_gradients sets this flag.
        if (is_first) {
          from.first_accumulate =
              is_read_twice ? &from.is_cleared_first : &step.accumulate[i];
        }
      } else if (i == overwriting) {
        from.gradient_buffer = slot.gradient_buffer;
      } else if (from.gradient_buffer == kNone) {
        from.gradient_buffer = planner.take(from.shape.element_count());
      }
      is_written[input] = 1;
    }
    for (const std::size_t input : step.input_slots) reads[input] = 0;
    // If an input took the buffer over, that input releases it later.
    if (overwriting == kNone && !slot.is_kept && !slot.is_filled_before()) {
      released_later.push_back(slot.gradient_buffer);
    }
    if (step.gradient_chain_begin == kNone || step.gradient_chain_begin == at) {
      for (const std::size_t buffer : released_later) planner.release(buffer);
      released_later.clear();
    }
  }
  const std::vector<std::int64_t> offsets = planner.offsets();
  gradients_ = Tensor::uninitialized({offsets.back()});
  for (Slot& slot : slots_) {
    if (slot.gradient_buffer == kNone) continue;
    slot.gradient =
        make_view(gradients_, offsets[slot.gradient_buffer], slot.shape);
  }
  point_gradient_calls();
}

// Like point_value_calls, for the gradients.
void Plan::point_gradient_calls() {
  for (Step& step : steps_) {
    if (!step.has_gradient) continue;
    Slot& slot = slots_[step.slot];
    const std::size_t count = step.input_slots.size();
    step.input_gradients.resize(count, nullptr);
    for (std::size_t i = 0; i < count; ++i) {
      Slot& from = slots_[step.input_slots[i]];
      if (!from.needs_gradient || i >= step.operation->differentiable_inputs) {
        continue;
      }
      if (from.has_own_gradient()) {
        from.gradient_uses.push_back(&step.input_gradients[i]);
      } else {
        step.input_gradients[i] = from.gradient.begin_of_data();
      }
    }
    step.gradient_call.operation = step.operation;
    step.gradient_call.attributes = &step.attributes;
    step.gradient_call.broadcast = &step.broadcast;
    step.gradient_call.inputs = step.inputs;
    step.gradient_call.output = {slot.value.begin_of_data(), &slot.shape};
    step.gradient_call.output_gradient = slot.gradient.begin_of_data();
    step.gradient_call.input_gradients = step.input_gradients;
    step.gradient_call.accumulate = {step.accumulate.get(), count};
  }
}

// Steps run one after another, so they can share one scratch buffer.
void Plan::place_scratch() {
  std::int64_t size = 0;
  for (const Step& step : steps_) size = std::max(size, step.scratch_size);
  scratch_ = Tensor::uninitialized({size});
  for (Step& step : steps_) {
    step.value_call.scratch = scratch_.begin_of_data();
    step.gradient_call.scratch = scratch_.begin_of_data();
  }
}

}  // namespace lamarck
