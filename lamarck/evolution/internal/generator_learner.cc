#include "lamarck/evolution/internal/generator_learner.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace lamarck::evolution {

// Inputs: the generator's noise, then the blur. Nodes: those of the generator,
// one per column that adds the blur, those of the discriminator.
NeuronTopology GeneratorLearner::joined(const NeuronTopology& generator,
                                        const NeuronTopology& discriminator) {
  const std::size_t numbers = generator.outputs;
  NeuronTopology whole{.inputs = generator.inputs + numbers,
                       .outputs = discriminator.outputs,
                       .nodes = generator.nodes,
                       .edges = {}};
  const auto add = [&](std::size_t from, std::size_t to) {
    whole.edges.push_back({.from = static_cast<std::uint32_t>(from),
                           .to = static_cast<std::uint32_t>(to)});
  };
  // The blur inputs come after the noise, so the generator's nodes move.
  for (const NeuronTopology::Edge& edge : generator.edges) {
    add(edge.from + (edge.from < generator.inputs ? 0 : numbers),
        edge.to + numbers);
  }
  const std::size_t rows = whole.inputs + generator.nodes.size();
  for (std::size_t i = 0; i < numbers; ++i) {
    add(rows - numbers + i, rows + i);
    add(generator.inputs + i, rows + i);
    whole.nodes.push_back({.activation = Activation::Identity});
  }
  // The nodes just added take the place of the discriminator's inputs.
  for (const NeuronTopology::Edge& edge : discriminator.edges) {
    add(rows + edge.from, rows + edge.to);
  }
  whole.nodes.insert(whole.nodes.end(), discriminator.nodes.begin(),
                     discriminator.nodes.end());
  return whole;
}

GeneratorLearner::GeneratorLearner(const Network& generator,
                                   const Network& discriminator,
                                   const AgedAdamOptions& options)
    : generator_(generator),
      form_(generator),
      discriminator_form_(discriminator),
      plan_(joined(form_.topology(), discriminator_form_.topology()),
            Loss::BinaryCrossEntropy),
      parameters_(form_.gather(generator.parameters())),
      adam_(parameters_, options) {}

// In the order of `joined`: the weights of all edges (1 where the blur is
// added), then all biases.
std::vector<float> GeneratorLearner::joined_weights(
    const Network& discriminator) const {
  const std::vector<float> judging =
      discriminator_form_.gather(discriminator.parameters()).values;
  const auto own_edges =
      static_cast<std::ptrdiff_t>(form_.topology().edges.size());
  const auto judging_edges =
      static_cast<std::ptrdiff_t>(discriminator_form_.topology().edges.size());
  const std::size_t numbers = form_.topology().outputs;
  const std::vector<float>& own = parameters_.values;
  std::vector<float> whole(own.begin(), own.begin() + own_edges);
  whole.insert(whole.end(), 2 * numbers, 1.0f);
  whole.insert(whole.end(), judging.begin(), judging.begin() + judging_edges);
  whole.insert(whole.end(), own.begin() + own_edges, own.end());
  whole.insert(whole.end(), numbers, 0.0f);
  whole.insert(whole.end(), judging.begin() + judging_edges, judging.end());
  return whole;
}

double GeneratorLearner::step(const Tensor& noise, const Tensor& blur,
                              const Network& discriminator) {
  const std::array parts = {noise, blur};
  const NeuronBatch batch(concat(parts, 1), Tensor::ones({noise.size(0), 1}));
  std::vector<float> all(plan_.weight_count());
  const double loss =
      plan_.loss_and_gradient(joined_weights(discriminator), batch, all);
  // Picks the generator's part: its edges come first, its biases right after
  // the last edge of all.
  const std::size_t edges = form_.topology().edges.size();
  const std::size_t all_edges = edges + 2 * form_.topology().outputs +
                                discriminator_form_.topology().edges.size();
  std::vector<float> gradient(parameters_.size());
  std::copy_n(all.begin(), edges, gradient.begin());
  std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(all_edges),
              gradient.size() - edges,
              gradient.begin() + static_cast<std::ptrdiff_t>(edges));
  const bool is_finite =
      std::isfinite(loss) && std::ranges::all_of(gradient, [](float value) {
        return std::isfinite(value);
      });
  if (is_finite) adam_.step(gradient, parameters_.values);
  return loss;
}

const Network& GeneratorLearner::network() {
  adam_.save(parameters_);
  form_.scatter(parameters_, generator_.parameters());
  return generator_;
}

}  // namespace lamarck::evolution
