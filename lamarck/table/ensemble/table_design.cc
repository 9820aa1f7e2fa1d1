#include "lamarck/table/ensemble/table_design.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace lamarck::table {
namespace {

using evolution::Activation;
using evolution::Network;
using evolution::UnitId;

constexpr std::uint32_t kMinUnits = 8;
constexpr std::uint32_t kFirstUnits = 64;
constexpr float kSmallestL2 = 1e-6f;
constexpr float kStrongL2 = 30;  // Relative to the usual one.

void change_width(TableDesign& design, const DesignLimits& limits, Rng& rng) {
  if (design.hidden.empty()) {
    design.hidden = {std::min(kFirstUnits / 2, limits.max_units)};
    design.origin = "add_layer";
    return;
  }
  std::uint32_t& width = rng.choice(design.hidden);
  width = rng.chance(0.6) ? width * 2 : width / 2;
  width = std::clamp(width, kMinUnits, limits.max_units);
  design.origin = "resize_layer";
}

void change_depth(TableDesign& design, const DesignLimits& limits, Rng& rng) {
  if (design.hidden.size() < 2 && (design.hidden.empty() || rng.chance(0.7))) {
    design.hidden.push_back(design.hidden.empty()
                                ? std::min(kFirstUnits / 2, limits.max_units)
                                : design.hidden.back());
    design.origin = "add_layer";
  } else {
    design.hidden.pop_back();
    design.origin = "remove_layer";
  }
  design.has_skip |= design.hidden.empty();
}

void change_bins(TableDesign& design, Rng& rng) {
  const auto* const now = std::ranges::find(kSplineBins, design.bins);
  const bool is_finer = now + 1 != kSplineBins.end() &&
                        (now == kSplineBins.begin() || rng.chance(0.5));
  design.bins = is_finer ? *(now + 1) : *(now - 1);
  design.origin = "change_bins";
}

// Drops the inputs that hardly matter to the parent, or takes one back.
void change_inputs(TableDesign& design, std::span<const double> importance,
                   Rng& rng) {
  constexpr std::array kCuts = {0.0, 0.005, 0.02, 0.06};
  std::vector<std::size_t> used;
  std::vector<std::size_t> unused;
  for (std::size_t i = 0; i < design.inputs.size(); ++i) {
    (design.inputs[i] ? used : unused).push_back(i);
  }
  design.origin = "change_inputs";
  if (!unused.empty() && rng.chance(0.25)) {
    design.inputs[rng.choice(unused)] = true;
    return;
  }
  if (used.size() < 2) return;
  if (importance.empty()) {
    design.inputs[rng.choice(used)] = false;
    return;
  }
  const auto by_importance = [&](std::size_t i) { return importance[i]; };
  const double top = importance[std::ranges::max(used, {}, by_importance)];
  const double cut = std::max(0.0, top) * kCuts[rng.below(kCuts.size())];
  std::size_t left = used.size();
  for (const std::size_t i : used) {
    if (importance[i] > cut || left == 1) continue;
    design.inputs[i] = false;
    --left;
  }
  if (left == used.size()) {
    design.inputs[std::ranges::min(used, {}, by_importance)] = false;
  }
}

void change_splines(TableDesign& design, Rng& rng) {
  // Switches one input, a few of them, or all.
  const std::size_t count = design.splines.size();
  if (rng.chance(0.25)) {
    const bool is_on = 2 * design.spline_count() < count;
    design.splines.assign(count, is_on);
  } else {
    const std::size_t changes =
        1 + rng.below(std::max<std::size_t>(1, count / 3));
    for (const std::size_t i : rng.sample(count, changes)) {
      design.splines[i] = !design.splines[i];
    }
  }
  design.origin = "change_encodings";
}

void change_training(TableDesign& design, const DesignLimits& limits,
                     Rng& rng) {
  switch (rng.below(limits.has_classes ? 4 : 3)) {
    case 0:
      design.l2 = std::clamp(design.l2 * (rng.chance(0.6) ? 4.0f : 0.25f),
                             limits.l2 / 16, limits.l2 * 64);
      design.origin = "change_decay";
      break;
    case 1:
      design.rate = std::clamp(design.rate * (rng.chance(0.5) ? 2.0f : 0.5f),
                               0.0005f, 0.02f);
      design.origin = "change_rate";
      break;
    case 2:
      design.epochs =
          std::clamp(design.epochs * (rng.chance(0.6) ? 2 : 0.5), 0.25, 4.0);
      design.origin = "change_epochs";
      break;
    default:
      design.smoothing = design.smoothing > 0 ? 0.0f : 0.05f;
      design.origin = "change_smoothing";
  }
}

void change_once(TableDesign& design, const DesignLimits& limits,
                 std::span<const double> importance, Rng& rng) {
  const double has_splines = limits.splines > 0 ? 1 : 0;
  const double has_inputs = limits.inputs > 1 ? 1 : 0;
  const std::array<double, 8> weights = {
      3, 1.5, 3 * has_splines, 2.5, 1, 1, 2.5 * has_inputs, 1.5 * has_splines};
  switch (rng.weighted_choice(weights)) {
    case 0:
      return change_width(design, limits, rng);
    case 1:
      return change_depth(design, limits, rng);
    case 2:
      return change_splines(design, rng);
    case 3:
      return change_training(design, limits, rng);
    case 4:
      design.has_skip = design.hidden.empty() || !design.has_skip;
      design.origin = "change_skip";
      return;
    case 6:
      return change_inputs(design, importance, rng);
    case 7:
      return change_bins(design, rng);
    default:
      design.activation = design.activation == Activation::Relu
                              ? Activation::Tanh
                              : Activation::Relu;
      design.origin = "change_activation";
  }
}

// Weights with a deviation of sqrt(gain / sources), uniform.
void draw_layer(Network& network, UnitId from, UnitId to, double gain,
                Rng& rng) {
  network.add_edge(from, to);
  const auto& edge = network.edge(from, to, false);
  const double sources = static_cast<double>(network.node(from).width());
  const double range = std::sqrt(3 * gain / sources);
  for (float& weight : network.weights(edge)) {
    weight = static_cast<float>(rng.uniform(-range, range));
  }
}

}  // namespace

