// A skeleton that is a formula. Lamarck evaluates it itself, so it needs no
// sandbox: a formula cannot access files or the network.

#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lamarck/archipelago/skeleton.h"
#include "lamarck/formula/formula.h"

namespace lamarck::archipelago {

class FormulaSkeleton : public Skeleton {
 public:
  // Missing constants are set to 1, surplus ones are dropped. If `source` is
  // empty, it is generated from the formula.
  explicit FormulaSkeleton(formula::Formula formula,
                           std::vector<double> constants = {},
                           std::string source = {});

  const formula::Formula& formula() const { return formula_; }

  const std::string& source() const override { return source_; }
  std::size_t size() const override { return formula_.body.size(); }
  std::uint64_t hash() const override { return hash_; }
  std::span<const double> constants() const override { return constants_; }
  Result<std::vector<double>> call(
      std::span<const std::vector<double>> arguments) const override;

 private:
  formula::Formula formula_;
  std::vector<double> constants_;
  std::string source_;
  std::uint64_t hash_ = 0;
};

}  // namespace lamarck::archipelago
