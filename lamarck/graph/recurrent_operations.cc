// Recurrent cells over whole sequences, each as one operation. The inputs of
// all steps are multiplied by the input weight in a single product, and so are
// the gradients of the weights. Only the hidden products run step by step,
// because each needs the state of the step before.

#include <algorithm>

#include "lamarck/graph/internal/recurrent_sequence.h"
#include "lamarck/graph/operation_table.h"
#include "lamarck/tensor/vector_math.h"

namespace lamarck {
namespace {

constexpr RecurrentKind kRnn{.gates = 1, .biases = 1, .states = 1};
constexpr RecurrentKind kLstm{.gates = 4, .biases = 1, .states = 2};
constexpr RecurrentKind kGru{.gates = 3, .biases = 2, .states = 1};

RecurrentSequence make_sequence(std::span<const ConstView> inputs) {
  return RecurrentSequence(*inputs[0].shape, *inputs[2].shape);
}

// Splits saved or scratch memory into consecutive parts.
template <class Float>
class Parts {
 public:
  explicit Parts(Float* start) : next_(start) {}
  Float* take(std::int64_t count) {
    next_ += count;
    return next_ - count;
  }

 private:
  Float* next_;
};

// Reorders the gates of input `name` along `axis`: ONNX has i, o, f, c for an
// LSTM (ours is i, f, c, o) and z, r, h for a GRU (ours is r, z, h).
std::string gates_onnx(const RecurrentKind& kind, const std::string& name,
                       std::int64_t hidden, int axis) {
  if (kind.gates == 1) return name;
  const std::vector<std::int64_t> order =
      kind.gates == 4 ? std::vector<std::int64_t>{0, 3, 1, 2}
                      : std::vector<std::int64_t>{1, 0, 2};
  std::string parts;
  for (const std::int64_t gate : order) {
    parts += "Slice(" + name + ", [" + std::to_string(gate * hidden) + "], [" +
             std::to_string((gate + 1) * hidden) + "], [" +
             std::to_string(axis) + "]), ";
  }
  return "Concat(" + parts + "; axis=" + std::to_string(axis) + ")";
}

// The RNN, LSTM or GRU of ONNX. Its LSTM returns only the last cell state, so
// the earlier ones are filled with NaN. It has no equivalent of our mask, so a
// sequence with a mask is not exported.
template <const RecurrentKind& Kind>
std::string sequence_onnx(const NodeShapes& shapes, const Attributes&) {
  if (shapes.inputs.size() > Kind.input_count()) return "";
  const std::int64_t hidden = shapes.inputs[2][0];
  const auto letter = [](std::size_t input) {
    return std::string(1, static_cast<char>('a' + input));
  };
  const auto weight = [&](std::size_t input) {
    return "Unsqueeze(Transpose(" + gates_onnx(Kind, letter(input), hidden, 1) +
           "; perm=[1, 0]), [0])";
  };
  const std::string first = gates_onnx(Kind, "d", hidden, 0);
  const std::string second = Kind.biases == 2 ? gates_onnx(Kind, "e", hidden, 0)
                                              : "Mul(0, " + first + ")";
  const std::string size = "[" + std::to_string(hidden) + "]";
  const std::string batch = "Slice(Shape(a), [1], [2]), ";
  const auto state = [&](std::size_t at) {
    return "Unsqueeze(Expand(" + letter(3 + Kind.biases + at) + ", Concat(" +
           batch + size + "; axis=0)), [0])";
  };
  std::string inputs = "(a, " + weight(1) + ", " + weight(2) +
                       ", Unsqueeze(Concat(" + first + ", " + second +
                       "; axis=0), [0]), _, " + state(0);
  if (Kind.states == 2) inputs += ", " + state(1);
  inputs += "; hidden_size=" + std::to_string(hidden);
  if (Kind.gates == 3) inputs += ", linear_before_reset=1";
  inputs += ")";
  const std::string name = Kind.gates == 1   ? "RNN"
                           : Kind.gates == 4 ? "LSTM"
                                             : "GRU";
  std::string sequence = "Squeeze(" + name + inputs + ", [1])";
  if (Kind.states == 1) return sequence;
  const std::string before =
      "Expand(Div(0, 0), Concat(Sub(Slice(Shape(a), [0]"
      ", [1]), [1]), " +
      batch + size + "; axis=0))";
  return "Concat(" + sequence + ", Concat(" + before + ", LSTM@2" + inputs +
         "; axis=0); axis=2)";
}

// [steps, batch, states * hidden]: an lstm returns h and c side by side.
template <const RecurrentKind& Kind>
Shape sequence_shape(const Operation& operation, std::span<const Shape> inputs,
                     const Attributes&) {
  require_sequence(Kind, operation.name, inputs);
  const auto states = static_cast<std::int64_t>(Kind.states);
  return inputs[0].with(2, states * inputs[2][0]);
}

// What the value saves for the gradient: the initial state and the state after
// each step, the activated gates, and intermediate results of each step.
template <class Float>
struct Saved {
  Saved(const RecurrentSequence& s, const RecurrentKind& kind, Float* start) {
    Parts<Float> parts(start);
    h = parts.take((s.steps + 1) * s.state_size());
    if (kind.gates == 1) return;
    gates = parts.take(s.steps * s.sums_size());
    inner = parts.take(s.steps * s.state_size());
    if (kind.states == 2) c = parts.take((s.steps + 1) * s.state_size());
  }
  Float* h = nullptr;
  Float* gates = nullptr;  // Unused for rnn, whose only gate is h.
  Float* inner = nullptr;  // tanh(c) for lstm, h_n for gru.
  Float* c = nullptr;      // For lstm only.
};

template <const RecurrentKind& Kind>
std::int64_t saved_size(std::span<const Shape> inputs, const Shape&,
                        const Attributes&) {
  const RecurrentSequence s(inputs[0], inputs[2]);
  const std::int64_t states = (s.steps + 1) * s.state_size();
  if (Kind.gates == 1) return states;
  return states * static_cast<std::int64_t>(Kind.states) +
         s.steps * (s.sums_size() + s.state_size());
}

// The gradient needs more scratch memory than the value: the gradients of the
// sums, once for each bias, of the states, and the transposed hidden weight.
template <const RecurrentKind& Kind>
std::int64_t scratch_size(std::span<const Shape> inputs, const Shape&,
                          const Attributes&) {
  const RecurrentSequence s(inputs[0], inputs[2]);
  return static_cast<std::int64_t>(Kind.biases) * s.steps * s.sums_size() +
         static_cast<std::int64_t>(Kind.states) * s.state_size() +
         s.hidden * s.columns;
}

void rnn_value(const ValueCall& call) {
  const RecurrentSequence s = make_sequence(call.inputs);
  const Saved saved(s, kRnn, call.saved);
  broadcast_state(s, call.inputs[4], saved.h);
  multiply_inputs(s, call.inputs, call.scratch);
  for (std::int64_t t = 0; t < s.steps; ++t) {
    float* sums = call.scratch + t * s.sums_size();
    float* h = saved.h + t * s.state_size();
    multiply_hidden(s, h, call.inputs[2].data, sums, true);
    rnn_gates(s.step(call.inputs, kRnn, t), sums, call.inputs[3].data, h,
              h + s.state_size());
  }
  std::copy_n(saved.h + s.state_size(), s.steps * s.state_size(),
              call.output.data);
}

void rnn_gradient(const GradientCall& call) {
  const RecurrentSequence s = make_sequence(call.inputs);
  const Saved saved(s, kRnn, call.saved);
  Parts<float> scratch(call.scratch);
  float* d_sums = scratch.take(s.steps * s.sums_size());
  float* dh = scratch.take(s.state_size());
  float* transposed = scratch.take(s.hidden * s.columns);
  std::fill_n(dh, s.state_size(), 0.0f);
  transpose_hidden_weight(s, call.inputs[2].data, transposed);
  for (std::int64_t t = s.steps; t-- > 0;) {
    float* d_step = d_sums + t * s.sums_size();
    rnn_gates_back(s.step(call.inputs, kRnn, t),
                   saved.h + (t + 1) * s.state_size(),
                   call.output_gradient + t * s.state_size(), dh, d_step);
    add_hidden_gradient(s, d_step, transposed, dh);
  }
  add_input_gradients(s, call, d_sums);
  add_hidden_weight_gradient(s, call, saved.h, d_sums);
  add_state_gradient(s, call, 4, dh);
}

void lstm_value(const ValueCall& call) {
  const RecurrentSequence s = make_sequence(call.inputs);
  const Saved saved(s, kLstm, call.saved);
  broadcast_state(s, call.inputs[4], saved.h);
  broadcast_state(s, call.inputs[5], saved.c);
  multiply_inputs(s, call.inputs, saved.gates);
  for (std::int64_t t = 0; t < s.steps; ++t) {
    const std::int64_t at = t * s.state_size();
    float* sums = saved.gates + t * s.sums_size();
    multiply_hidden(s, saved.h + at, call.inputs[2].data, sums, true);
    lstm_gates(s.step(call.inputs, kLstm, t),
               {.sums = sums,
                .bias = call.inputs[3].data,
                .h_before = saved.h + at,
                .c_before = saved.c + at,
                .h = saved.h + at + s.state_size(),
                .c = saved.c + at + s.state_size(),
                .tanh_c = saved.inner + at,
                .output = call.output.data + 2 * at});
  }
}

void lstm_gradient(const GradientCall& call) {
  const RecurrentSequence s = make_sequence(call.inputs);
  const Saved saved(s, kLstm, call.saved);
  Parts<float> scratch(call.scratch);
  float* d_sums = scratch.take(s.steps * s.sums_size());
  float* dh = scratch.take(s.state_size());
  float* dc = scratch.take(s.state_size());
  float* transposed = scratch.take(s.hidden * s.columns);
  std::fill_n(dh, 2 * s.state_size(), 0.0f);  // dc follows dh.
  transpose_hidden_weight(s, call.inputs[2].data, transposed);
  for (std::int64_t t = s.steps; t-- > 0;) {
    const std::int64_t at = t * s.state_size();
    float* d_step = d_sums + t * s.sums_size();
    lstm_gates_back(s.step(call.inputs, kLstm, t),
                    {.gates = saved.gates + t * s.sums_size(),
                     .tanh_c = saved.inner + at,
                     .c_before = saved.c + at,
                     .dy = call.output_gradient + 2 * at,
                     .dh = dh,
                     .dc = dc,
                     .d_sums = d_step});
    add_hidden_gradient(s, d_step, transposed, dh);
  }
  add_input_gradients(s, call, d_sums);
  add_hidden_weight_gradient(s, call, saved.h, d_sums);
  add_state_gradient(s, call, 4, dh);
  add_state_gradient(s, call, 5, dc);
}

void gru_value(const ValueCall& call) {
  const RecurrentSequence s = make_sequence(call.inputs);
  const Saved saved(s, kGru, call.saved);
  float* h_sums = call.scratch;
  broadcast_state(s, call.inputs[5], saved.h);
  multiply_inputs(s, call.inputs, saved.gates);
  for (std::int64_t t = 0; t < s.steps; ++t) {
    const std::int64_t at = t * s.state_size();
    multiply_hidden(s, saved.h + at, call.inputs[2].data, h_sums, false);
    gru_gates(s.step(call.inputs, kGru, t),
              {.x_sums = saved.gates + t * s.sums_size(),
               .h_sums = h_sums,
               .x_bias = call.inputs[3].data,
               .h_bias = call.inputs[4].data,
               .h_before = saved.h + at,
               .h = saved.h + at + s.state_size(),
               .h_n = saved.inner + at});
  }
  std::copy_n(saved.h + s.state_size(), s.steps * s.state_size(),
              call.output.data);
}

void gru_gradient(const GradientCall& call) {
  const RecurrentSequence s = make_sequence(call.inputs);
  const Saved saved(s, kGru, call.saved);
  Parts<float> scratch(call.scratch);
  float* d_x_sums = scratch.take(s.steps * s.sums_size());
  float* d_h_sums = scratch.take(s.steps * s.sums_size());
  float* dh = scratch.take(s.state_size());
  float* transposed = scratch.take(s.hidden * s.columns);
  std::fill_n(dh, s.state_size(), 0.0f);
  transpose_hidden_weight(s, call.inputs[2].data, transposed);
  for (std::int64_t t = s.steps; t-- > 0;) {
    const std::int64_t at = t * s.state_size();
    float* d_step = d_h_sums + t * s.sums_size();
    gru_gates_back(s.step(call.inputs, kGru, t),
                   {.gates = saved.gates + t * s.sums_size(),
                    .h_n = saved.inner + at,
                    .h_before = saved.h + at,
                    .dy = call.output_gradient + at,
                    .dh = dh,
                    .d_x_sums = d_x_sums + t * s.sums_size(),
                    .d_h_sums = d_step});
    add_hidden_gradient(s, d_step, transposed, dh);
  }
  add_input_gradients(s, call, d_x_sums);
  add_bias_gradient(s, call, 4, d_h_sums);
  add_hidden_weight_gradient(s, call, saved.h, d_h_sums);
  add_state_gradient(s, call, 5, dh);
}

// [steps, ...] to [...]. Unlike a slice, it stays correct when a later run has
// more steps.
Shape last_shape(const Operation& operation, std::span<const Shape> inputs,
                 const Attributes&) {
  if (inputs[0].rank() == 0 || inputs[0][0] == 0) {
    throw_invalid_shape(operation.name, inputs[0],
                        "its first axis must have at least one entry");
  }
  return inputs[0].without(0);
}

void last_value(const ValueCall& call) {
  const std::int64_t count = call.output.shape->element_count();
  const std::int64_t all = call.inputs[0].shape->element_count();
  std::copy_n(call.inputs[0].data + all - count, count, call.output.data);
}

void last_gradient(const GradientCall& call) {
  const std::int64_t count = call.output.shape->element_count();
  const std::int64_t all = call.inputs[0].shape->element_count();
  float* dx = call.input_gradients[0];
  if (!call.accumulate[0]) std::fill_n(dx, all, 0.0f);
  add_to(call.output_gradient, dx + all - count,
         static_cast<std::size_t>(count));
}

template <const RecurrentKind& Kind>
Operation sequence_operation(std::string_view name, std::string_view what,
                             void (*value)(const ValueCall&),
                             void (*gradient)(const GradientCall&)) {
  Operation made{.name = name,
                 .what = what,
                 .min_inputs = Kind.input_count(),
                 .max_inputs = Kind.input_count() + 1,
                 .shape = sequence_shape<Kind>,
                 .value = value,
                 .gradient = gradient,
                 .saved_size = saved_size<Kind>,
                 .scratch_size = scratch_size<Kind>,
                 .gradient_reads_output = false,
                 .differentiable_inputs = Kind.input_count(),
                 .write_onnx = sequence_onnx<Kind>};
  // One sample with a shared initial state, one with a state per row and a
  // mask.
  for (const std::int64_t rows : {1, 3}) {
    OperationSample sample;
    sample.shapes = {{4, 3, 2}, {2, 5 * Kind.gates}, {5, 5 * Kind.gates}};
    for (std::size_t i = 0; i < Kind.biases; ++i) {
      sample.shapes.push_back({5 * Kind.gates});
    }
    for (std::size_t i = 0; i < Kind.states; ++i) {
      sample.shapes.push_back({rows, 5});
    }
    if (rows == 3) sample.shapes.push_back({4, 3});
    made.samples.push_back(sample);
  }
  return made;
}

}  // namespace

std::vector<Operation> recurrent_operations() {
  return {sequence_operation<kRnn>("rnn", "tanh units over a whole sequence",
                                   rnn_value, rnn_gradient),
          sequence_operation<kLstm>(
              "lstm", "long short-term memory over a whole sequence",
              lstm_value, lstm_gradient),
          sequence_operation<kGru>(
              "gru", "gated recurrent units over a whole sequence", gru_value,
              gru_gradient),
          {.name = "last",
           .what = "the last entry of the first axis",
           .shape = last_shape,
           .value = last_value,
           .gradient = last_gradient,
           .gradient_reads_inputs = false,
           .gradient_reads_output = false,
           .onnx = "Squeeze(Gather(a, [-1]; axis=0), [0])",
           .samples = {{{{3, 2, 2}}, {}}, {{{1}}, {}}}}};
}

}  // namespace lamarck
