// Exports sessions as SVG: one lane for each branch, time runs downwards.

#include <algorithm>
#include <fmt/format.h>

#include "lamarck/base/one_line.h"
#include "lamarck/store/redaction.h"
#include "lamarck/thought/internal/export_graph.h"
#include "lamarck/thought/internal/svg_text.h"
#include "lamarck/thought/session_export.h"

namespace lamarck::thought {
namespace {

using internal::ExportArrow;
using internal::ExportGraph;
using internal::ExportNode;
using internal::wrapped;

// Sizes are in pixels.
constexpr std::size_t kMargin = 24;
constexpr std::size_t kHead = 120;  // Title, budget and legend.
constexpr std::size_t kLaneTitle = 44;
constexpr std::size_t kBoxWidth = 232;
constexpr std::size_t kBoxHeight = 58;
constexpr std::size_t kLaneWidth = kBoxWidth + 56;
constexpr std::size_t kRowHeight = kBoxHeight + 34;
constexpr std::size_t kTextColumns = 31;  // Per line of a box.
constexpr std::size_t kTitleColumns = 28;
constexpr std::size_t kMinWidth = 900;  // For the legend.

constexpr std::string_view kStyle = R"(<style>
text{font-family:system-ui,"Segoe UI",Helvetica,Arial,sans-serif;fill:#111827}
.title{font-size:18px;font-weight:600}
.note{font-size:12px;fill:#6b7280}
.lane{font-size:13px;font-weight:600}
.type{font-size:10px;font-weight:600}
.say{font-size:12px}
</style>
)";

// Positions of the boxes.
struct Layout {
  std::vector<std::size_t> rows;  // Indexed by node.
  std::size_t row_count = 0;

  std::size_t left(const ExportNode& node) const {
    return kMargin + node.lane * kLaneWidth + (kLaneWidth - kBoxWidth) / 2;
  }
  std::size_t centre(const ExportNode& node) const {
    return left(node) + kBoxWidth / 2;
  }
  std::size_t top(std::size_t index) const {
    return kHead + kLaneTitle + 16 + rows[index] * kRowHeight;
  }
};

// Places each box below all its parents and below the earlier boxes of its
// lane. Arrows are sorted by `to`, so one pass over both lists is enough.
Layout make_layout(const ExportGraph& graph) {
  Layout layout{.rows = std::vector<std::size_t>(graph.nodes.size())};
  std::vector<std::size_t> next_row(graph.lanes.size());
  auto arrow = graph.arrows.begin();
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    std::size_t row = next_row[graph.nodes[i].lane];
    for (; arrow != graph.arrows.end() && arrow->to == i; ++arrow) {
      row = std::max(row, layout.rows[arrow->from] + 1);
    }
    layout.rows[i] = row;
    next_row[graph.nodes[i].lane] = row + 1;
    layout.row_count = std::max(layout.row_count, row + 1);
  }
  return layout;
}

std::string text_at(std::size_t x, std::size_t y, std::string_view style,
                    std::string_view text) {
  return fmt::format("<text x=\"{}\" y=\"{}\" class=\"{}\">{}</text>\n", x, y,
                     style, markup_text(text));
}

void append_budget(std::string& svg, const Session& session) {
  constexpr double kWidth = 240;
  const auto budget =
      static_cast<double>(std::max<std::int64_t>(session.budgets.tokens, 1));
  const double share =
      std::clamp(static_cast<double>(session.tokens_used) / budget, 0.0, 1.0);
  const std::string_view colour =
      share > 0.9 ? "#ef4444" : (share >= 0.8 ? "#f59e0b" : "#22c55e");
  svg += fmt::format(
      "<rect x=\"{0}\" y=\"64\" width=\"{1:.0f}\" height=\"8\" rx=\"4\" "
      "fill=\"#e5e7eb\"/>\n<rect x=\"{0}\" y=\"64\" width=\"{2:.1f}\" "
      "height=\"8\" rx=\"4\" fill=\"{3}\"/>\n",
      kMargin, kWidth, kWidth * share, colour);
  svg += text_at(kMargin + 252, 73, "note",
                 fmt::format("{} of {} tokens", session.tokens_used,
                             session.budgets.tokens));
}

void append_legend(std::string& svg) {
  std::size_t x = kMargin;
  std::vector<internal::EventLook> looks(internal::event_looks().begin(),
                                         internal::event_looks().end());
  looks.push_back(internal::failure_look());
  for (const internal::EventLook& look : looks) {
    svg += fmt::format(
        "<rect x=\"{}\" y=\"92\" width=\"12\" height=\"12\" rx=\"3\" "
        "fill=\"{}\" stroke=\"{}\"/>\n",
        x, look.fill, look.stroke);
    svg += text_at(x + 17, 102, "note", look.type);
    x += 30 + 7 * look.type.size();
  }
  x = kMargin + 480;
  for (const internal::EdgeLook& look : internal::edge_looks()) {
    svg += fmt::format(
        "<path d=\"M{} 69h22\" stroke=\"{}\" stroke-width=\"2\" "
        "stroke-dasharray=\"{}\"/>\n",
        x, look.colour, look.dashes.empty() ? "none" : look.dashes);
    svg += text_at(x + 27, 73, "note", look.type);
    x += 42 + 7 * look.type.size();
  }
}

void append_head(std::string& svg, const Session& session) {
  const std::string goal = one_line(store::redacted(session.goal), 90);
  svg += text_at(kMargin, 34, "title", goal.empty() ? session.id : goal);
  svg += text_at(
      kMargin, 54, "note",
      fmt::format("{}, {}", session.id, session_state_name(session.state)));
  append_budget(svg, session);
  append_legend(svg);
}

void append_lanes(std::string& svg, const ExportGraph& graph,
                  std::size_t height) {
  for (std::size_t i = 0; i < graph.lanes.size(); ++i) {
    const std::size_t left = kMargin + i * kLaneWidth;
    svg += fmt::format(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"10\" "
        "fill=\"{}\"/>\n",
        left + 4, kHead, kLaneWidth - 8, height - kHead - kMargin,
        i % 2 == 0 ? "#f8fafc" : "#f1f5f9");
    const auto title = wrapped(graph.lanes[i].title, kTitleColumns, 1);
    svg += text_at(left + 28, kHead + 28, "lane",
                   title.empty() ? "" : title.front());
  }
}

void append_arrow(std::string& svg, const ExportGraph& graph,
                  const Layout& layout, const ExportArrow& arrow) {
  const ExportNode& from = graph.nodes[arrow.from];
  const ExportNode& to = graph.nodes[arrow.to];
  const std::size_t end = layout.top(arrow.to) - 2;
  std::string path;
  if (from.lane == to.lane &&
      layout.rows[arrow.to] > layout.rows[arrow.from] + 1) {
    // Runs around the boxes in between.
    const std::size_t side = layout.left(from) + kBoxWidth;
    path = fmt::format("M{} {}C{} {} {} {} {} {}", side,
                       layout.top(arrow.from) + kBoxHeight / 2, side + 30,
                       layout.top(arrow.from) + kBoxHeight, side + 30, end - 10,
                       side, end + kBoxHeight / 2);
  } else {
    const std::size_t start = layout.top(arrow.from) + kBoxHeight;
    path = fmt::format("M{} {}C{} {} {} {} {} {}", layout.centre(from), start,
                       layout.centre(from), start + 26, layout.centre(to),
                       end - 26, layout.centre(to), end);
  }
  svg += fmt::format(
      "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.6\"{} "
      "marker-end=\"url(#{})\"/>\n",
      path, arrow.look->colour,
      arrow.look->dashes.empty()
          ? ""
          : fmt::format(" stroke-dasharray=\"{}\"", arrow.look->dashes),
      arrow.look->type);
}

void append_box(std::string& svg, const ExportNode& node, std::size_t left,
                std::size_t top) {
  svg += fmt::format(
      "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"7\" "
      "fill=\"{}\" stroke=\"{}\"/>\n",
      left, top, kBoxWidth, kBoxHeight, node.colours().fill,
      node.colours().stroke);
  svg += fmt::format(
      "<text x=\"{}\" y=\"{}\" class=\"type\" style=\"fill:{}\">{}</text>\n",
      left + 10, top + 15, node.colours().stroke,
      markup_text(one_line(node.type, 30) +
                  (node.has_failed ? " · failed" : "")));
  std::size_t line = top + 32;
  for (const std::string& text : wrapped(node.text, kTextColumns, 2)) {
    svg += text_at(left + 10, line, "say", text);
    line += 16;
  }
}

void append_markers(std::string& svg) {
  svg += "<defs>\n";
  for (const internal::EdgeLook& look : internal::edge_looks()) {
    svg += fmt::format(
        "<marker id=\"{}\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" "
        "markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\">"
        "<path d=\"M0 0L8 4L0 8z\" fill=\"{}\"/></marker>\n",
        look.type, look.colour);
  }
  svg += "</defs>\n";
}

}  // namespace

std::string to_svg(const Session& session,
                   const std::vector<store::Event>& events,
                   const ExportOptions& options) {
  const ExportGraph graph = internal::export_graph(session, events, options);
  const Layout layout = make_layout(graph);
  const std::size_t width =
      std::max(kMinWidth, 2 * kMargin + graph.lanes.size() * kLaneWidth);
  const std::size_t height =
      kHead + kLaneTitle + 16 + layout.row_count * kRowHeight + kMargin;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" "
      "height=\"{1}\" viewBox=\"0 0 {0} {1}\">\n",
      width, height);
  svg += kStyle;
  append_markers(svg);
  svg += "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
  append_head(svg, session);
  append_lanes(svg, graph, height);
  for (const ExportArrow& arrow : graph.arrows) {
    append_arrow(svg, graph, layout, arrow);
  }
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    append_box(svg, graph.nodes[i], layout.left(graph.nodes[i]), layout.top(i));
  }
  return svg + "</svg>\n";
}

}  // namespace lamarck::thought
