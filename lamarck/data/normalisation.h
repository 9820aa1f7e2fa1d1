// Numbers brought to a size that networks learn from easily.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "lamarck/base/json.h"
#include "lamarck/base/result.h"
#include "lamarck/tensor/tensor.h"

namespace lamarck::data {

enum class NormalisationKind : std::uint8_t {
  Standard,  // Mean 0, deviation 1 (of the population: divided by n).
  MinMax,    // From 0 to 1.
};

// y = (x - shift) / scale, for each number of a row on its own. Fit it on the
// rows to learn from, apply it to all others, and keep it with the model.
class Normalisation {
 public:
  // A number that is the same in every row becomes 0. Throws LogicError without
  // rows and for what is not finite.
  static Normalisation fit(
      const Tensor& rows, NormalisationKind kind = NormalisationKind::Standard);

  // New tensors; they throw LogicError if the rows have another size.
  Tensor apply(const Tensor& rows) const;
  Tensor invert(const Tensor& rows) const;

  std::size_t column_count() const { return shift_.size(); }
  const std::vector<float>& shift() const { return shift_; }
  const std::vector<float>& scale() const { return scale_; }  // Above 0.

  // {"shift": [...], "scale": [...]}
  Json to_json() const;
  static Result<Normalisation> from_json(const Json& json);

  friend bool operator==(const Normalisation&, const Normalisation&) = default;

 private:
  Normalisation(std::vector<float> shift, std::vector<float> scale);
  template <class Change>  // Of (number, its place in the row).
  Tensor changed(const Tensor& rows, std::string_view operation,
                 Change change) const;

  std::vector<float> shift_;
  std::vector<float> scale_;
};

}  // namespace lamarck::data
