#include "lamarck/evolution/internal/layer_loss.h"

#include <algorithm>

#include "lamarck/evolution/internal/layer_training.h"
#include "lamarck/evolution/network_graph.h"

namespace lamarck::evolution {
namespace {

// Rows per pass without gradients; few enough that images stay in the cache.
constexpr std::size_t kRowsAtOnce = 256;

// Copies rows to the start of `buffer`, which grows if necessary. Reusing it
// avoids an allocation per batch.
Tensor copy_rows(const Tensor& from, std::span<const std::size_t> rows,
                 Tensor& buffer) {
  std::vector<std::int64_t> sizes(from.shape().begin(), from.shape().end());
  const std::int64_t stride = from.element_count() / sizes[0];
  sizes[0] = static_cast<std::int64_t>(rows.size());
  if (buffer.rank() != from.rank() || buffer.size(0) < sizes[0]) {
    buffer = Tensor::uninitialized(Shape(sizes));
  }
  Tensor to =
      buffer.size(0) == sizes[0] ? buffer : buffer.slice(0, 0, sizes[0]);
  const float* source = from.begin_of_data();
  float* target = to.begin_of_data();
  for (const std::size_t row : rows) {
    target = std::copy_n(source + static_cast<std::int64_t>(row) * stride,
                         stride, target);
  }
  return to;
}

// The weight of every row and step: 1 if none are given, and 0 for all steps
// but the last if only that has targets.
Tensor full_weights(const Examples& examples) {
  const std::int64_t rows = examples.inputs.size(0);
  if (!examples.has_steps()) {
    return examples.weights.rank() > 0 ? examples.weights.contiguous()
                                       : Tensor::ones({rows});
  }
  const std::int64_t steps = examples.inputs.size(1);
  const bool last_only = examples.targets.rank() == 2;
  Tensor weights = Tensor::ones({rows, steps});
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t step = 0; step < steps; ++step) {
      float weight = last_only && step + 1 < steps ? 0.0f : 1.0f;
      if (examples.weights.rank() > 0) {
        weight *= examples.weights.rank() == 2
                      ? examples.weights.at({row, step})
                      : examples.weights.at({row});
      }
      weights.at({row, step}) = weight;
    }
  }
  return weights;
}

}  // namespace

double Rows::weight_sum() const {
  double sum = 0;
  for (const float weight : weights.data()) sum += double{weight};
  return sum;
}

LossGraph::LossGraph(const Network& network)
    : network_(network),
      graph_(to_graph(network)),
      input_(graph_.named("input")),
      logits_(graph_.named("logits")),
      output_(graph_.named("output")),
      target_(graph_.input(Tensor::zeros(
          {1, static_cast<std::int64_t>(network.output_width())}))),
      weight_(graph_.input(Tensor::ones({1}))),
      scale_(graph_.input(Tensor::ones({1}))),
      loss_((row_losses() * weight_).sum() * scale_.sum()) {}

double LossGraph::run(const Rows& rows, double scale, bool with_gradient) {
  scale_.set_value(Tensor::full({1}, static_cast<float>(1 / scale)));
  if (rows.inputs.rank() == 2) {
    input_.set_value(rows.inputs);
    target_.set_value(rows.targets);
    weight_.set_value(rows.weights);
    if (with_gradient) return double{loss_.backward()};
    loss_.forward();
    return double{loss_.item()};
  }
  return run_steps(rows, with_gradient);
}

Tensor LossGraph::outputs(const Tensor& inputs) {
  if (inputs.rank() == 2) {
    input_.set_value(inputs);
    output_.forward();
    return output_.value();
  }
  std::vector<Tensor> steps;
  graph_.reset_state();
  graph_.no_grad([&] {
    for (std::int64_t t = 0; t < inputs.size(1); ++t) {
      input_.set_value(inputs.select(1, t).contiguous());
      graph_.step(output_);
      const Tensor value = output_.value();
      steps.push_back(value.reshape({value.size(0), 1, value.size(1)}));
    }
  });
  graph_.reset_state();
  return concat(steps, 1);
}

// Computed from the logits, because log_softmax and softplus do not overflow.
Var LossGraph::row_losses() const {
  switch (network_.head()) {
    case Loss::CrossEntropy:
      return -(logits_.log_softmax() * target_).sum(1);
    case Loss::BinaryCrossEntropy:
      return (logits_.softplus() - logits_ * target_).sum(1);
    case Loss::MeanSquared:
      break;
  }
  return (output_ - target_).square().mean(1);
}

// Runs the sequence step by step; the loss is the sum over the steps.
double LossGraph::run_steps(const Rows& rows, bool with_gradient) {
  graph_.reset_state();
  double sum = 0;
  const auto go = [&] {
    const std::int64_t steps = rows.inputs.size(1);
    for (std::int64_t t = 0; t < steps; ++t) {
      input_.set_value(rows.inputs.select(1, t).contiguous());
      target_.set_value(rows.targets.rank() == 3
                            ? rows.targets.select(1, t).contiguous()
                            : rows.targets);
      weight_.set_value(rows.weights.select(1, t).contiguous());
      graph_.step(loss_);
      sum += double{loss_.item()};
    }
  };
  if (with_gradient) {
    go();
    loss_.backward_through_time();
  } else {
    graph_.no_grad(go);
  }
  graph_.reset_state();
  return sum;
}

RowSource::RowSource(const Examples& examples)
    : all_{examples.inputs.contiguous(), examples.targets.contiguous(),
           full_weights(examples)} {}

Rows RowSource::rows(std::span<const std::size_t> which, Rows& buffer) const {
  return {copy_rows(all_.inputs, which, buffer.inputs),
          copy_rows(all_.targets, which, buffer.targets),
          copy_rows(all_.weights, which, buffer.weights)};
}

double RowSource::loss(LossGraph& graph, std::size_t max_rows) const {
  const std::size_t count = std::min(size(), max_rows);
  // The bound avoids 0 / 0 if all weights are 0.
  const double scale = std::max(rows_between(0, count).weight_sum(), 1e-30);
  double sum = 0;
  for (std::size_t begin = 0; begin < count; begin += kRowsAtOnce) {
    const std::size_t end = std::min(count, begin + kRowsAtOnce);
    sum += graph.run(rows_between(begin, end), scale, false);
  }
  return sum;
}

Rows RowSource::rows_between(std::size_t begin, std::size_t end) const {
  const auto first = static_cast<std::int64_t>(begin);
  const auto last = static_cast<std::int64_t>(end);
  return {all_.inputs.slice(0, first, last), all_.targets.slice(0, first, last),
          all_.weights.slice(0, first, last)};
}

double layer_loss(const Network& network, const Examples& examples) {
  LossGraph graph(network);
  return RowSource(examples).loss(graph);
}

Tensor layer_outputs(const Network& network, const Tensor& inputs) {
  LossGraph graph(network);
  std::vector<Tensor> parts;
  const Tensor all = inputs.contiguous();
  const std::int64_t rows = all.size(0);
  for (std::int64_t begin = 0; begin < rows;
       begin += static_cast<std::int64_t>(kRowsAtOnce)) {
    const std::int64_t end =
        std::min(rows, begin + static_cast<std::int64_t>(kRowsAtOnce));
    parts.push_back(graph.outputs(all.slice(0, begin, end)));
  }
  return concat(parts, 0);
}

}  // namespace lamarck::evolution