std::size_t TableDesign::spline_count() const {
  return static_cast<std::size_t>(std::ranges::count(splines, true));
}

std::vector<TableDesign> initial_designs(const DesignLimits& limits) {
  TableDesign plain{.hidden = {std::min(kFirstUnits, limits.max_units)},
                    .inputs = std::vector<bool>(limits.inputs, true),
                    .splines = std::vector<bool>(limits.splines, false),
                    .l2 = limits.l2};
  TableDesign linear = plain;
  linear.hidden.clear();
  linear.has_skip = true;
  std::vector<TableDesign> designs = {plain};
  if (limits.splines > 0) {
    TableDesign curved = plain;
    curved.splines.assign(limits.splines, true);
    designs.push_back(curved);
    TableDesign fine = curved;
    fine.bins = kSplineBins.back();
    designs.push_back(fine);
    TableDesign additive = linear;
    additive.splines.assign(limits.splines, true);
    designs.push_back(linear);
    designs.push_back(additive);
  } else {
    designs.push_back(linear);
  }
  if (limits.has_classes) return designs;
  // The weights of a linear design for a number are solved for, so more of them
  // cost little.
  for (const float l2 : {kSmallestL2, kStrongL2 * limits.l2}) {
    designs.push_back(linear);
    designs.back().l2 = l2;
  }
  return designs;
}

TableDesign mutated(const TableDesign& parent, const DesignLimits& limits,
                    std::span<const double> importance, Rng& rng) {
  TableDesign child = parent;
  for (int i = 0; i < 8 && child == parent; ++i) {
    change_once(child, limits, importance, rng);
  }
  if (rng.chance(0.4)) {
    const std::string first = child.origin;
    change_once(child, limits, importance, rng);
    child.origin = first;
  }
  return child;
}

Network make_network(const TableDesign& design, std::size_t inputs,
                     std::size_t outputs, evolution::Loss head, Rng& rng) {
  Network network;
  const UnitId input =
      network.add_input({.channels = static_cast<std::uint32_t>(inputs)});
  const UnitId output = network.add_output(static_cast<std::uint32_t>(outputs),
                                           Activation::Identity);
  UnitId last = input;
  const double gain = design.activation == Activation::Relu ? 2 : 1;
  for (const std::uint32_t width : design.hidden) {
    const UnitId node = network.add_hidden(
        {.activation = design.activation, .extent = {.channels = width}});
    draw_layer(network, last, node, gain, rng);
    last = node;
  }
  if (last != input) draw_layer(network, last, output, 0.5, rng);
  if (design.has_skip) draw_layer(network, input, output, 0.1, rng);
  network.set_head(head);
  return network;
}

}  // namespace lamarck::table
