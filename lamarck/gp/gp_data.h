// The rows that the genetic engine fits, in the form that its kernels need.
//
// A link transforms the target: with the link `log` the engine fits z = log(y),
// so that a sum of terms for z is a product of factors for y. The rows are then
// weighted by |dy/dz|, so that an error counts as much as it does in y.

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
  // These need a target of one sign. h(z) below is |y|.
  Log,            // h(z) = exp(z)
  Inverse,        // h(z) = 1/z
  Square,         // h(z) = sqrt(z)
  Root,           // h(z) = z^2
  InverseSquare,  // h(z) = 1/sqrt(z)
  InverseRoot,    // h(z) = 1/z^2
};
inline constexpr std::array kGpLinks = {
    GpLink::Identity, GpLink::Log,           GpLink::Inverse,    GpLink::Square,
    GpLink::Root,     GpLink::InverseSquare, GpLink::InverseRoot};
std::string_view gp_link_name(GpLink link);

// Doubles aligned for the SIMD kernels and padded to whole vectors with copies
// of the first row. Padding with real values avoids NaN and division by zero.
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

// The length that a vector of `rows` rows must have for the kernels.
std::size_t padded_rows(std::size_t rows);

struct GpRows {
  std::size_t rows = 0;
  std::vector<GpColumn> inputs;
  GpColumn target;  // z times the weight.
  GpColumn weight;  // Its data() is null if all rows count the same.
  // The sum of (y - mean)^2 over these rows, times their weights in the
  // problem.
  double variance = 1;
};

// Statistics of one input.
struct GpInput {
  double low = 0;
  double high = 0;
  double mean = 0;
  double deviation = 1;
  std::vector<double> quantiles;  // 0, 1/32, .. 1.
};

// Random points inside and outside of the data, where the values of a formula
// must stay bounded.
struct GpProbes {
  GpRows inside;  // In the bounding box of the rows.
  GpRows beyond;  // In a wider box.
};

struct GpDataOptions {
  std::size_t subset_rows = 256;
  std::size_t middle_rows = 2048;  // For models that do well on the subset.
};

struct GpView;
struct ViewedProblem;

// Immutable. Thread safety: all members may be called from any thread.
class GpData {
 public:
  // `known`, if not null, is data of the same problem whose description of the
  // inputs is reused. REQUIRES: is_possible(problem, link).
  GpData(const RegressionProblem& problem, GpLink link,
         const GpDataOptions& options, Rng rng, const GpData* known = nullptr);
  // Fits the target of the view, where errors count as much as they do in y.
  // The view must outlive it.
  GpData(const ViewedProblem& viewed, GpLink link, const GpDataOptions& options,
         Rng rng, const GpData* known = nullptr);
  // Fits y by extra * f, to search for one factor f of a product.
  GpData(const RegressionProblem& problem, const std::vector<double>& extra,
         const GpDataOptions& options, Rng rng);

  // A link other than Identity needs a target of one sign that is not close to
  // zero.
  static bool is_possible(const RegressionProblem& problem, GpLink link);

  GpLink link() const { return link_; }
  bool is_negative() const { return sign_ < 0; }  // Whether y = -h(z).
  const GpView* view() const { return view_; }    // Null for the plain inputs.
  std::size_t input_count() const { return inputs_.size(); }
  const std::vector<GpInput>& inputs() const { return inputs_; }
  const GpRows& subset() const { return subset_; }
  const GpRows& middle() const { return middle_; }
  // The rows near the middle of all input ranges, and the rows around them. A
  // model that found the law predicts the outer rows from the inner ones. Both
  // are empty if there are too few rows.
  const GpRows& inner() const { return inner_; }
  const GpRows& outer() const { return outer_; }
  const GpProbes& probes() const { return probes_; }
  // How far y may be from its mean at the probes inside and beyond.
  double inside_bound() const { return inside_bound_; }
  double beyond_bound() const { return beyond_bound_; }
  double target_mean() const { return mean_; }
  double target_deviation() const { return deviation_; }

  // Converts z to y.
  double unlinked(double z) const;

 private:
  void prepare(const RegressionProblem& problem, const GpDataOptions& options,
               Rng rng, const GpData* known, const std::vector<double>* factor);
  void describe_inputs(const RegressionProblem& problem);
  void describe_target(const RegressionProblem& problem);
  GpRows gather_rows(const RegressionProblem& problem,
                     const std::vector<std::size_t>& indices,
                     const std::vector<double>* extra,
                     const std::vector<double>* factor = nullptr) const;
  void split_rows(const RegressionProblem& problem,
                  const std::vector<std::size_t>& rows,
                  const std::vector<double>* factor);
  void draw_probes(Rng& rng);

  GpLink link_ = GpLink::Identity;
  double sign_ = 1;
  const GpView* view_ = nullptr;  // Not owned.
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
