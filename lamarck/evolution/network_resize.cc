// Layers that become wider or narrower and keep what they learnt.

#include <algorithm>
#include <utility>

#include "lamarck/base/ensure.h"
#include "lamarck/evolution/network.h"

namespace lamarck::evolution {
namespace {

// By the place of the old one: the numbers for unit `to` from unit `from`.
struct Unit {
  std::uint32_t before = 0;
  bool is_new = false;
};

std::vector<Unit> unit_list(std::span<const std::uint32_t> kept,
                            std::uint32_t channels) {
  std::vector<Unit> units(channels, Unit{.is_new = true});
  for (std::size_t i = 0; i < kept.size(); ++i) units[i] = {kept[i], false};
  return units;
}

// A matrix of [rows, columns] blocks of `inner` numbers, with other rows and
// columns.
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

std::vector<Unit> all_units(std::size_t count) {
  std::vector<Unit> units(count);
  for (std::size_t i = 0; i < count; ++i) {
    units[i].before = static_cast<std::uint32_t>(i);
  }
  return units;
}

// The same choice for each gate, or for each place of a channel's image.
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
  REQUIRE(old.role == Role::Hidden && channels > 0 && kept.size() <= channels,
          "Network::resize: a hidden node keeps at most what it will have");
  REQUIRE(std::ranges::all_of(
              kept, [&](std::uint32_t i) { return i < old.extent.channels; }),
          "Network::resize: what is kept is there");
  NetworkNode resized = old;
  resized.extent.channels = channels;
  const std::vector<Unit> units = unit_list(kept, channels);
  const std::vector<Unit> gates =
      repeated(units, gate_kinds(old.cell), old.extent.channels);
  const std::size_t area = std::size_t{old.extent.height} * old.extent.width;
  const std::vector<Unit> values = spread(units, area);

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
      // Kernels are [to, from, kernel, kernel], matrices [from, to].
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
