// A network of operations, built once and run many times.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lamarck/graph/init.h"
#include "lamarck/graph/var.h"

namespace lamarck {

// A handle: copies are the same graph. Thread safety: one graph belongs to one
// thread at a time; different graphs run side by side.
class Graph {
 public:
  // The seed decides what parameters begin with.
  explicit Graph(std::uint64_t seed = 0);

  // Inputs; `set_value` changes them between runs, also in shape.
  Var input(const Tensor& value) const;
  Var input_named(const Tensor& value, const std::string& name) const;
  Var zeros(const Shape& shape) const;
  Var ones(const Shape& shape) const;
  Var rand(const Shape& shape) const;   // Uniform in [0, 1).
  Var randn(const Shape& shape) const;  // Normal, deviation 1.
  Var constant(const Tensor& value) const;

  // A name that is taken throws LogicError of code AlreadyExists.
  Var parameter(const Shape& shape, Init init, const std::string& name) const;
  // In the order in which they were made.
  std::vector<Var> parameters() const;
  // Throws LogicError, with the nearest name, if there is none of that name.
  Var named(std::string_view name) const;

  // Runs `work` with gradients off: backward is an error in it.
  void no_grad(const std::function<void()>& work) const;
  void zero_grad() const;  // Of all parameters.

  std::size_t node_count() const;
  std::int64_t parameter_count() const;  // Elements of all parameters.
  // How often a plan was compiled; stays constant in a training loop.
  std::size_t plan_count() const;

 private:
  friend class Var;
  explicit Graph(std::shared_ptr<GraphState> state);

  std::shared_ptr<GraphState> state_;
};

}  // namespace lamarck
