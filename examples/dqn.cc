// Deep Q-learning on CartPole (Mnih and others 2015): a network estimates the
// value of each push and trains on replayed transitions; a slowly updated copy,
// the target network, estimates the values of later states.

#include <algorithm>
#include <cstdio>
#include <vector>

#include "lamarck/environment/cart_pole.h"
#include "lamarck/nn/linear.h"
#include "lamarck/optim/optimizer.h"
#include "lamarck/optim/target_network.h"

using namespace lamarck;
using environment::CartPole;

constexpr std::int64_t kBatch = 64;
constexpr float kDiscount = 0.99f;

// Estimates the value of both actions in a state.
struct Values : nn::Module {
  Values(const Graph& graph, const std::string& name)
      : first(graph, 4, 64, name + ".first"),
        second(graph, 64, 64, name + ".second"),
        last(graph, 64, 2, name + ".last") {}
  Var operator()(const Var& x) const {
    return last(second(first(x).relu()).relu());
  }
  std::vector<const Module*> children() const override {
    return {&first, &second, &last};
  }
  nn::Linear first, second, last;
};

struct Transition {
  CartPole::State before;
  std::size_t action = 0;
  CartPole::State after;
  bool has_failed = false;
};

void write_state(const CartPole::State& state, Tensor& states,
                 std::int64_t row) {
  for (std::int64_t i = 0; i < 4; ++i) {
    states.at({row, i}) =
        static_cast<float>(state[static_cast<std::size_t>(i)]);
  }
}

class Learner {
 public:
  explicit Learner(std::uint64_t seed)
      : graph_(seed),
        rng_(seed),
        state_(graph_.zeros({kBatch, 4})),
        next_state_(graph_.zeros({kBatch, 4})),
        action_(graph_.zeros({kBatch, 2})),
        target_(graph_.zeros({kBatch})),
        main_(graph_, "main"),
        copy_(graph_, "copy"),
        values_(main_(state_)),
        next_values_(copy_(next_state_).max(1)),
        loss_((values_ * action_).sum(1).huber(target_)),
        adam_(main_.parameters(), 5e-4f) {
    optim::copy_parameters(main_.parameters(), copy_.parameters());
    pole_.reset(rng_);
  }

  // Plays one step and trains once. `epsilon` is the probability of a random
  // action.
  void step(double epsilon) {
    Transition transition{.before = pole_.state()};
    transition.action = rng_.chance(epsilon)
                            ? static_cast<std::size_t>(rng_.below(2))
                            : best_action(pole_.state());
    pole_.step(transition.action);
    transition.after = pole_.state();
    transition.has_failed = pole_.has_failed();
    if (pole_.is_done()) pole_.reset(rng_);
    if (transitions_.size() < kMaxTransitions) {
      transitions_.push_back(transition);
    } else {
      transitions_[oldest_++ % kMaxTransitions] = transition;
    }
    // Starts with some variety; early batches would otherwise be alike.
    if (transitions_.size() >= 1000) learn();
  }

  // The mean reward of 100 episodes.
  double mean_reward() {
    Rng rng = rng_.split("judge");
    double total = 0;
    for (int episode = 0; episode < 100; ++episode) {
      CartPole pole;
      pole.reset(rng);
      while (!pole.is_done()) total += pole.step(best_action(pole.state()));
    }
    return total / 100;
  }

 private:
  static constexpr std::size_t kMaxTransitions = 50'000;

  std::size_t best_action(const CartPole::State& state) {
    write_state(state, one_, 0);
    state_.set_value(one_);
    values_.forward();
    const Tensor values = values_.value();
    return values.at({0, 1}) > values.at({0, 0}) ? 1 : 0;
  }

  // Trains on a random batch towards reward + discount * next value.
  void learn() {
    Tensor target = Tensor::ones({kBatch});
    batch_action_.fill(0);
    std::vector<bool> has_failed;
    for (std::int64_t row = 0; row < kBatch; ++row) {
      const Transition& transition = rng_.choice(transitions_);
      write_state(transition.before, batch_before_, row);
      write_state(transition.after, batch_after_, row);
      batch_action_.at({row, static_cast<std::int64_t>(transition.action)}) = 1;
      has_failed.push_back(transition.has_failed);
    }
    next_state_.set_value(batch_after_);
    graph_.no_grad([&] { next_values_.forward(); });
    const Tensor next = next_values_.value();
    for (std::int64_t row = 0; row < kBatch; ++row) {
      if (has_failed[static_cast<std::size_t>(row)]) continue;
      target.at({row}) += kDiscount * next.at({row});
    }
    state_.set_value(batch_before_);
    action_.set_value(batch_action_);
    target_.set_value(target);
    adam_.minimize(loss_);
    optim::soft_update(copy_.parameters(), main_.parameters(), 0.005f);
  }

  Graph graph_;
  Rng rng_;
  Var state_, next_state_, action_, target_;
  Values main_, copy_;
  Var values_, next_values_, loss_;
  optim::Adam adam_;
  CartPole pole_;
  std::vector<Transition> transitions_;
  std::size_t oldest_ = 0;
  Tensor one_ = Tensor::zeros({1, 4});
  Tensor batch_before_ = Tensor::zeros({kBatch, 4});
  Tensor batch_after_ = Tensor::zeros({kBatch, 4});
  Tensor batch_action_ = Tensor::zeros({kBatch, 2});
};

int main() {
  Learner learner(1);
  for (int step = 1; step <= 200'000; ++step) {
    learner.step(std::max(0.05, 1 - step / 10'000.0));
    if (step % 5000 != 0) continue;
    const double reward = learner.mean_reward();
    std::printf("%7d steps: mean reward %.1f\n", step, reward);
    if (reward >= 475) return 0;
  }
  return 1;
}
