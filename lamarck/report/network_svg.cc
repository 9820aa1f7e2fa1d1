// The picture of a network as SVG.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <fmt/format.h>

#include "lamarck/base/one_line.h"
#include "lamarck/graph/layered_layout.h"
#include "lamarck/report/internal/picture_parts.h"
#include "lamarck/report/network_picture.h"
#include "lamarck/report/report_text.h"

namespace lamarck::report {
namespace {

using evolution::Activation;
using evolution::Network;
using evolution::Role;

// Blue and orange are from the palette of Okabe and Ito, which color-blind
// readers can tell apart.
constexpr const char* kStyle = R"(<style>
text { font: 12px system-ui, -apple-system, "Segoe UI", sans-serif; }
.title { font-size: 17px; font-weight: 600; }
.card { fill: #ffffff; stroke: #d9dee5; }
.ink { fill: #1f2933; }
.soft { fill: #66727f; font-size: 11px; }
.node { fill: #f6f8fb; stroke: #5b6875; stroke-width: 1.4; }
.end { fill: #5b6875; }
.glyph { fill: none; stroke: #1f2933; stroke-width: 1.6; }
.edge { fill: none; stroke-linecap: round; }
.plus { stroke: #0072b2; }
.minus { stroke: #d55e00; }
.many { stroke: #7d8894; }
.dashed { stroke-dasharray: 5 4; }
.tip-plus { fill: #0072b2; }
.tip-minus { fill: #d55e00; }
.tip-many { fill: #7d8894; }
@media (prefers-color-scheme: dark) {
  .card { fill: #161b22; stroke: #303842; }
  .ink { fill: #e6edf3; }
  .soft { fill: #9aa7b4; }
  .node { fill: #212830; stroke: #9aa7b4; }
  .end { fill: #9aa7b4; }
  .glyph { stroke: #e6edf3; }
  .plus { stroke: #56b4e9; }
  .minus { stroke: #f0914b; }
  .many { stroke: #8b97a4; }
  .tip-plus { fill: #56b4e9; }
  .tip-minus { fill: #f0914b; }
  .tip-many { fill: #8b97a4; }
}
</style>
)";

constexpr double kMargin = 28;
constexpr double kHeader = 64;        // Height of the title and the counts.
constexpr double kLetterWidth = 6.7;  // Average width in a label.
constexpr std::size_t kMaxLetters = 26;
constexpr double kDenseEdges = 300;     // From here on lines are thinnest.
constexpr std::size_t kMaxBends = 250;  // With more, long edges are straight.

std::string escaped(std::string_view text, std::size_t max_length = 200) {
  return markup_text(one_line(text, max_length));
}

// An estimate, because the viewer's font is unknown.
double text_width(const std::string& text) {
  return kLetterWidth * static_cast<double>(std::min(text.size(), kMaxLetters));
}

struct Point {
  double x = 0;
  double y = 0;
};

// The path of a small plot of the activation over [-1, 1], centered at `at`.
std::string glyph_path(Activation activation, const Point& at, double size) {
  std::string path;
  constexpr int kSteps = 12;
  for (int i = 0; i <= kSteps; ++i) {
    const double x = 2.0 * i / kSteps - 1;
    const double y = evolution::find_activation(activation).curve(x);
    path += fmt::format("{}{:.1f} {:.1f}", i == 0 ? "M" : " L", at.x + size * x,
                        at.y - size * y);
  }
  return path;
}

class SvgWriter {
 public:
  SvgWriter(const Network& network, const PictureOptions& options)
      : network_(network),
        options_(options),
        parts_(picture_parts(network, options)) {}

  std::string write() {
    choose_sizes();
    place();
    for (const PictureEdge& edge : by_strength()) draw_edge(edge);
    for (std::size_t i = 0; i < parts_.nodes.size(); ++i) draw_node(i);
    return framed();
  }

 private:
  // ---- Layout.

  // Tall columns get smaller nodes, many edges get thinner and fainter lines.
  void choose_sizes() {
    std::vector<std::size_t> counts(parts_.columns, 0);
    for (const PictureNode& node : parts_.nodes) ++counts[node.column];
    const std::size_t tallest = *std::ranges::max_element(counts);
    radius_ = tallest <= 14 ? 15 : tallest <= 30 ? 11 : tallest <= 80 ? 7 : 4;
    const auto edges = static_cast<double>(parts_.edges.size());
    const double few = kDenseEdges / 5.0;
    density_ = std::clamp((edges - few) / (kDenseEdges - few), 0.0, 1.0);
  }

  double half_width(const PictureNode& node) const {
    if (node.neuron) return node.role == Role::Input ? 5 : radius_;
    const double text =
        std::max(text_width(node.label), text_width(node.second_line));
    return text / 2 + 14;
  }
  double half_height(const PictureNode& node) const {
    if (node.neuron) return half_width(node);
    return node.second_line.empty() ? 17 : 24;
  }
  double total_height(const PictureNode& node) const {
    if (node.neuron && node.role == Role::Input)
      return std::max(2 * radius_, 20.0);
    return 2 * half_height(node) + std::max(6.0, radius_);
  }

  std::size_t bend_count() const {
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
  void place() {
    std::vector<LayoutItem> items;
    for (const PictureNode& node : parts_.nodes) {
      items.push_back({.column = node.column,
                       .height = total_height(node),
                       .keeps_order = node.role != Role::Hidden});
    }
    LayoutEdges links;
    const bool has_bends = bend_count() <= kMaxBends;
    std::vector<std::vector<std::size_t>> chains;
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
    set_positions(items, chains);
  }

  // Moves nodes of small columns up or down: at the same height they would hide
  // the straight lines behind them.
  void stagger(std::vector<LayoutItem>& items) const {
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
  void set_positions(const std::vector<LayoutItem>& items,
                     const std::vector<std::vector<std::size_t>>& chains) {
    place_columns();
    double top = 0;
    double bottom = 0;
    for (const LayoutItem& item : items) {
      top = std::min(top, item.y - item.height / 2);
      bottom = std::max(bottom, item.y + item.height / 2);
    }
    const double loops = network_.recurrent_edge_count() > 0 ? 34 : 0;
    const double shift = kHeader + kMargin + loops - top;
    for (std::size_t i = 0; i < parts_.nodes.size(); ++i) {
      places_.push_back({columns_[items[i].column], items[i].y + shift});
    }
    for (const auto& chain : chains) {
      bends_.emplace_back();
      for (const std::size_t i : chain) {
        const std::size_t column = items[i].column;
        for (const double side :
             {-half_widths_[column], half_widths_[column]}) {
          bends_.back().push_back(
              {columns_[column] + side, items[i].y + shift});
        }
      }
    }
    top_ = kHeader + kMargin;
    bottom_ = bottom + shift + loops;
    height_ = bottom_ + kMargin + 26;
  }

  void place_columns() {
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
    double x = kMargin + left;
    for (const double width : half_widths_) {
      x += width;
      columns_.push_back(x);
      x += width + gap;
    }
    const double drawn = x - gap + right + kMargin;
    const double header =
        2 * kMargin + std::max(text_width(options_.title) * 1.5, 430.0);
    width_ = std::max(drawn, header);
    for (double& column : columns_) column += (width_ - drawn) / 2;
  }

  // ---- Edges.

  // Returns the edges, weakest first, so that strong ones are drawn on top.
  // Fills paths_ in the same order.
  std::vector<PictureEdge> by_strength() {
    std::vector<PictureEdge> sorted;
    for (std::size_t i = 0; i < parts_.edges.size(); ++i) {
      sorted.push_back(parts_.edges[i]);
      paths_.push_back(edge_path(parts_.edges[i], bends_[i]));
    }
    std::vector<std::size_t> order(sorted.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, {},
                             [&](std::size_t i) { return sorted[i].strength; });
    std::vector<PictureEdge> edges;
    std::vector<std::string> paths;
    for (const std::size_t i : order) {
      edges.push_back(sorted[i]);
      paths.push_back(paths_[i]);
    }
    paths_ = std::move(paths);
    return edges;
  }

  // A cubic curve that leaves and arrives horizontally.
  static std::string curve(const Point& from, const Point& to) {
    const double half = (to.x - from.x) * 0.45;
    return fmt::format(" C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}",
                       from.x + half, from.y, to.x - half, to.y, to.x, to.y);
  }

  std::string edge_path(const PictureEdge& edge,
                        const std::vector<Point>& bends) const {
    if (edge.recurrent) {
      return edge.from == edge.to ? loop_path(edge.from) : recurrent_path(edge);
    }
    Point at = places_[edge.from];
    at.x += half_width(parts_.nodes[edge.from]);
    Point end = places_[edge.to];
    end.x -= half_width(parts_.nodes[edge.to]);
    std::string path = fmt::format("M{:.1f} {:.1f}", at.x, at.y);
    for (const Point& bend : bends) {
      path += curve(at, bend);
      at = bend;
    }
    return path + curve(at, end);
  }

  // A small loop above the node.
  std::string loop_path(std::size_t node) const {
    const Point& at = places_[node];
    const double up = half_height(parts_.nodes[node]);
    const double side = std::min(half_width(parts_.nodes[node]) * 0.6, 12.0);
    const double top = at.y - up * (parts_.nodes[node].neuron ? 0.8 : 1);
    return fmt::format(
        "M{:.1f} {:.1f} C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}",
        at.x + side, top, at.x + side * 2.6, top - 28, at.x - side * 2.6,
        top - 28, at.x - side, top);
  }

  // An arc above the nodes in the upper half of the picture, below them in the
  // lower half.
  std::string recurrent_path(const PictureEdge& edge) const {
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

  static const char* hue(const PictureEdge& edge) {
    if (edge.count > 1) return "many";
    return edge.weight < 0 ? "minus" : "plus";
  }

  void draw_edge(const PictureEdge& edge) {
    const double thin = std::lerp(0.8, 0.3, density_);
    const double more = std::lerp(3.4, 1.7, density_);
    const double faint = std::lerp(0.45, 0.12, density_);
    const double width = thin + more * edge.strength;
    const double opacity = faint + (0.9 - faint) * edge.strength;
    body_ += fmt::format(
        "<path class=\"edge {}{}\" d=\"{}\" stroke-width=\"{:.2f}\" "
        "opacity=\"{:.2f}\"{}",
        hue(edge), edge.recurrent ? " dashed" : "", paths_[drawn_++], width,
        opacity,
        edge.recurrent ? fmt::format(" marker-end=\"url(#{})\"", hue(edge))
                       : std::string());
    // Hundreds of tooltips would make up most of the file.
    body_ += density_ == 1 ? std::string("/>\n")
                           : fmt::format("><title>{}</title></path>\n",
                                         escaped(edge.tip));
  }

  // ---- Nodes.

  void draw_node(std::size_t index) {
    const PictureNode& node = parts_.nodes[index];
    const Point& at = places_[index];
    body_ += "<g><title>" + escaped(node.tip) + "</title>";
    if (node.neuron) {
      draw_neuron(node, at);
    } else {
      draw_box(node, at);
    }
    body_ += "</g>\n";
  }

  void draw_neuron(const PictureNode& node, const Point& at) {
    const double radius = half_width(node);
    if (node.role == Role::Input) {
      body_ += fmt::format(
          "<circle class=\"end\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\"/>",
          at.x, at.y, radius);
      return draw_name(node, {at.x - radius - 8, at.y}, "end");
    }
    body_ += fmt::format(
        "<circle class=\"node\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\"{}/>",
        at.x, at.y, radius,
        node.is_bottleneck ? " style=\"stroke-width: 3\"" : "");
    if (radius > 6) {
      body_ +=
          fmt::format("<path class=\"glyph\" d=\"{}\"/>",
                      glyph_path(node.neuron->activation, at, radius * 0.56));
    }
    if (node.neuron->aggregation != evolution::Aggregation::Sum &&
        radius > 10) {
      body_ += fmt::format(
          "<text class=\"soft\" x=\"{:.1f}\" y=\"{:.1f}\" "
          "text-anchor=\"middle\">{}</text>",
          at.x, at.y + radius + 11,
          evolution::name_of(node.neuron->aggregation));
    }
    if (node.role == Role::Output) {
      draw_name(node, {at.x + radius + 8, at.y}, "start");
    }
  }

  void draw_name(const PictureNode& node, const Point& at, const char* anchor) {
    body_ += fmt::format(
        "<text class=\"ink\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}"
        "</text>",
        at.x, at.y + 4, anchor, escaped(node.label, kMaxLetters));
  }

  void draw_box(const PictureNode& node, const Point& at) {
    const double x = half_width(node);
    const double y = half_height(node);
    body_ += fmt::format(
        "<rect class=\"node\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" "
        "height=\"{:.1f}\" rx=\"9\"/>",
        at.x - x, at.y - y, 2 * x, 2 * y);
    const bool has_two = !node.second_line.empty();
    body_ += fmt::format(
        "<text class=\"ink\" x=\"{:.1f}\" y=\"{:.1f}\" "
        "text-anchor=\"middle\">{}</text>",
        at.x, at.y + (has_two ? -3 : 4), escaped(node.label, kMaxLetters));
    if (!has_two) return;
    body_ += fmt::format(
        "<text class=\"soft\" x=\"{:.1f}\" y=\"{:.1f}\" "
        "text-anchor=\"middle\">{}</text>",
        at.x, at.y + 13, escaped(node.second_line, 60));
  }

  // ---- Title, counts and legend.

  std::string counts() const {
    std::string text = fmt::format(
        "{}, {} hidden, {}, {}, {}",
        counted(network_.input_width(), "input", "inputs"),
        network_.hidden_count(),
        counted(network_.output_width(), "output", "outputs"),
        counted(network_.edges().size(), "edge", "edges"),
        counted(network_.parameters().size(), "parameter", "parameters"));
    if (network_.head() == evolution::Loss::CrossEntropy) text += ", softmax";
    return text;
  }

  bool has_edge(auto is_such) const {
    return std::ranges::any_of(parts_.edges, is_such);
  }

  std::string legend() const {
    std::string text;
    double x = kMargin;
    const double y = height_ - kMargin + 4;
    const auto add = [&](const char* classes, const std::string& what) {
      text += fmt::format(
          "<path class=\"edge {}\" d=\"M{:.1f} {:.1f} h26\" "
          "stroke-width=\"2.6\"/><text class=\"soft\" x=\"{:.1f}\" "
          "y=\"{:.1f}\">{}</text>\n",
          classes, x, y - 4, x + 33, y, what);
      x += 33 + 6.0 * static_cast<double>(what.size()) + 20;
    };
    if (has_edge([](const PictureEdge& edge) { return edge.count == 1; })) {
      add("plus", "positive weight");
      add("minus", "negative");
    }
    if (has_edge([](const PictureEdge& edge) { return edge.count > 1; })) {
      add("many", "many weights");
    }
    if (has_edge([](const PictureEdge& edge) { return edge.recurrent; })) {
      add("many dashed", "recurrent");
    }
    return text;
  }

  static std::string markers() {
    std::string text = "<defs>\n";
    for (const char* hue : {"plus", "minus", "many"}) {
      text += fmt::format(
          "<marker id=\"{}\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" "
          "markerWidth=\"8\" markerHeight=\"8\" orient=\"auto\" "
          "markerUnits=\"userSpaceOnUse\"><path class=\"tip-{}\" d=\"M0 0 L8 4 "
          "L0 8 Z\"/></marker>\n",
          hue, hue);
    }
    return text + "</defs>\n";
  }

  std::string framed() const {
    const std::string title =
        options_.title.empty() ? "Evolved network" : options_.title;
    std::string svg = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" "
        "height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" role=\"img\">\n"
        "<title>{2}</title>\n",
        width_, height_, escaped(title));
    svg += kStyle + markers();
    svg += fmt::format(
        "<rect class=\"card\" x=\"0.5\" y=\"0.5\" width=\"{:.0f}\" "
        "height=\"{:.0f}\" rx=\"14\"/>\n"
        "<text class=\"ink title\" x=\"{}\" y=\"38\">{}</text>\n"
        "<text class=\"soft\" x=\"{}\" y=\"58\">{}</text>\n",
        width_ - 1, height_ - 1, kMargin, escaped(title, 80), kMargin,
        counts());
    return svg + body_ + legend() + "</svg>\n";
  }

  const Network& network_;
  const PictureOptions& options_;
  PictureParts parts_;
  double radius_ = 15;
  double density_ = 0;           // From 0 for few edges to 1 for kDenseEdges.
  std::vector<double> columns_;  // x of every column.
  std::vector<double> half_widths_;        // Half the width of every column.
  std::vector<Point> places_;              // Position of every node.
  std::vector<std::vector<Point>> bends_;  // Bends of every edge.
  std::vector<std::string> paths_;         // SVG paths, in drawing order.
  std::size_t drawn_ = 0;                  // Index of the next path.
  double width_ = 0;
  double height_ = 0;
  double top_ = 0;
  double bottom_ = 0;
  std::string body_;
};

}  // namespace

std::string to_svg(const Network& network, const PictureOptions& options) {
  return SvgWriter(network, options).write();
}

}  // namespace lamarck::report
