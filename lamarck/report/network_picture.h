// Networks for people: a picture, a graph for Graphviz, and a description.

#pragma once

#include <string>
#include <vector>

#include "lamarck/evolution/network.h"

namespace lamarck::report {

struct PictureOptions {
  // One for each number that goes in or comes out; others are numbered.
  std::vector<std::string> input_names;
  std::vector<std::string> output_names;
  std::string title;
};

// From inputs on the left to outputs on the right. Lines are as thick as their
// weights are large, blue above 0 and orange below, dashed if recurrent.
// Many inputs become one box. It brings its own background, light or dark as
// the viewer prefers.
std::string to_svg(const evolution::Network& network,
                   const PictureOptions& options = {});

std::string to_dot(const evolution::Network& network,
                   const PictureOptions& options = {});

// Counts, a line for each node, and of small networks the formulas.
std::string to_text(const evolution::Network& network,
                    const PictureOptions& options = {});

// What people call a node: the name of an input or output, or "h7"; of one of
// several numbers "in0" or "out1".
std::string label_of(const evolution::Network& network, evolution::UnitId id,
                     const PictureOptions& options);
// "dense 32 relu", "conv 8x14x14 relu", "lstm 4", "tanh" for a neuron.
std::string description_of(const evolution::NetworkNode& node);

}  // namespace lamarck::report
