// Turns the values of a law into the probability of a class.

#pragma once

#include <span>
#include <vector>

namespace lamarck::law {

// p = 1 / (1 + exp(-(slope * value + offset)))
struct ClassLink {
  double slope = 0;
  double offset = 0;

  double probability(double value) const;
};

// Fits the link by maximum likelihood to the values of a law and whether each
// row has the class. As if one more row of each label were uncertain (Platt's
// prior), so that the slope stays finite even if the values separate the labels
// perfectly. Values that are not finite are ignored; without others, the link
// gives the share of the class.
//
// `weights` say how much each row counts; if they are empty, all count the
// same.
//
// REQUIRES: `values` and `labels` have the same length, and so have the
// weights, unless they are empty.
ClassLink fit_class_link(std::span<const double> values,
                         const std::vector<bool>& labels,
                         std::span<const double> weights = {});

}  // namespace lamarck::law
