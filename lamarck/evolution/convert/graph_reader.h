// Walks a graph back from its output and builds the network that computes the
// same; see convert_graph.

#pragma once

#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "lamarck/evolution/convert/linear_form.h"
#include "lamarck/evolution/network.h"
#include "lamarck/graph/graph.h"

namespace lamarck::evolution {

class GraphReader {
 public:
  explicit GraphReader(const Graph& graph) : graph_(graph) {}

  // Adds the outputs of the network. Throws LogicError if nothing can evolve.
  void read_output(const Var& output);

  Network network;
  std::vector<Var> sources;
  bool is_sequence = false;

 private:
  // Consecutive units whose values, side by side, are the value of a node.
  using Units = std::vector<UnitId>;

  // A convolution that keeps the size of the image.
  struct ConvForm {
    Var image;
    Tensor kernel;  // [outputs, channels, size, size]
    Tensor bias;    // [outputs]
  };

  Units units_of(const Var& var);
  Units make_units(const Var& var);
  Units source_units(const Var& var);
  Units sliced_input(const Var& input);
  Units joined_units(const Var& concat);
  Units recurrent_unit(const Var& var);
  std::optional<Units> lstm_unit(const Var& slice);
  std::optional<Units> reshaped_units(const Var& reshape);
  std::optional<Units> image_unit(const Var& var);
  std::optional<ConvForm> conv_form(const Var& var);
  UnitId add_conv(const ConvForm& form, Activation activation,
                  std::uint8_t pool);
  UnitId add_dense(const LinearForm& form, Activation activation);

  // The node as a linear form, or nothing if it is not one.
  std::optional<LinearForm> linear_form(const Var& var);
  std::optional<LinearForm> sum_form(const Var& left, const Var& right,
                                     float sign);
  std::optional<LinearForm> product_form(const Var& left, const Var& right);
  // The node as a linear form, with weights of 1 if it is not one.
  LinearForm form_of(const Var& var);
  // `form_of` for an operand: a node that others read too becomes a unit, so
  // that its weights stay shared.
  LinearForm operand_form(const Var& var);
  LinearForm copy_form(const Units& units) const;
  LinearForm empty_form(std::int64_t columns) const;
  void fill_edges(UnitId to, const LinearForm& form);

  std::size_t width_of(const Units& units) const;
  // Splits the rows of a matrix among the units.
  void add_rows(LinearForm& form, const Units& units,
                const Tensor& weight) const;

  Graph graph_;
  std::map<NodeId, Units> units_;
  std::map<NodeId, Units> lstms_;  // The hidden states of lstm nodes.
};

}  // namespace lamarck::evolution
