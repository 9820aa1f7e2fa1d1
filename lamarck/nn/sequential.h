#pragma once

#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "lamarck/nn/module.h"

namespace lamarck::nn {

// Applies layers one after another. Anything that maps a Var to a Var is a
// layer:
//
//   nn::Sequential net({nn::Linear(graph, 784, 128, "fc1"), &Var::relu,
//                       nn::Linear(graph, 128, 10, "fc2"),
//                       [](const Var& x) { return x * 0.5f; }});
class Sequential : public Module {
 public:
  // Holds a copy of a module, a function, or a method of Var without arguments.
  class Layer {
   public:
    template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, Layer> &&
             std::is_invocable_r_v<Var, const std::remove_cvref_t<F>&,
                                   const Var&>)
        Layer(F&& layer) {  // Implicit, so that layers can be listed in braces.
      if constexpr (std::is_base_of_v<Module, std::remove_cvref_t<F>>) {
        const auto held = std::make_shared<const std::remove_cvref_t<F>>(
            std::forward<F>(layer));
        module_ = held;
        call_ = [held](const Var& x) { return (*held)(x); };
      } else {
        call_ = std::forward<F>(layer);
      }
    }

    Var operator()(const Var& x) const { return call_(x); }
    // Null if the layer is not a module.
    const Module* module() const { return module_.get(); }

   private:
    std::function<Var(const Var&)> call_;
    std::shared_ptr<const Module> module_;
  };

  explicit Sequential(std::vector<Layer> layers) : layers_(std::move(layers)) {}

  Var operator()(const Var& x) const;
  std::vector<const Module*> children() const override;

 private:
  std::vector<Layer> layers_;
};

}  // namespace lamarck::nn
