// Human-readable forms of a network: SVG picture, Graphviz graph and text.

#pragma once

#include <string>
#include <vector>

#include "lamarck/evolution/network.h"

namespace lamarck::report {

struct PictureOptions {
  // One name for each input and output value; values without one are numbered.
  std::vector<std::string> input_names;
  std::vector<std::string> output_names;
  std::string title;
};

// Draws the network from inputs on the left to outputs on the right. The width
// of a line shows the size of its weight; positive weights are blue, negative
// ones orange, and recurrent edges dashed. Many inputs become one box. The
// picture has its own background and supports light and dark mode.
std::string to_svg(const evolution::Network& network,
                   const PictureOptions& options = {});

// Returns a digraph in the DOT language.
std::string to_dot(const evolution::Network& network,
                   const PictureOptions& options = {});

// Returns the counts, a line for each node, and formulas for small networks.
std::string to_text(const evolution::Network& network,
                    const PictureOptions& options = {});

// Returns the name of an input or output, "in0" or "out1" if it has none, or
// "h7" for a hidden node.
std::string node_label(const evolution::Network& network, evolution::UnitId id,
                       const PictureOptions& options);

// Returns "dense 32 relu", "conv 8x14x14 relu" or "lstm 4" for a layer, "tanh"
// for a neuron.
std::string node_description(const evolution::NetworkNode& node);

}  // namespace lamarck::report
