#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lamarck/nn/linear.h"

namespace lamarck::nn {

struct AttentionMask {
  bool causal = false;  // No place looks at a later one.
  // [batch, keys] of 0 and 1: what is 1 is not looked at.
  std::optional<Var> padding;
};

// Each place of a sequence takes from all others what its heads ask for:
// softmax(Q K^T / sqrt(width of a head)) V, in Vaswani et al., 2017.
class MultiHeadAttention : public Module {
 public:
  // Each head has width / heads of the width. Its layers are "<name>.query",
  // "<name>.key", "<name>.value" and "<name>.out".
  MultiHeadAttention(const Graph& graph, std::int64_t width, std::int64_t heads,
                     const std::string& name);

  // Of [batch, places, width]: itself, or what another sequence says to it.
  Var operator()(const Var& x, const AttentionMask& mask = {}) const {
    return attend(x, x, mask);
  }
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
