// Small expressions to build from, with their values at hand, so that the one
// that best explains what is left can be found by a matrix product.

#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "lamarck/base/rng.h"
#include "lamarck/gp/gp_data.h"
#include "lamarck/gp/gp_fit.h"
#include "lamarck/gp/gp_options.h"
#include "lamarck/gp/gp_tree.h"

namespace lamarck::gp {

// What to look for: the g for which weight * g best explains the residual once
// the basis has had its share.
struct Screening {
  const double* residual = nullptr;
  const double* weight = nullptr;  // Null means 1.
  std::vector<const double*> basis;
};

// Thread safety: const members from any thread.
class GpLibrary {
 public:
  // With `of_factors`, most trees are logarithms: seen through the link `log`
  // they are the factors of a product.
  GpLibrary(const GpData& data, const GpOptions& options,
            std::vector<std::size_t> inputs, Rng rng, bool of_factors = false);

  // A random small expression whose constants fit the data's scales.
  GpTree random_tree(Rng& rng, int depth) const;
  // A constant that could stand anywhere.
  double random_constant(Rng& rng) const;
  std::size_t random_input(Rng& rng) const;
  formula::Op random_function(Rng& rng) const;

  const std::vector<GpTree>& trees() const { return trees_; }

  // Looks at some of the trees and draws one of the best dozen.
  const GpTree& screen(const Screening& screening, std::size_t rows,
                       Rng& rng) const;

  // Takes new ones in the place of random old ones: `found` and random ones.
  void refresh(const std::vector<GpTree>& found, std::size_t count, Rng& rng);
  // These trees instead of its own; as many as it has.
  void restore(std::vector<GpTree> trees);

 private:
  // Something simple of one or two inputs, and how it is spread.
  struct Base {
    GpTree tree;
    double deviation = 1;
    std::vector<double> quantiles;
  };

  void find_bases();
  GpTree random_leafy(Rng& rng) const;
  GpTree scaled_base(Rng& rng) const;
  GpTree function_of(const GpTree& argument, Rng& rng) const;
  bool has(formula::Op op) const;
  // A bump, a step, a saturation, an oscillation: what responses look like.
  GpTree random_shape(Rng& rng) const;
  GpTree perhaps_logarithm(const GpTree& tree, Rng& rng) const;
  bool place(std::size_t index, const GpTree& tree);
  void fill_plain(Rng& rng);

  const GpData* data_;  // Outlives the library.
  GpOptions options_;
  std::vector<std::size_t> inputs_;
  GpFitter fitter_;
  std::size_t rows_ = 0;
  bool of_factors_ = false;
  std::vector<Base> bases_;  // The inputs first, then pairs of them.
  std::size_t single_bases_ = 0;
  std::vector<GpTree> trees_;
  std::vector<float> values_;  // By tree, then by row; of mean square 1.
  std::vector<float> squares_;
};

}  // namespace lamarck::gp
