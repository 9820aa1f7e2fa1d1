// Chooses how often each candidate counts in an ensemble.

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "lamarck/evolution/training.h"

namespace lamarck::table {

// Converts outputs, such as probabilities, to values whose mean is the output
// of an ensemble before its activation.
Tensor to_logits(const Tensor& outputs, evolution::Loss head);
// The reverse.
Tensor to_outputs(const Tensor& logits, evolution::Loss head);

// The mean loss of `logits` by rows of `known`, which may have weights.
double logit_loss(const Tensor& logits, const evolution::Examples& known,
                  evolution::Loss head);

struct ChoiceLimits {
  std::size_t picks = 12;
  std::size_t candidates = 4;  // That are picked at least once.
};

// Adds the candidate that lowers the loss of the mean most, again and again,
// and returns how often each was added in the best ensemble on the way
// (Caruana et al., "Ensemble selection from libraries of models", 2004).
std::vector<std::size_t> choose_members(std::span<const Tensor> logits,
                                        const evolution::Examples& known,
                                        evolution::Loss head,
                                        const ChoiceLimits& limits = {});

// The mean of the logits, weighted by the counts.
Tensor mean_logits(std::span<const Tensor> logits,
                   std::span<const std::size_t> counts);

}  // namespace lamarck::table
