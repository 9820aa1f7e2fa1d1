// Network::resize: changes the number of units of a layer and keeps what the
// others have learned.
//
// All parameters move when one layer changes its size. So the new parameters
// are built from scratch: each weight between two kept units is copied from its
// old index, and all others stay 0.

#include <algorithm>
#include <utility>

#include "lamarck/base/ensure.h"
#include "lamarck/evolution/network.h"

namespace lamarck::evolution {
namespace {

// The origin of one row or column of a new matrix.
struct Unit {
  std::uint32_t before = 0;  // Its index in the old matrix, unless it is new.
  bool is_new = false;
};

std::vector<Unit> unit_list(std::span<const std::uint32_t> kept,
                            std::uint32_t channels) {
  std::vector<Unit> units(channels, Unit{.is_new = true});
  for (std::size_t i = 0; i < kept.size(); ++i) units[i] = {kept[i], false};
  return units;
}

// Copies a matrix with `columns` columns, whose elements are blocks of `inner`
// numbers (kernels, or single weights), to one with the given rows and columns.
// Elements in a new row or column are 0.
std::vector<float> rearranged(std::span<const float> old, std::size_t columns,
                              std::size_t inner, std::span<const Unit> rows,
                              std::span<const Unit> new_columns) {
  std::vector<float> result(rows.size() * new_columns.size() * inner, 0.0f);
  std::size_t at = 0;
  for (const Unit& row : rows) {
    for (const Unit& column : new_columns) {
      if (!row.is_new && !column.is_new) {
        const std::size_t from = (row.before * columns + column.before) * inner;
        std::copy_n(old.begin() + static_cast<std::ptrdiff_t>(from), inner,
                    result.begin() + static_cast<std::ptrdiff_t>(at));
      }
      at += inner;
    }
  }
  return result;
}

// For a side of the matrix that does not change.
std::vector<Unit> all_units(std::size_t count) {
  std::vector<Unit> units(count);
  for (std::size_t i = 0; i < count; ++i) {
    units[i].before = static_cast<std::uint32_t>(i);
  }
  return units;
}

// The columns of a matrix to the gates of a cell: they are ordered gate by
// gate, so the choice of units repeats for each kind of gate.
std::vector<Unit> repeated(std::span<const Unit> units, std::size_t times,
                           std::size_t before_count) {
  std::vector<Unit> result;
  for (std::size_t i = 0; i < times; ++i) {
    for (const Unit& unit : units) {
      const auto shift = static_cast<std::uint32_t>(i * before_count);
      result.push_back({unit.before + shift, unit.is_new});
    }
  }
  return result;
}

// The rows of a matrix that reads an image: they are ordered channel by
// channel, so each channel stands for `area` rows.
std::vector<Unit> spread(std::span<const Unit> units, std::size_t area) {
  std::vector<Unit> result;
  for (const Unit& unit : units) {
    for (std::size_t i = 0; i < area; ++i) {
      result.push_back(
          {static_cast<std::uint32_t>(unit.before * area + i), unit.is_new});
    }
  }
  return result;
}

std::size_t gate_kinds(Cell cell) {
  return cell == Cell::Lstm ? 4 : cell == Cell::Gru ? 3 : 1;
}

}  // namespace

void Network::resize(UnitId id, std::span<const std::uint32_t> kept,
                     std::uint32_t channels) {
  const NetworkNode old = node(id);
  REQUIRE(old.role == Role::Hidden,
          "Network::resize: only hidden nodes can be resized; node {} is an "
          "input or output.",
          id);
  REQUIRE(
      channels > 0 && kept.size() <= channels,
      "Network::resize: the new size must be at least 1 and hold all {} kept "
      "units, got {}.",
      kept.size(), channels);
  const auto unknown = std::ranges::find_if(
      kept, [&](std::uint32_t i) { return i >= old.extent.channels; });
  REQUIRE(unknown == kept.end(),
          "Network::resize: kept units must be below {}, got {}.",
          old.extent.channels, *unknown);
  NetworkNode resized = old;
  resized.extent.channels = channels;
  // Three views of the same choice: as channels, as gates (the targets of
  // matrices to this node), and as single values (the sources of matrices from
  // this node).
  const std::vector<Unit> units = unit_list(kept, channels);
  const std::vector<Unit> gates =
      repeated(units, gate_kinds(old.cell), old.extent.channels);
  const std::size_t area = std::size_t{old.extent.height} * old.extent.width;
  const std::vector<Unit> values = spread(units, area);

  // First lay out the parameters of the resized network, all 0.
  Network next = *this;
  next.parameters_ = {};
  next.node_at(id) = resized;
  for (NetworkNode& node : next.nodes_) {
    if (node.role != Role::Input)
      node.begin = next.add_parameters(node.own_count());
  }
  for (NetworkEdge& edge : next.edges_) {
    edge.count = next.weight_count(next.node(edge.from), next.node(edge.to));
    edge.begin = next.add_parameters(edge.count);
  }
  // Then copy what is kept. This runs once for the values and once for each
  // part of Adam's state, which have the same layout.
  const auto carry = [&](auto member) {
    const std::vector<float>& from = parameters_.*member;
    std::vector<float>& to = next.parameters_.*member;
    const auto put = [&](std::size_t begin, const std::vector<float>& what) {
      std::copy(what.begin(), what.end(),
                to.begin() + static_cast<std::ptrdiff_t>(begin));
    };
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const NetworkNode& node = nodes_[i];
      const std::span<const float> own(from.data() + node.begin,
                                       node.own_count());
      if (node.id != id) {
        put(next.nodes_[i].begin, {own.begin(), own.end()});
        continue;
      }
      // Own parameters: for cells a matrix from the units to the gates, then
      // the biases of the gates.
      std::vector<float> moved;
      const std::size_t matrix = own.size() - node.gates();
      if (matrix > 0) {
        moved = rearranged(own.first(matrix), node.gates(), 1, units, gates);
      }
      const auto bias = rearranged(own.last(node.gates()), node.gates(), 1,
                                   all_units(1), gates);
      moved.insert(moved.end(), bias.begin(), bias.end());
      put(next.nodes_[i].begin, moved);
    }
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      const NetworkEdge& edge = edges_[i];
      const NetworkNode& source = node(edge.from);
      const NetworkNode& target = node(edge.to);
      const std::span<const float> own(from.data() + edge.begin, edge.count);
      const bool is_kernel = target.cell == Cell::Conv;
      // Kernels are [to, from, kernel, kernel], matrices are [from, to]. A
      // self-loop changes on both sides.
      const std::size_t inner =
          is_kernel ? std::size_t{target.kernel} * target.kernel : 1;
      const std::vector<Unit> from_units =
          edge.from == id
              ? (is_kernel ? units : values)
              : all_units(is_kernel ? source.extent.channels : source.width());
      const std::vector<Unit> to_units =
          edge.to == id ? gates : all_units(target.gates());
      put(next.edges_[i].begin,
          is_kernel
              ? rearranged(own, source.extent.channels, inner, to_units,
                           from_units)
              : rearranged(own, target.gates(), inner, from_units, to_units));
    }
  };
  carry(&NetworkParameters::values);
  carry(&NetworkParameters::means);
  carry(&NetworkParameters::squares);
  carry(&NetworkParameters::ages);
  *this = std::move(next);
}

}  // namespace lamarck::evolution
