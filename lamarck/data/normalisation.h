// Scales numbers to a range that networks learn from easily.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "lamarck/base/json.h"
#include "lamarck/base/result.h"
#include "lamarck/tensor/tensor.h"

namespace lamarck::data {

enum class NormalizationKind : std::uint8_t {
  Standard,  // Mean 0, standard deviation 1 (divided by n).
  MinMax,    // Range 0 to 1.
};

// y = (x - shift) / scale, separately for each number of a row. Fit it on the
// training rows, apply it to all rows, and store it with the model.
class Normalization {
 public:
  // A column with the same number in every row becomes 0. Throws LogicError for
  // an empty tensor and for numbers that are not finite.
  static Normalization fit(
      const Tensor& rows, NormalizationKind kind = NormalizationKind::Standard);

  // Return new tensors. Throw LogicError if the rows have another size than
  // those it was fitted to.
  Tensor apply(const Tensor& rows) const;
  Tensor invert(const Tensor& rows) const;

  std::size_t column_count() const { return shift_.size(); }
  const std::vector<float>& shift() const { return shift_; }
  const std::vector<float>& scale() const { return scale_; }  // Above 0.

  // {"shift": [...], "scale": [...]}
  Json to_json() const;
  static Result<Normalization> from_json(const Json& json);

  friend bool operator==(const Normalization&, const Normalization&) = default;

 private:
  Normalization(std::vector<float> shift, std::vector<float> scale);
  // Maps each number by change(number, column).
  template <class Change>
  Tensor changed(const Tensor& rows, std::string_view operation,
                 Change change) const;

  std::vector<float> shift_;
  std::vector<float> scale_;
};

}  // namespace lamarck::data
