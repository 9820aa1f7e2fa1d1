// A skeleton that is a formula: computed by us, so it can reach nothing.

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
  // `constants` may be shorter than the formula's params: 1 stands for the
  // rest. `source` is printed from the formula if it is empty.
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
