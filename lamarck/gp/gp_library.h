// A stock of small expressions with precomputed values. One matrix product
// finds the expression that best explains a residual.

#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "lamarck/base/cancel_token.h"
#include "lamarck/base/rng.h"
#include "lamarck/gp/gp_data.h"
#include "lamarck/gp/gp_fit.h"
#include "lamarck/gp/gp_options.h"
#include "lamarck/gp/gp_tree.h"

namespace lamarck::gp {

// A search for the g that makes weight * g explain the residual best, apart
// from what the basis already explains. The basis must be orthonormal.
struct Screening {
  const double* residual = nullptr;
  const double* weight = nullptr;  // Null means 1.
  std::vector<const double*> basis;
};

// Thread safety: const members may be called from any thread.
class GpLibrary {
 public:
  // `data` must outlive the library. With `of_factors`, most trees are
  // logarithms: with the link `log` they are the factors of a product. Time and
  // memory grow with the square of the number of inputs; see kMaxLawInputs.
  // Returns early, with an incomplete library, once `cancel` is cancelled.
  GpLibrary(const GpData& data, const GpOptions& options,
            std::vector<std::size_t> inputs, Rng rng, bool of_factors = false,
            const CancelToken& cancel = {});

  // A random small expression whose constants match the scales of the data.
  GpTree random_tree(Rng& rng, int depth) const;
  // A random constant that does not depend on the data.
  double random_constant(Rng& rng) const;
  std::size_t random_input(Rng& rng) const;
  formula::Op random_function(Rng& rng) const;

  const std::vector<GpTree>& trees() const { return trees_; }

  // Scores a random stretch of the trees and draws one of the best twelve.
  const GpTree& screen(const Screening& screening, std::size_t rows,
                       Rng& rng) const;

  // Replaces `count` trees, except for the plain ones, by trees of `found` or
  // random ones.
  void refresh(const std::vector<GpTree>& found, std::size_t count, Rng& rng);
  // Replaces all trees. Cuts or pads `trees` to the size of the library.
  void restore(std::vector<GpTree> trees);

 private:
  // A simple expression of one or two inputs and the distribution of its
  // values.
  struct Base {
    GpTree tree;
    double deviation = 1;
    std::vector<double> quantiles;
  };

  void find_bases(const CancelToken& cancel);
  GpTree random_leaf(Rng& rng) const;
  GpTree scaled_base(Rng& rng) const;
  GpTree apply_random_function(const GpTree& argument, Rng& rng) const;
  bool has(formula::Op op) const;
  // A common shape of a response: a bump, a step, a saturation or a kink.
  GpTree random_shape(Rng& rng) const;
  GpTree maybe_logarithm(const GpTree& tree, Rng& rng) const;
  bool place(std::size_t index, const GpTree& tree);
  std::vector<GpTree> plain_trees() const;
  std::vector<GpTree> pair_trees(Rng& rng) const;
  void fill_plain(Rng& rng, const CancelToken& cancel);

  const GpData* data_;  // Not owned.
  GpOptions options_;
  std::vector<std::size_t> inputs_;
  GpFitter fitter_;
  std::size_t rows_ = 0;
  bool of_factors_ = false;
  std::vector<Base> bases_;  // First single inputs, then pairs.
  std::size_t single_bases_ = 0;
  std::vector<GpTree> trees_;
  std::vector<std::size_t> replaceable_;  // Trees that `refresh` may replace.
  // By tree, then by row; scaled to mean square 1. Single precision is enough
  // to rank trees and halves the memory traffic.
  std::vector<float> values_;
  std::vector<float> squares_;  // The squares of values_.
};

}  // namespace lamarck::gp
