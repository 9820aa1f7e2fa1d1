#include "lamarck/report/internal/network_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace lamarck::report {
namespace {

using evolution::Role;

constexpr double kHeader = 64;          // Height of the title and the counts.
constexpr double kLetterWidth = 6.7;    // Average width in a label.
constexpr double kDenseEdges = 300;     // From here on lines are thinnest.
constexpr std::size_t kMaxBends = 250;  // With more, long edges are straight.

// An estimate, because the viewer's font is unknown.
double text_width(const std::string& text) {
  return kLetterWidth *
         static_cast<double>(std::min(text.size(), kMaxLabelLength));
}

// A cubic curve that leaves and arrives horizontally.
std::string curve(const Point& from, const Point& to) {
  const double half = (to.x - from.x) * 0.45;
  return fmt::format(" C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}",
                     from.x + half, from.y, to.x - half, to.y, to.x, to.y);
}

}  // namespace

NetworkPlaces::NetworkPlaces(const PictureParts& parts,
                             const std::string& title)
    : parts_(parts) {
  choose_sizes();
  place_nodes(title);
}

// Tall columns get smaller nodes, many edges get thinner and fainter lines.
void NetworkPlaces::choose_sizes() {
  std::vector<std::size_t> counts(parts_.columns, 0);
  for (const PictureNode& node : parts_.nodes) ++counts[node.column];
  const std::size_t tallest = *std::ranges::max_element(counts);
  radius_ = tallest <= 14 ? 15 : tallest <= 30 ? 11 : tallest <= 80 ? 7 : 4;
  const auto edges = static_cast<double>(parts_.edges.size());
  const double few = kDenseEdges / 5.0;
  density_ = std::clamp((edges - few) / (kDenseEdges - few), 0.0, 1.0);
}

double NetworkPlaces::half_width(const PictureNode& node) const {
  if (node.neuron) return node.role == Role::Input ? 5 : radius_;
  const double text =
      std::max(text_width(node.label), text_width(node.second_line));
  return text / 2 + 14;
}

double NetworkPlaces::half_height(const PictureNode& node) const {
  if (node.neuron) return half_width(node);
  return node.second_line.empty() ? 17 : 24;
}

double NetworkPlaces::total_height(const PictureNode& node) const {
  if (node.neuron && node.role == Role::Input)
    return std::max(2 * radius_, 20.0);
  return 2 * half_height(node) + std::max(6.0, radius_);
}

std::size_t NetworkPlaces::bend_count() const {
  std::size_t bends = 0;
  for (const PictureEdge& edge : parts_.edges) {
    if (!edge.recurrent) {
      bends += parts_.nodes[edge.to].column - parts_.nodes[edge.from].column;
      --bends;
    }
  }
  return bends;
}

// Long edges get a bend in each column that they cross. A bend occupies some
// space in the layout, so edges are routed around the nodes.
void NetworkPlaces::place_nodes(const std::string& title) {
  std::vector<LayoutItem> items;
  for (const PictureNode& node : parts_.nodes) {
    items.push_back({.column = node.column,
                     .height = total_height(node),
                     .keeps_order = node.role != Role::Hidden});
  }
  LayoutEdges links;
  const bool has_bends = bend_count() <= kMaxBends;
  Chains chains;
  for (const PictureEdge& edge : parts_.edges) {
    chains.emplace_back();
    if (edge.recurrent) continue;
    std::size_t before = edge.from;
    const std::size_t last = parts_.nodes[edge.to].column;
    for (std::size_t column = parts_.nodes[edge.from].column + 1;
         has_bends && column < last; ++column) {
      links.emplace_back(before, items.size());
      before = items.size();
      chains.back().push_back(before);
      items.push_back({.column = column, .height = 9});
    }
    links.emplace_back(before, edge.to);
  }
  lay_out(items, links);
  if (!has_bends) stagger(items);
  place_columns(title);
  set_positions(items, chains);
}

// Moves nodes of small columns up or down: at the same height they would hide
// the straight lines behind them.
void NetworkPlaces::stagger(std::vector<LayoutItem>& items) const {
  std::vector<std::size_t> counts(parts_.columns, 0);
  for (const LayoutItem& item : items) ++counts[item.column];
  double top = 0;
  double bottom = 0;
  for (const LayoutItem& item : items) {
    top = std::min(top, item.y);
    bottom = std::max(bottom, item.y);
  }
  for (LayoutItem& item : items) {
    if (counts[item.column] > 3 || item.keeps_order) continue;
    // 2.4 is about the golden angle: adjacent columns get different heights.
    const double turn = static_cast<double>(item.column) * 2.4;
    item.y += std::sin(turn) * std::max(90.0, (bottom - top) * 0.3);
  }
}

