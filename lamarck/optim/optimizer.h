// Optimizers: they update parameters from their gradients.

#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/result.h"
#include "lamarck/graph/graph.h"
#include "lamarck/optim/optimizer_state.h"
#include "lamarck/optim/update_kernels.h"

namespace lamarck::optim {

// An optimizer owns a list of parameters. `backward` computes gradients for
// everything a loss depends on, but `step` updates only the listed parameters.
// A parameter without a gradient stays unchanged; if none has one, `step`
// throws LogicError.
class Optimizer {
 public:
  // Throws LogicError if the list is empty or has duplicates, or if the rate is
  // negative or not finite.
  Optimizer(std::string kind, std::vector<Var> parameters, float rate);
  virtual ~Optimizer() = default;
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  void zero_grad();
  void step();  // Applies one update from the current gradients.
  // zero_grad, forward, backward, step; returns the loss before the step.
  float minimize(const Var& loss);

  float rate() const { return rate_; }
  void set_rate(float rate);  // REQUIRES: rate is finite and >= 0.
  std::int64_t steps_taken() const { return steps_taken_; }
  const std::vector<Var>& parameters() const { return parameters_; }
  const std::string& kind() const { return kind_; }  // "adam" and so on.

  // The optimizer's state without its options and parameters. Restoring it
  // together with the parameters' values resumes training bit for bit.
  // REQUIRES: parameter names are unique.
  OptimizerState state() const;
  // Fails, and changes nothing, if the state is of another kind of optimizer or
  // its tensors do not match the parameters.
  Result<void> restore(const OptimizerState& state);

  // Scales all gradients so that their joint Euclidean norm is at most
  // `max_norm`. Returns the norm before scaling.
  float clip_gradients(float max_norm);

 protected:
  // One number for each element of each parameter, such as a momentum.
  using Memory = std::vector<std::vector<float>>;
  // Adds a memory of zeros. `name` becomes part of the tensor names in state().
  // The reference stays valid as long as the optimizer.
  Memory& add_memory(std::string name);

 private:
  struct NamedMemory {
    std::string name;
    Memory values;
  };
  // Called once before the updates of a step; steps_taken() already counts it.
  virtual void begin_step() {}
  // Updates the weights of parameter `index`.
  virtual void update(std::size_t index, std::span<const float> gradient,
                      std::span<float> weight) = 0;

  std::string kind_;
  std::vector<Var> parameters_;
  float rate_ = 0;
  std::int64_t steps_taken_ = 0;
  std::deque<NamedMemory> memories_;  // A deque keeps references valid.
};

struct SgdOptions {
  float momentum = 0;
  float weight_decay = 0;  // L2: added to the gradient.
  bool nesterov = false;   // Has no effect without momentum.
};

// Gradient descent, optionally with (Nesterov) momentum and weight decay.
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
  bool is_decay_decoupled = false;  // As AdamW does.
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
  AdamStep step_;  // Set by begin_step.
  // Running means of the gradient and of its square; point into the base class.
  Memory& mean_;
  Memory& square_;
};

// Adam with decoupled weight decay (Loshchilov and Hutter 2019).
struct AdamWOptions {
  float beta1 = 0.9f;
  float beta2 = 0.999f;
  float epsilon = 1e-8f;
  float weight_decay = 0.01f;
};
class AdamW : public Adam {
 public:
  explicit AdamW(std::vector<Var> parameters, float rate = 1e-3f,
                 AdamWOptions options = {});
};

struct RmspropOptions {
  float decay = 0.99f;
  float epsilon = 1e-8f;
  float weight_decay = 0;
};

// Divides by a running root mean square of the gradient (Tieleman and Hinton
// 2012).
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

struct OptimizerEntry {
  std::string_view name;  // That of kind().
  std::string_view what;  // A short description for users.
  float usual_rate;
  std::unique_ptr<Optimizer> (*make)(std::vector<Var> parameters, float rate);
};

// Every optimizer, with its default options.
std::span<const OptimizerEntry> optimizer_table();

}  // namespace lamarck::optim
