// Sizes and positions of the nodes and edges of a network's picture.

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lamarck/graph/layered_layout.h"
#include "lamarck/report/internal/picture_parts.h"

namespace lamarck::report {

struct Point {
  double x = 0;
  double y = 0;
};

inline constexpr double kPictureMargin = 28;
inline constexpr std::size_t kMaxLabelLength = 26;  // Characters shown.

// All lengths are in pixels. The parts must outlive the object.
class NetworkPlaces {
 public:
  NetworkPlaces(const PictureParts& parts, const std::string& title);

  double width() const { return width_; }
  double height() const { return height_; }
  // From 0 for few edges to 1 for many, which get thinner and fainter lines.
  double density() const { return density_; }

  const Point& place(std::size_t node) const { return places_[node]; }
  double half_width(const PictureNode& node) const;
  double half_height(const PictureNode& node) const;
  // The path of an edge as SVG path data.
  std::string edge_path(std::size_t index) const;

 private:
  using Chains = std::vector<std::vector<std::size_t>>;

  void choose_sizes();
  double total_height(const PictureNode& node) const;
  std::size_t bend_count() const;
  void place_nodes(const std::string& title);
  void stagger(std::vector<LayoutItem>& items) const;
  void set_positions(const std::vector<LayoutItem>& items,
                     const Chains& chains);
  void place_columns(const std::string& title);
  std::string loop_path(std::size_t node) const;
  std::string recurrent_path(const PictureEdge& edge) const;

  const PictureParts& parts_;
  double radius_ = 15;
  double density_ = 0;
  std::vector<double> columns_;            // x of every column.
  std::vector<double> half_widths_;        // Half the width of every column.
  std::vector<Point> places_;              // Position of every node.
  std::vector<std::vector<Point>> bends_;  // Bends of every edge.
  double width_ = 0;
  double height_ = 0;
  double top_ = 0;
  double bottom_ = 0;
};

}  // namespace lamarck::report
