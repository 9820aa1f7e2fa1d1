// The rows that the genetic engine learns from, as it wants to see them.
//
// The target may be seen through a link: with the link `log` the engine fits
// log(y), whose sums are products of y. Rows are then weighted so that an error
// counts as much as it will in y.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "lamarck/base/rng.h"
#include "lamarck/gp/regression_problem.h"

namespace lamarck::gp {

enum class GpLink : std::uint8_t {
  Identity,
  Log,            // y = exp(z), for a target of one sign.
  Inverse,        // y = 1/z, likewise.
  Square,         // y = sqrt(z), likewise.
  Root,           // y = z^2, likewise.
  InverseSquare,  // y = 1/sqrt(z), likewise.
};
inline constexpr std::array kGpLinks = {
    GpLink::Identity, GpLink::Log,  GpLink::Inverse,
    GpLink::Square,   GpLink::Root, GpLink::InverseSquare};
std::string_view gp_link_name(GpLink link);

// Doubles aligned for the kernels, padded to whole vectors by copies of the
// first row.
class GpColumn {
 public:
  GpColumn() = default;
  explicit GpColumn(std::size_t rows);
  explicit GpColumn(const std::vector<double>& values);

  double* data() { return values_.get(); }
  const double* data() const { return values_.get(); }
  double operator[](std::size_t row) const { return values_[row]; }

 private:
  struct Free {
    void operator()(double* values) const;
  };
  std::unique_ptr<double[], Free> values_;
};

// How large a vector for the kernels must be to hold so many rows.
std::size_t padded_rows(std::size_t rows);

struct GpRows {
  std::size_t rows = 0;
  std::vector<GpColumn> inputs;
  GpColumn target;      // Through the link, times the weight.
  GpColumn weight;      // Null if every row counts the same.
  double variance = 1;  // Of y over these rows, times their number.
};

// What is known of one input.
struct GpInput {
  double low = 0;
  double high = 0;
  double mean = 0;
  double deviation = 1;
  std::vector<double> quantiles;  // 0, 1/32, .. 1.
};

// Points between and beyond the rows, where a formula must stay sane.
struct GpProbes {
  GpRows inside;  // In the box of the rows.
  GpRows beyond;  // In a box that is wider.
};

struct GpDataOptions {
  std::size_t subset_rows = 256;
  std::size_t middle_rows = 2048;  // For those that do well on the subset.
};

// Immutable. Thread safety: any member from any thread.
class GpData {
 public:
  // A link is possible if the target has one sign and no zero.
  GpData(const RegressionProblem& problem, GpLink link,
         const GpDataOptions& options, Rng rng);
  // `extra` multiplies the prediction: z is fitted by extra * f. For searches
  // of one factor of a product.
  GpData(const RegressionProblem& problem, const std::vector<double>& extra,
         const GpDataOptions& options, Rng rng);

  static bool is_possible(const RegressionProblem& problem, GpLink link);

  GpLink link() const { return link_; }
  bool is_negative() const { return sign_ < 0; }  // y = -h(z).
  std::size_t input_count() const { return inputs_.size(); }
  const std::vector<GpInput>& inputs() const { return inputs_; }
  const GpRows& subset() const { return subset_; }
  const GpRows& middle() const { return middle_; }
  // Rows from the middle of all inputs' ranges, and those about them: who
  // learned the law from the first foretells the second.
  const GpRows& inner() const { return inner_; }
  const GpRows& outer() const { return outer_; }
  const GpProbes& probes() const { return probes_; }
  // The span of y that is sane at probes: inside and beyond.
  double inside_bound() const { return inside_bound_; }
  double beyond_bound() const { return beyond_bound_; }
  double target_mean() const { return mean_; }
  double target_deviation() const { return deviation_; }

  // What a value through the link means for y.
  double unlinked(double z) const;

 private:
  void describe_inputs(const RegressionProblem& problem);
  GpRows rows_of(const RegressionProblem& problem,
                 const std::vector<std::size_t>& indices,
                 const std::vector<double>* extra) const;
  void split_rows(const RegressionProblem& problem,
                  const std::vector<std::size_t>& rows);
  void draw_probes(Rng& rng);

  GpLink link_ = GpLink::Identity;
  double sign_ = 1;
  std::vector<GpInput> inputs_;
  GpRows subset_;
  GpRows middle_;
  GpRows inner_;
  GpRows outer_;
  GpProbes probes_;
  double mean_ = 0;
  double deviation_ = 1;
  double inside_bound_ = 0;
  double beyond_bound_ = 0;
};

}  // namespace lamarck::gp
