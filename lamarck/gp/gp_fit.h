// Fits a sum of terms: the coefficients of the terms are solved, the constants
// within them are found by Levenberg-Marquardt on what the solution leaves
// (variable projection, in Kaufman's form).

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
  std::vector<double> coefficients;  // As many, once fitted.
  double intercept = 0;
  bool has_intercept = true;
  double nmse = 0;  // On the rows it was last fitted to; infinite if it fails.
  // How large the largest term is beside the spread of y.
  double cancellation = 1;
  std::uint64_t ancestor = 0;  // The tag of the find that it descends from.

  std::size_t size() const;  // Nodes, with two for each coefficient but one.
  std::size_t constants() const;  // All that were fitted.
  int nesting() const;
};

struct GpFitOptions {
  int steps = 6;
  double damping = 1e-2;
};

// Workspace for fits; keeps its buffers. Owned by one thread at a time.
class GpFitter {
 public:
  GpFitter();
  ~GpFitter();
  GpFitter(GpFitter&&) noexcept;
  GpFitter& operator=(GpFitter&&) noexcept;

  // Improves the constants within the terms and solves for the coefficients.
  // False, with an infinite nmse, if no value of the rows is finite or nothing
  // can be solved.
  bool fit(GpModel& model, const GpRows& rows, const GpFitOptions& options);

  // The model's values at rows (through the link, without the weight).
  void values(const GpModel& model, const GpRows& rows,
              std::vector<double>& out);
  // One tree's values.
  void values(const GpTree& tree, const GpRows& rows, double* out);

  // What the last fit left, and the orthonormal columns it spans; for screening
  // on the subset. Valid until the next call.
  struct Remains {
    const double* residual;
    std::vector<const double*> basis;
    std::vector<const double*> columns;  // Of the terms, weighted.
  };
  Remains remains(const GpModel& model, const GpRows& rows);
  // d prediction / d node over the rows, unweighted: of the node in the term.
  void adjoint(const GpTree& term, std::size_t node, const GpRows& rows,
               double* out, double* node_values);

  std::uint64_t fits() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lamarck::gp
