// What a picture of a network is made of, before it has places.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "lamarck/report/network_picture.h"

namespace lamarck::report {

struct PictureNode {
  std::string label;        // Beside inputs and outputs, in boxes inside.
  std::string second_line;  // Of boxes.
  std::string tip;          // Shown when pointed at.
  std::optional<evolution::NetworkNode> neuron;  // A circle, or else a box.
  evolution::Role role = evolution::Role::Hidden;
  std::size_t column = 0;
  bool is_bottleneck = false;
};

struct PictureEdge {
  std::size_t from = 0;
  std::size_t to = 0;
  bool recurrent = false;
  double weight = 0;      // Of one; of many the root of their mean square.
  std::size_t count = 0;  // Of weights.
  double strength = 0;    // |weight| / the largest of the picture.
  std::string tip;
};

struct PictureParts {
  std::vector<PictureNode> nodes;
  std::vector<PictureEdge> edges;
  std::size_t columns = 0;
};

PictureParts picture_parts(const evolution::Network& network,
                           const PictureOptions& options);

}  // namespace lamarck::report
