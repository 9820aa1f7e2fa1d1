// The design of a network for a table: its layers, its inputs and how it is
// trained. Mutations change one property; the search compares designs by
// predictions for rows that their networks were not trained on.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lamarck/base/rng.h"
#include "lamarck/evolution/network.h"
#include "lamarck/table/ensemble/spline_inputs.h"

namespace lamarck::table {

struct TableDesign {
  std::vector<std::uint32_t> hidden;  // Units per hidden layer; may be empty.
  evolution::Activation activation = evolution::Activation::Relu;
  bool has_skip = false;  // Whether the inputs also feed the outputs directly.
  // Whether each input of the table is used.
  std::vector<bool> inputs;
  // Whether each number that is used also enters as a piecewise-linear
  // encoding; one entry per SplineInput of the table.
  std::vector<bool> splines;
  std::size_t bins = kUsualSplineBins;  // Of the encodings, from kSplineBins.
  float l2 = 0;
  // The share of each class target that is spread over all classes.
  float smoothing = 0;
  float rate = 0.004f;
  double epochs = 1;             // Relative to the usual number.
  std::string origin = "begin";  // The mutation that made it.

  std::size_t spline_count() const;
  friend bool operator==(const TableDesign&, const TableDesign&) = default;
};

struct DesignLimits {
  std::size_t inputs = 0;   // Of the table.
  std::size_t splines = 0;  // SplineInputs of the table.
  float l2 = 0;             // The usual regularization.
  bool has_classes = false;
  std::uint32_t max_units = 256;  // Of a layer.
};

// The designs that a search starts with.
std::vector<TableDesign> initial_designs(const DesignLimits& limits);

// Returns a design that differs from `parent` in one or two properties.
// `importance` says by how much the loss of the parent grows without each
// input; it may be empty.
TableDesign mutated(const TableDesign& parent, const DesignLimits& limits,
                    std::span<const double> importance, Rng& rng);

// Returns an untrained network for `inputs` features.
evolution::Network make_network(const TableDesign& design, std::size_t inputs,
                                std::size_t outputs, evolution::Loss head,
                                Rng& rng);

}  // namespace lamarck::table
