// Advantage actor-critic on CartPole (Mnih and others 2016): the actor chooses
// a push, the critic estimates how much better than expected it was. Sixteen
// poles are played in parallel.

#include <cmath>
#include <cstdio>
#include <vector>

#include "lamarck/environment/cart_pole.h"
#include "lamarck/nn/linear.h"
#include "lamarck/optim/optimizer.h"

using namespace lamarck;
using environment::CartPole;

constexpr std::int64_t kPoles = 16;
constexpr std::int64_t kSteps = 8;  // Steps of each pole per update.
constexpr float kDiscount = 0.99f;
constexpr float kLambda = 0.95f;  // For generalized advantage estimation.

struct Network : nn::Module {
  Network(const Graph& graph, std::int64_t outputs, const std::string& name)
      : first(graph, 4, 64, name + ".first"),
        last(graph, 64, outputs, name + ".last") {}
  Var operator()(const Var& x) const { return last(first(x).tanh()); }
  std::vector<const Module*> children() const override {
    return {&first, &last};
  }
  nn::Linear first, last;
};

void write_state(const CartPole& pole, Tensor& states, std::int64_t row) {
  for (std::int64_t i = 0; i < 4; ++i) {
    states.at({row, i}) =
        static_cast<float>(pole.state()[static_cast<std::size_t>(i)]);
  }
}

class Learner {
 public:
  explicit Learner(std::uint64_t seed)
      : graph_(seed),
        rng_(seed),
        state_(graph_.zeros({kPoles, 4})),
        action_(graph_.zeros({kPoles, 2})),
        advantage_(graph_.zeros({kPoles, 1})),
        target_(graph_.zeros({kPoles, 1})),
        actor_(graph_, 2, "actor"),
        critic_(graph_, 1, "critic"),
        logits_(actor_(state_)),
        value_(critic_(state_)),
        actor_loss_(make_actor_loss()),
        critic_loss_(value_.mse(target_)),
        actor_adam_(actor_.parameters(), 7e-3f),
        critic_adam_(critic_.parameters(), 7e-3f),
        poles_(static_cast<std::size_t>(kPoles)) {
    for (CartPole& pole : poles_) pole.reset(rng_);
  }

  // Plays kSteps steps with every pole and trains on them.
  void train_step() {
    constexpr std::int64_t kRows = kPoles * kSteps;
    Tensor states = Tensor::zeros({kRows, 4});
    Tensor actions = Tensor::zeros({kRows, 2});
    std::vector<bool> has_failed(kRows);
    std::vector<bool> is_over(kRows);
    for (std::int64_t row = 0; row < kRows; ++row) {
      CartPole& pole = poles_[static_cast<std::size_t>(row % kPoles)];
      write_state(pole, states, row);
      if (row % kPoles == 0) choose_actions();
      const std::size_t action =
          choices_[static_cast<std::size_t>(row % kPoles)];
      actions.at({row, static_cast<std::int64_t>(action)}) = 1;
      pole.step(action);
      const auto at = static_cast<std::size_t>(row);
      has_failed[at] = pole.has_failed();
      is_over[at] = pole.is_done();
      if (pole.is_done()) pole.reset(rng_);
    }
    learn(states, actions, has_failed, is_over);
  }

  // The mean reward of 100 episodes with the more likely action.
  double mean_reward() {
    double total = 0;
    Tensor one = Tensor::zeros({1, 4});
    for (int episode = 0; episode < 100; ++episode) {
      CartPole pole;
      pole.reset(rng_);
      while (!pole.is_done()) {
        write_state(pole, one, 0);
        state_.set_value(one);
        logits_.forward();
        const Tensor logits = logits_.value();
        total += pole.step(logits.at({0, 1}) > logits.at({0, 0}) ? 1 : 0);
      }
    }
    return total / 100;
  }

 private:
  // -log p(action) * advantage, minus a small bonus for entropy.
  Var make_actor_loss() const {
    const Var log_p = logits_.log_softmax();
    const Var chosen = (log_p * action_ * advantage_).sum(1).mean();
    const Var negative_entropy = (log_p * log_p.exp()).sum(1).mean();
    return 0.01f * negative_entropy - chosen;
  }

  // Samples an action for every pole from the actor's probabilities.
  void choose_actions() {
    Tensor now = Tensor::zeros({kPoles, 4});
    for (std::int64_t i = 0; i < kPoles; ++i) {
      write_state(poles_[static_cast<std::size_t>(i)], now, i);
    }
    state_.set_value(now);
    logits_.forward();
    const Tensor logits = logits_.value();
    choices_.clear();
    for (std::int64_t i = 0; i < kPoles; ++i) {
      const std::vector<double> scores = {logits.at({i, 0}), logits.at({i, 1})};
      choices_.push_back(rng_.softmax_choice(scores));
    }
  }

  // Updates both networks once with the recorded steps.
  void learn(const Tensor& states, const Tensor& actions,
             const std::vector<bool>& has_failed,
             const std::vector<bool>& is_over) {
    const std::int64_t rows = states.size(0);
    // The critic's values of all states and of those after the last step.
    Tensor all = Tensor::zeros({rows + kPoles, 4});
    all.slice(0, 0, rows).assign(states);
    for (std::int64_t i = 0; i < kPoles; ++i) {
      write_state(poles_[static_cast<std::size_t>(i)], all, rows + i);
    }
    state_.set_value(all);
    value_.forward();
    const Tensor value = value_.value();
    Tensor advantage = Tensor::zeros({rows, 1});
    Tensor target = Tensor::zeros({rows, 1});
    for (std::int64_t row = rows; row-- > 0;) {
      const auto at = static_cast<std::size_t>(row);
      const float now = value.at({row, 0});
      // A fallen pole earns no more reward. An episode that only ran out of
      // steps could continue, so the value of this state stands in for the
      // next one.
      const float next = has_failed[at] ? 0.0f
                         : is_over[at]  ? now
                                        : value.at({row + kPoles, 0});
      const bool continues = !is_over[at] && row + kPoles < rows;
      advantage.at({row, 0}) =
          1 + kDiscount * next - now +
          (continues ? kDiscount * kLambda * advantage.at({row + kPoles, 0})
                     : 0);
      target.at({row, 0}) = advantage.at({row, 0}) + now;
    }
    state_.set_value(states);
    action_.set_value(actions);
    target_.set_value(target);
    advantage_.set_value(standardized(advantage));
    critic_adam_.minimize(critic_loss_);
    actor_adam_.zero_grad();
    actor_loss_.forward();
    actor_loss_.backward();
    actor_adam_.clip_gradients(0.5f);
    actor_adam_.step();
  }

  static Tensor standardized(const Tensor& values) {
    const Tensor centred = values - mean(values);
    const float variance = mean(centred * centred).item();
    return centred / Tensor::scalar(std::sqrt(variance) + 1e-6f);
  }

  Graph graph_;
  Rng rng_;
  Var state_, action_, advantage_, target_;
  Network actor_, critic_;
  Var logits_, value_, actor_loss_, critic_loss_;
  optim::Adam actor_adam_, critic_adam_;
  std::vector<CartPole> poles_;
  std::vector<std::size_t> choices_;
};

int main() {
  Learner learner(1);
  double reward = 0;
  for (int step = 1; step <= 4000; ++step) {
    learner.train_step();
    if (step % 200 != 0) continue;
    reward = learner.mean_reward();
    std::printf("%7lld steps: mean reward %.1f\n",
                static_cast<long long>(step * kPoles * kSteps), reward);
    if (reward >= 475) return 0;
  }
  return 1;
}
