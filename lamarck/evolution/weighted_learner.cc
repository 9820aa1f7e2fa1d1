#include "lamarck/evolution/weighted_learner.h"

#include <algorithm>
#include <cmath>

#include "lamarck/base/ensure.h"
#include "lamarck/evolution/internal/neuron_training.h"
#include "lamarck/evolution/network_graph.h"

namespace lamarck::evolution {

// Computes losses and gradients. Each engine has its own order of parameters,
// the one in which its gradient comes; gather and scatter convert.
class WeightedLearner::Engine {
 public:
  virtual ~Engine() = default;
  virtual NetworkParameters gather(const NetworkParameters& from) const = 0;
  virtual void scatter(const NetworkParameters& from,
                       NetworkParameters& to) const = 0;
  virtual double loss_and_gradient(const WeightedRows& rows,
                                   std::span<float> gradient) = 0;
  virtual Tensor outputs(const Tensor& inputs) = 0;

  NetworkParameters& parameters() { return parameters_; }

 protected:
  NetworkParameters parameters_;
};

namespace {

// For networks of neurons, as a plan.
class NeuronLearner : public WeightedLearner::Engine {
 public:
  explicit NeuronLearner(const Network& network)
      : form_(network), plan_(form_.topology(), network.head()) {
    parameters_ = NeuronLearner::gather(network.parameters());
  }

  NetworkParameters gather(const NetworkParameters& from) const override {
    return form_.gather(from);
  }
  void scatter(const NetworkParameters& from,
               NetworkParameters& to) const override {
    form_.scatter(from, to);
  }
  double loss_and_gradient(const WeightedRows& rows,
                           std::span<float> gradient) override {
    const NeuronBatch batch(rows.inputs, rows.targets, rows.weights,
                            rows.scale);
    return plan_.loss_and_gradient(parameters_.values, batch, gradient);
  }
  Tensor outputs(const Tensor& inputs) override {
    return plan_.outputs(parameters_.values, NeuronBatch(inputs, Tensor()));
  }

 private:
  NeuronForm form_;
  NeuronPlan plan_;
};

// For networks with layers, as a graph.
class GraphLearner : public WeightedLearner::Engine {
 public:
  explicit GraphLearner(const Network& network)
      : places_(parameter_places(network)),
        graph_(to_graph(network)),
        target_(graph_.input(Tensor::zeros(
            {1, static_cast<std::int64_t>(network.output_width())}))),
        weight_(graph_.input(Tensor::ones({1}))),
        loss_((row_losses(network.head()) * weight_).sum()),
        variables_(graph_.parameters()) {
    parameters_ = GraphLearner::gather(network.parameters());
  }

  NetworkParameters gather(const NetworkParameters& from) const override {
    NetworkParameters to;
    for (const std::size_t place : places_) {
      to.values.push_back(from.values[place]);
      to.means.push_back(from.means[place]);
      to.squares.push_back(from.squares[place]);
      to.ages.push_back(from.ages[place]);
    }
    return to;
  }
  void scatter(const NetworkParameters& from,
               NetworkParameters& to) const override {
    for (std::size_t i = 0; i < places_.size(); ++i) {
      to.values[places_[i]] = from.values[i];
      to.means[places_[i]] = from.means[i];
      to.squares[places_[i]] = from.squares[i];
      to.ages[places_[i]] = from.ages[i];
    }
  }

  double loss_and_gradient(const WeightedRows& rows,
                           std::span<float> gradient) override {
    write_values();
    graph_.named("input").set_value(rows.inputs);
    target_.set_value(rows.targets);
    const auto share = static_cast<float>(1 / rows.scale);
    weight_.set_value(rows.weights * Tensor::scalar(share));
    graph_.zero_grad();
    const double loss = double{loss_.backward()};
    std::size_t at = 0;
    for (const Var& variable : variables_) {
      const std::size_t count = variable.elements().size();
      const auto to = gradient.subspan(at, count);
      at += count;
      // A parameter that does not affect the loss has no gradient.
      if (variable.has_grad()) {
        std::ranges::copy(variable.gradient_elements(), to.begin());
      } else {
        std::ranges::fill(to, 0.0f);
      }
    }
    return loss;
  }

  Tensor outputs(const Tensor& inputs) override {
    write_values();
    graph_.named("input").set_value(inputs);
    const Var output = graph_.named("output");
    output.forward();
    return output.value();
  }

 private:
  Var row_losses(Loss head) const {
    const Var logits = graph_.named("logits");
    switch (head) {
      case Loss::CrossEntropy:
        return -(logits.log_softmax() * target_).sum(1);
      case Loss::BinaryCrossEntropy:
        return (logits.softplus() - logits * target_).sum(1);
      case Loss::MeanSquared:
        break;
    }
    return (graph_.named("output") - target_).square().mean(1);
  }

  // Copies the current parameters into the graph.
  void write_values() {
    std::size_t at = 0;
    for (const Var& variable : variables_) {
      for (float& element : variable.elements()) {
        element = parameters_.values[at++];
      }
    }
  }

  std::vector<std::size_t> places_;
  Graph graph_;
  Var target_;
  Var weight_;
  Var loss_;
  std::vector<Var> variables_;
};

std::unique_ptr<WeightedLearner::Engine> make_learner_engine(
    const Network& network) {
  if (network.has_only_neurons())
    return std::make_unique<NeuronLearner>(network);
  REQUIRE(!network.is_recurrent(),
          "WeightedLearner: a network with layers must not be recurrent; use "
          "a network of neurons.");
  return std::make_unique<GraphLearner>(network);
}

bool is_finite(std::span<const float> values) {
  return std::ranges::all_of(values,
                             [](float value) { return std::isfinite(value); });
}

}  // namespace

WeightedLearner::WeightedLearner(const Network& network,
                                 const AgedAdamOptions& options)
    : network_(network),
      engine_(make_learner_engine(network)),
      adam_(engine_->parameters(), options) {}
WeightedLearner::~WeightedLearner() = default;

double WeightedLearner::step(const WeightedRows& rows) {
  REQUIRE(rows.scale > 0,
          "WeightedLearner::step: scale must be positive, got {}.", rows.scale);
  std::vector<float> gradient(engine_->parameters().size());
  const double loss = engine_->loss_and_gradient(rows, gradient);
  if (std::isfinite(loss) && is_finite(gradient)) {
    adam_.step(gradient, engine_->parameters().values);
  }
  return loss;
}

Tensor WeightedLearner::outputs(const Tensor& inputs) {
  return engine_->outputs(inputs);
}

const Network& WeightedLearner::network() {
  adam_.save(engine_->parameters());
  engine_->scatter(engine_->parameters(), network_.parameters());
  return network_;
}

}  // namespace lamarck::evolution
