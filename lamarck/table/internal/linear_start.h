// Starts a network at the linear solution of its task.

#pragma once

#include "lamarck/evolution/training.h"

namespace lamarck::table {

// Whether start_linear can set the weights: no hidden nodes, an edge from each
// of at most 600 inputs to the only output, and no other edges.
bool is_linear(const evolution::Network& network);

// Sets the weights to those of a ridge regression on the examples that count.
// `ridge` is relative to their number. REQUIRES: is_linear.
void start_linear(evolution::Network& network,
                  const evolution::Examples& examples, double ridge);

// Returns the ridge with which a fit to `train` predicts `check` best.
// REQUIRES: is_linear.
double choose_ridge(const evolution::Network& network,
                    const evolution::Examples& train,
                    const evolution::Examples& check);

}  // namespace lamarck::table
