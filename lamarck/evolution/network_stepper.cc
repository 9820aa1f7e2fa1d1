#include "lamarck/evolution/network_stepper.h"

#include <algorithm>
#include <cmath>

#include "lamarck/base/ensure.h"
#include "lamarck/evolution/internal/neuron_training.h"
#include "lamarck/evolution/network_graph.h"

namespace lamarck::evolution {

class NetworkStepper::Engine {
 public:
  virtual ~Engine() = default;
  virtual std::span<const float> step(std::span<const float> inputs) = 0;
  virtual void reset() = 0;
  virtual void take_weights(const Network& network) = 0;
};

namespace {

void make_probabilities(std::span<float> logits) {
  // Subtracting the largest logit keeps exp from overflowing.
  const float largest = *std::ranges::max_element(logits);
  float sum = 0;
  for (float& logit : logits) {
    logit = std::exp(logit - largest);
    sum += logit;
  }
  for (float& share : logits) share /= sum;
}

// For networks of neurons: a plain loop over the edges, sorted by target. For a
// single row this is faster than the vectorized NeuronPlan or a graph.
class NeuronStepper : public NetworkStepper::Engine {
 public:
  explicit NeuronStepper(const Network& network)
      : form_(network),
        is_softmax_(network.head() == Loss::CrossEntropy),
        is_recurrent_(network.is_recurrent()) {
    add_edges();
    const NeuronTopology& topology = form_.topology();
    // The second half holds the values of the previous step.
    values_.resize(2 * (topology.inputs + topology.nodes.size()));
    outputs_.resize(topology.outputs);
    NeuronStepper::take_weights(network);
  }

  std::span<const float> step(std::span<const float> inputs) override {
    const NeuronTopology& topology = form_.topology();
    REQUIRE(inputs.size() == topology.inputs,
            "NetworkStepper::step: the network has {} inputs, got {} numbers.",
            topology.inputs, inputs.size());
    const std::size_t places = values_.size() / 2;
    if (is_recurrent_) {
      std::copy_n(values_.begin(), places,
                  values_.begin() + static_cast<std::ptrdiff_t>(places));
    }
    std::ranges::copy(inputs, values_.begin());
    for (std::size_t i = 0; i < topology.nodes.size(); ++i) {
      const float sum = aggregated(i) + weights_[edges_.size() + i];
      values_[topology.inputs + i] =
          find_activation(topology.nodes[i].activation).scalar(sum);
    }
    std::copy_n(values_.data() + places - outputs_.size(), outputs_.size(),
                outputs_.begin());
    if (is_softmax_) make_probabilities(outputs_);
    return outputs_;
  }

  void reset() override { std::ranges::fill(values_, 0.0f); }

  void take_weights(const Network& network) override {
    weights_ = form_.gather(network.parameters()).values;
    for (Edge& edge : edges_) edge.value = weights_[edge.weight];
  }

 private:
  struct Edge {
    std::size_t from = 0;  // In values_.
    std::size_t weight = 0;
    float value = 0;
  };

  void add_edges() {
    const NeuronTopology& topology = form_.topology();
    const std::size_t places = topology.inputs + topology.nodes.size();
    for (std::size_t node = 0; node < topology.nodes.size(); ++node) {
      begins_.push_back(edges_.size());
      for (std::size_t i = 0; i < topology.edges.size(); ++i) {
        const NeuronTopology::Edge& edge = topology.edges[i];
        if (edge.to != topology.inputs + node) continue;
        edges_.push_back({edge.from + (edge.recurrent ? places : 0), i, 0});
      }
    }
    begins_.push_back(edges_.size());
  }

  float aggregated(std::size_t node) const {
    const std::span<const Edge> edges = std::span(edges_).subspan(
        begins_[node], begins_[node + 1] - begins_[node]);
    if (edges.empty()) return 0;
    const auto carried = [&](const Edge& edge) {
      return edge.value * values_[edge.from];
    };
    const Aggregation how = form_.topology().nodes[node].aggregation;
    float whole = carried(edges[0]);
    for (const Edge& edge : edges.subspan(1)) {
      const float part = carried(edge);
      if (how == Aggregation::Max) {
        // A NaN stays: std::max would drop it.
        whole = part > whole || std::isnan(part) ? part : whole;
      } else {
        whole = how == Aggregation::Product ? whole * part : whole + part;
      }
    }
    return how == Aggregation::Mean ? whole / static_cast<float>(edges.size())
                                    : whole;
  }

  NeuronForm form_;
  bool is_softmax_;
  bool is_recurrent_;
  std::vector<Edge> edges_;          // Sorted by target.
  std::vector<std::size_t> begins_;  // First edge of each node, and the end.
  std::vector<float> weights_;
  std::vector<float> values_;
  std::vector<float> outputs_;
};

// For networks with layers, as a graph.
class GraphStepper : public NetworkStepper::Engine {
 public:
  explicit GraphStepper(const Network& network)
      : width_(network.input_width()) {
    GraphStepper::take_weights(network);
  }

  std::span<const float> step(std::span<const float> inputs) override {
    REQUIRE(inputs.size() == width_,
            "NetworkStepper::step: the network has {} inputs, got {} numbers.",
            width_, inputs.size());
    const auto width = static_cast<std::int64_t>(width_);
    graph_.named("input").set_value(Tensor::from({1, width}, inputs));
    const Var output = graph_.named("output");
    graph_.no_grad([&] { graph_.step(output); });
    outputs_ = output.value().to_vector();
    return outputs_;
  }

  void reset() override { graph_.reset_state(); }

  void take_weights(const Network& network) override {
    graph_ = to_graph(network);
  }

 private:
  std::size_t width_;
  Graph graph_;
  std::vector<float> outputs_;
};

std::unique_ptr<NetworkStepper::Engine> make_stepper_engine(
    const Network& network) {
  if (network.has_only_neurons())
    return std::make_unique<NeuronStepper>(network);
  return std::make_unique<GraphStepper>(network);
}

}  // namespace

NetworkStepper::NetworkStepper(const Network& network)
    : engine_(make_stepper_engine(network)) {}
NetworkStepper::~NetworkStepper() = default;
NetworkStepper::NetworkStepper(NetworkStepper&&) noexcept = default;
NetworkStepper& NetworkStepper::operator=(NetworkStepper&&) noexcept = default;

std::span<const float> NetworkStepper::step(std::span<const float> inputs) {
  return engine_->step(inputs);
}
void NetworkStepper::reset() { engine_->reset(); }
void NetworkStepper::take_weights(const Network& network) {
  engine_->take_weights(network);
}

}  // namespace lamarck::evolution
