// Builds an evaluator from a function that scores a skeleton on one input.

#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "lamarck/archipelago/evaluator.h"

namespace lamarck::archipelago {

// `score(input, skeleton)` returns the score of the skeleton on one input;
// higher is better. An exception or a score that is not finite makes the
// evaluation fail. `score` is called from several threads.
template <class Input>
class EvaluatorOfInputs : public Evaluator {
 public:
  using Score = std::function<double(const Input&, const Skeleton&)>;

  EvaluatorOfInputs(std::vector<Input> inputs, Score score)
      : inputs_(std::move(inputs)), score_(std::move(score)) {}

  std::size_t input_count() const override { return inputs_.size(); }

  Evaluation evaluate(const Skeleton& skeleton,
                      const CancelToken& cancel) const override {
    Evaluation evaluation;
    for (const Input& input : inputs_) {
      if (cancel.is_cancelled()) return Evaluation::failed(cancel.reason());
      evaluation.scores.push_back(score_(input, skeleton));
    }
    const auto constants = skeleton.constants();
    evaluation.constants.assign(constants.begin(), constants.end());
    return evaluation;
  }

 private:
  std::vector<Input> inputs_;
  Score score_;
};

template <class Input, class Score>
std::shared_ptr<const Evaluator> make_evaluator(std::vector<Input> inputs,
                                                Score score) {
  return std::make_shared<EvaluatorOfInputs<Input>>(std::move(inputs),
                                                    std::move(score));
}

}  // namespace lamarck::archipelago
