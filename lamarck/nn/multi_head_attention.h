#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lamarck/nn/linear.h"

namespace lamarck::nn {

struct AttentionMask {
  bool causal = false;  // Positions do not attend to later ones.
  // [batch, keys] of 0 and 1: keys marked 1 are ignored.
  std::optional<Var> padding;
};

// Scaled dot-product attention with several heads (Vaswani et al. 2017):
// softmax(Q K^T / sqrt(width per head)) V.
class MultiHeadAttention : public Module {
 public:
  // Each head works on width / heads features. The projections are
  // "<name>.query", "<name>.key", "<name>.value" and "<name>.out". Throws
  // LogicError if `heads` does not divide `width`.
  MultiHeadAttention(const Graph& graph, std::int64_t width, std::int64_t heads,
                     const std::string& name);

  // Self-attention over x [batch, positions, width].
  Var operator()(const Var& x, const AttentionMask& mask = {}) const {
    return attend(x, x, mask);
  }
  // Cross-attention: queries from `x`, keys and values from `memory`. Returns
  // the shape of x.
  Var attend(const Var& x, const Var& memory,
             const AttentionMask& mask = {}) const;

  std::vector<const Module*> children() const override {
    return {&query_, &key_, &value_, &out_};
  }

 private:
  Var split(const Var& x) const;

  std::int64_t width_;
  std::int64_t heads_;
  Linear query_;
  Linear key_;
  Linear value_;
  Linear out_;
};

}  // namespace lamarck::nn
