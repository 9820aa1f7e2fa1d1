// Fits a sum of terms. For given constants within the terms, the coefficients
// are a linear least-squares problem and are solved exactly. The constants are
// improved by Levenberg-Marquardt on the residual of that solution (variable
// projection, Kaufman's approximation).

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "lamarck/gp/gp_data.h"
#include "lamarck/gp/gp_tree.h"

namespace lamarck::gp {

// y = intercept + sum of coefficient * term.
struct GpModel {
  std::vector<GpTree> terms;
  std::vector<double> coefficients;  // One per term, once fitted.
  double intercept = 0;
  bool has_intercept = true;
  // Mean square error / variance on the rows of the last fit; infinite if the
  // fit failed.
  double nmse = 0;
  // The norm of the largest term divided by the norm of the target. Large
  // values mean that big terms cancel each other.
  double cancellation = 1;
  std::uint64_t ancestor = 0;  // The tag of the find it descends from.

  // Nodes of the whole formula, with coefficients, intercept and additions.
  std::size_t size() const;
  std::size_t constants() const;  // All fitted numbers.
  int nesting() const;
};

struct GpFitOptions {
  int steps = 6;
  double damping = 1e-2;
};

// Fits models and keeps its buffers between fits. Owned by one thread at a
// time.
class GpFitter {
 public:
  GpFitter();
  ~GpFitter();
  GpFitter(GpFitter&&) noexcept;
  GpFitter& operator=(GpFitter&&) noexcept;

  // Improves the constants within the terms and solves for the coefficients.
  // Returns false, with an infinite nmse, if a value of a term or the error is
  // not finite.
  bool fit(GpModel& model, const GpRows& rows, const GpFitOptions& options);

  // The model's values z at the rows, without the weight.
  void values(const GpModel& model, const GpRows& rows,
              std::vector<double>& out);
  // One tree's values.
  void values(const GpTree& tree, const GpRows& rows, double* out);

  // The residual of a model and an orthonormal basis of its columns, to screen
  // the library against. Valid until the next call to this fitter.
  struct Remains {
    const double* residual;
    std::vector<const double*> basis;
    std::vector<const double*> columns;  // The terms' weighted values.
  };
  Remains remains(const GpModel& model, const GpRows& rows);
  // The derivative of the term with respect to one of its nodes at each row,
  // unweighted, and the values of that node.
  void adjoint(const GpTree& term, std::size_t node, const GpRows& rows,
               double* out, double* node_values);

  std::uint64_t fits() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lamarck::gp
