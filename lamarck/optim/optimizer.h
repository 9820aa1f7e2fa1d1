// What moves parameters along their gradients.

#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "lamarck/base/result.h"
#include "lamarck/graph/graph.h"
#include "lamarck/optim/optimizer_state.h"
#include "lamarck/optim/update_kernels.h"

namespace lamarck::optim {

// Bound to its own parameters: `backward` gives gradients to all that a loss
// depends on, and `step` moves only these. A parameter without a gradient
// stays.
class Optimizer {
 public:
  // Throws LogicError if there are no parameters, if one is there twice, or if
  // the rate is negative or not finite.
  Optimizer(std::string kind, std::vector<Var> parameters, float rate);
  virtual ~Optimizer() = default;
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  void zero_grad();
  void step();
  // zero_grad, forward, backward, step; returns the loss before the step.
  float minimize(const Var& loss);

  float rate() const { return rate_; }
  void set_rate(float rate);  // REQUIRES: finite, and not negative.
  std::int64_t steps_taken() const { return steps_taken_; }
  const std::vector<Var>& parameters() const { return parameters_; }
  const std::string& kind() const { return kind_; }  // "adam" and so on.

  // All that it remembers, apart from its options and the parameters. Together
  // with the parameters' values it continues a training bit by bit. REQUIRES:
  // the parameters' names differ.
  OptimizerState state() const;
  // Changes nothing if it fails: when the state is of another kind of
  // optimizer, or its tensors are not those of these parameters.
  Result<void> restore(const OptimizerState& state);

  // Shrinks all gradients so that together they are at most so long; returns
  // how long they were.
  float clip_gradients(float largest_norm);

 protected:
  // Numbers for each element of each parameter.
  using Memory = std::vector<std::vector<float>>;
  // Zeros, kept for good; `name` is how state() calls them.
  Memory& add_memory(std::string name);

 private:
  struct NamedMemory {
    std::string name;
    Memory values;
  };
  // Called once before the updates of a step; steps_taken() counts it already.
  virtual void begin_step() {}
  // Moves parameter `index`.
  virtual void update(std::size_t index, std::span<const float> gradient,
                      std::span<float> weight) = 0;

  std::string kind_;
  std::vector<Var> parameters_;
  float rate_ = 0;
  std::int64_t steps_taken_ = 0;
  std::deque<NamedMemory> memories_;  // A deque: places stay.
};

struct SgdOptions {
  float momentum = 0;
  float weight_decay = 0;
  bool nesterov = false;
};

class Sgd : public Optimizer {
 public:
  Sgd(std::vector<Var> parameters, float rate, SgdOptions options = {});

 private:
  void update(std::size_t index, std::span<const float> gradient,
              std::span<float> weight) override;

  SgdOptions options_;
  Memory* velocity_ = nullptr;  // Null without momentum.
};

struct AdamOptions {
  float beta1 = 0.9f;
  float beta2 = 0.999f;
  float epsilon = 1e-8f;
  float weight_decay = 0;
  bool is_decay_decoupled = false;  // As in AdamW.
};

// Kingma and Ba (2015).
class Adam : public Optimizer {
 public:
  explicit Adam(std::vector<Var> parameters, float rate = 1e-3f,
                AdamOptions options = {});

 protected:
  Adam(std::string kind, std::vector<Var> parameters, float rate,
       AdamOptions options);

 private:
  void update(std::size_t index, std::span<const float> gradient,
              std::span<float> weight) override;

  void begin_step() override;

  AdamOptions options_;
  AdamStep step_;  // This step's.
  Memory& mean_;
  Memory& square_;
};

// Adam with decoupled weight decay (Loshchilov and Hutter 2019).
class AdamW : public Adam {
 public:
  explicit AdamW(std::vector<Var> parameters, float rate = 1e-3f,
                 AdamOptions options = {.weight_decay = 0.01f});
};

struct RmspropOptions {
  float decay = 0.99f;
  float epsilon = 1e-8f;
  float weight_decay = 0;
};

class Rmsprop : public Optimizer {
 public:
  explicit Rmsprop(std::vector<Var> parameters, float rate = 1e-2f,
                   RmspropOptions options = {});

 private:
  void update(std::size_t index, std::span<const float> gradient,
              std::span<float> weight) override;

  RmspropOptions options_;
  Memory& square_;
};

}  // namespace lamarck::optim