// Converts the layout to coordinates of the picture.
void NetworkPlaces::set_positions(const std::vector<LayoutItem>& items,
                                  const Chains& chains) {
  double top = 0;
  double bottom = 0;
  for (const LayoutItem& item : items) {
    top = std::min(top, item.y - item.height / 2);
    bottom = std::max(bottom, item.y + item.height / 2);
  }
  const bool has_recurrent = std::ranges::any_of(
      parts_.edges, [](const PictureEdge& edge) { return edge.recurrent; });
  const double loops = has_recurrent ? 34 : 0;
  const double shift = kHeader + kPictureMargin + loops - top;
  for (std::size_t i = 0; i < parts_.nodes.size(); ++i) {
    places_.push_back({columns_[items[i].column], items[i].y + shift});
  }
  for (const auto& chain : chains) {
    bends_.emplace_back();
    for (const std::size_t i : chain) {
      const std::size_t column = items[i].column;
      for (const double side : {-half_widths_[column], half_widths_[column]}) {
        bends_.back().push_back({columns_[column] + side, items[i].y + shift});
      }
    }
  }
  top_ = kHeader + kPictureMargin;
  bottom_ = bottom + shift + loops;
  height_ = bottom_ + kPictureMargin + 26;
}

void NetworkPlaces::place_columns(const std::string& title) {
  half_widths_.assign(parts_.columns, 8);
  double left = 0;
  double right = 0;
  for (const PictureNode& node : parts_.nodes) {
    double& half = half_widths_[node.column];
    half = std::max(half, half_width(node));
    if (!node.neuron || node.role == Role::Hidden) continue;
    double& side = node.role == Role::Input ? left : right;
    side = std::max(side, text_width(node.label) + 10);
  }
  // Deep networks get narrower gaps, so that the picture does not become too
  // wide.
  const double gap = parts_.columns > 24   ? 26
                     : parts_.columns > 10 ? 52
                     : parts_.columns > 4  ? 80
                                           : 130;
  double x = kPictureMargin + left;
  for (const double width : half_widths_) {
    x += width;
    columns_.push_back(x);
    x += width + gap;
  }
  const double drawn = x - gap + right + kPictureMargin;
  const double header =
      2 * kPictureMargin + std::max(text_width(title) * 1.5, 430.0);
  width_ = std::max(drawn, header);
  for (double& column : columns_) column += (width_ - drawn) / 2;
}

std::string NetworkPlaces::edge_path(std::size_t index) const {
  const PictureEdge& edge = parts_.edges[index];
  if (edge.recurrent) {
    return edge.from == edge.to ? loop_path(edge.from) : recurrent_path(edge);
  }
  Point at = places_[edge.from];
  at.x += half_width(parts_.nodes[edge.from]);
  Point end = places_[edge.to];
  end.x -= half_width(parts_.nodes[edge.to]);
  std::string path = fmt::format("M{:.1f} {:.1f}", at.x, at.y);
  for (const Point& bend : bends_[index]) {
    path += curve(at, bend);
    at = bend;
  }
  return path + curve(at, end);
}

// A small loop above the node.
std::string NetworkPlaces::loop_path(std::size_t node) const {
  const Point& at = places_[node];
  const double up = half_height(parts_.nodes[node]);
  const double side = std::min(half_width(parts_.nodes[node]) * 0.6, 12.0);
  const double top = at.y - up * (parts_.nodes[node].neuron ? 0.8 : 1);
  return fmt::format(
      "M{:.1f} {:.1f} C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}", at.x + side,
      top, at.x + side * 2.6, top - 28, at.x - side * 2.6, top - 28,
      at.x - side, top);
}

// An arc above the nodes in the upper half of the picture, below them in the
// lower half.
std::string NetworkPlaces::recurrent_path(const PictureEdge& edge) const {
  const Point& from = places_[edge.from];
  const Point& to = places_[edge.to];
  const double middle = (top_ + bottom_) / 2;
  const double side = (from.y + to.y) / 2 <= middle ? -1 : 1;
  const double start = from.y + side * half_height(parts_.nodes[edge.from]);
  const double end = to.y + side * half_height(parts_.nodes[edge.to]);
  const double lift =
      side * (24 + 0.16 * std::hypot(from.x - to.x, from.y - to.y));
  return fmt::format(
      "M{:.1f} {:.1f} C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}", from.x,
      start, from.x + 8, start + lift, to.x - 8, end + lift, to.x, end);
}

}  // namespace lamarck::report
