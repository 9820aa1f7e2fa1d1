// The nodes and edges of a network's picture, before they have positions.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "lamarck/report/network_picture.h"

namespace lamarck::report {

struct PictureNode {
  std::string label;        // Beside a neuron, inside a box.
  std::string second_line;  // Inside a box; may be empty.
  std::string tip;          // The tooltip.
  std::optional<evolution::NetworkNode> neuron;  // A circle if set, else a box.
  evolution::Role role = evolution::Role::Hidden;
  std::size_t column = 0;
  bool is_bottleneck = false;
};

struct PictureEdge {
  std::size_t from = 0;
  std::size_t to = 0;
  bool recurrent = false;
  double weight = 0;      // The root mean square if there are several.
  std::size_t count = 0;  // Number of weights.
  double strength = 0;    // |weight| / largest |weight| of the picture.
  std::string tip;
};

struct PictureParts {
  std::vector<PictureNode> nodes;
  std::vector<PictureEdge> edges;
  std::size_t columns = 0;
};

// Large groups of inputs or outputs become one node, parallel edges one edge.
PictureParts picture_parts(const evolution::Network& network,
                           const PictureOptions& options);

}  // namespace lamarck::report
