// The picture of a network as SVG.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <fmt/format.h>

#include "lamarck/base/one_line.h"
#include "lamarck/report/internal/network_places.h"
#include "lamarck/report/network_picture.h"
#include "lamarck/report/report_text.h"

namespace lamarck::report {
namespace {

using evolution::Activation;
using evolution::Network;
using evolution::Role;

// With more edges, the weaker ones are drawn thin and pale.
constexpr std::size_t kStrongEdges = 40;
constexpr double kFadedWidth = 0.5;
constexpr double kFadedOpacity = 0.18;

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

std::string escaped(std::string_view text, std::size_t max_length = 200) {
  return markup_text(one_line(text, max_length));
}

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
        parts_(picture_parts(network, options)),
        places_(parts_, options.title) {}

  std::string write() {
    const std::vector<std::size_t> order = by_strength();
    for (std::size_t i = 0; i < order.size(); ++i) {
      draw_edge(order[i], order.size() - i > kStrongEdges);
    }
    for (std::size_t i = 0; i < parts_.nodes.size(); ++i) draw_node(i);
    return framed();
  }

 private:
  // ---- Edges.

  // The indices of the edges, weakest first, so that strong ones are drawn on
  // top.
  std::vector<std::size_t> by_strength() const {
    std::vector<std::size_t> order(parts_.edges.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(
        order, {}, [&](std::size_t i) { return parts_.edges[i].strength; });
    return order;
  }

  static const char* hue(const PictureEdge& edge) {
    if (edge.count > 1) return "many";
    return edge.weight < 0 ? "minus" : "plus";
  }

  void draw_edge(std::size_t index, bool is_faded) {
    const PictureEdge& edge = parts_.edges[index];
    const double thin = std::lerp(0.8, 0.3, places_.density());
    const double more = std::lerp(3.4, 1.7, places_.density());
    const double faint = std::lerp(0.45, 0.12, places_.density());
    const double width = is_faded ? kFadedWidth : thin + more * edge.strength;
    const double opacity =
        is_faded ? kFadedOpacity : faint + (0.9 - faint) * edge.strength;
    body_ += fmt::format(
        "<path class=\"edge {}{}\" d=\"{}\" stroke-width=\"{:.2f}\" "
        "opacity=\"{:.2f}\"{}",
        hue(edge), edge.recurrent ? " dashed" : "", places_.edge_path(index),
        width, opacity,
        edge.recurrent ? fmt::format(" marker-end=\"url(#{})\"", hue(edge))
                       : std::string());
    // Hundreds of tooltips would make up most of the file.
    body_ += places_.density() == 1 ? std::string("/>\n")
                                    : fmt::format("><title>{}</title></path>\n",
                                                  escaped(edge.tip));
  }

  // ---- Nodes.

  void draw_node(std::size_t index) {
    const PictureNode& node = parts_.nodes[index];
    const Point& at = places_.place(index);
    body_ += "<g><title>" + escaped(node.tip) + "</title>";
    if (node.neuron) {
      draw_neuron(node, at);
    } else {
      draw_box(node, at);
    }
    body_ += "</g>\n";
  }

  void draw_neuron(const PictureNode& node, const Point& at) {
    const double radius = places_.half_width(node);
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
        at.x, at.y + 4, anchor, escaped(node.label, kMaxLabelLength));
  }

  void draw_box(const PictureNode& node, const Point& at) {
    const double x = places_.half_width(node);
    const double y = places_.half_height(node);
    body_ += fmt::format(
        "<rect class=\"node\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" "
        "height=\"{:.1f}\" rx=\"9\"/>",
        at.x - x, at.y - y, 2 * x, 2 * y);
    const bool has_two = !node.second_line.empty();
    body_ += fmt::format(
        "<text class=\"ink\" x=\"{:.1f}\" y=\"{:.1f}\" "
        "text-anchor=\"middle\">{}</text>",
        at.x, at.y + (has_two ? -3 : 4), escaped(node.label, kMaxLabelLength));
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
    if (parts_.edges.size() > kStrongEdges) {
      text += fmt::format("; the {} strongest edges stand out", kStrongEdges);
    }
    return text;
  }

  bool has_edge(auto is_such) const {
    return std::ranges::any_of(parts_.edges, is_such);
  }

  std::string legend() const {
    std::string text;
    double x = kPictureMargin;
    const double y = places_.height() - kPictureMargin + 4;
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
        places_.width(), places_.height(), escaped(title));
    svg += kStyle + markers();
    svg += fmt::format(
        "<rect class=\"card\" x=\"0.5\" y=\"0.5\" width=\"{:.0f}\" "
        "height=\"{:.0f}\" rx=\"14\"/>\n"
        "<text class=\"ink title\" x=\"{}\" y=\"38\">{}</text>\n"
        "<text class=\"soft\" x=\"{}\" y=\"58\">{}</text>\n",
        places_.width() - 1, places_.height() - 1, kPictureMargin,
        escaped(title, 80), kPictureMargin, counts());
    return svg + body_ + legend() + "</svg>\n";
  }

  const Network& network_;
  const PictureOptions& options_;
  PictureParts parts_;
  NetworkPlaces places_;
  std::string body_;
};

}  // namespace

std::string to_svg(const Network& network, const PictureOptions& options) {
  return SvgWriter(network, options).write();
}

}  // namespace lamarck::report
