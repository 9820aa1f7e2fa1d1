// Applies random edits to a network and to a simple reference model of it.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "lamarck/base/error.h"
#include "lamarck/evolution/internal/owned_parameters.h"

namespace lamarck::evolution {
namespace {

using Ends = Network::Ends;

// A network as sets of nodes and edges, and the parameters of each.
struct Model {
  std::set<UnitId> hidden;
  std::set<Ends> forward;
  std::set<Ends> recurrent;
  OwnedParameters owned;

  bool has_path(UnitId from, UnitId to) const {
    if (from == to) return true;
    return std::ranges::any_of(forward, [&](const Ends& edge) {
      return edge.first == from && has_path(edge.second, to);
    });
  }
  void forget_edge(const Ends& ends, bool is_recurrent) {
    (is_recurrent ? recurrent : forward).erase(ends);
    owned.erase({ends.first, ends.second, is_recurrent ? 1 : 0});
  }
  void forget_node(UnitId id) {
    for (const bool is_recurrent : {false, true}) {
      for (const Ends& ends : std::set(is_recurrent ? recurrent : forward)) {
        if (ends.first == id || ends.second == id) {
          forget_edge(ends, is_recurrent);
        }
      }
    }
    hidden.erase(id);
    owned.erase({id, id, 2});
  }
  bool is_orphan(UnitId id) const {
    bool arrives = false;
    bool leaves = false;
    for (const auto* edges : {&forward, &recurrent}) {
      for (const auto& [from, to] : *edges) {
        arrives |= from != to && to == id;
        leaves |= from != to && from == id;
      }
    }
    return !arrives || !leaves;
  }
  std::size_t forget_orphans() {
    std::size_t count = 0;
    for (auto id = hidden.begin(); id != hidden.end();) {
      if (!is_orphan(*id)) {
        ++id;
        continue;
      }
      forget_node(*id);
      ++count;
      id = hidden.begin();
    }
    return count;
  }
};

// Applies the same edits to a network and to its model.
class Editor {
 public:
  explicit Editor(std::uint64_t seed) : rng_(seed) {
    for (const std::uint32_t width : {1u, 2u, 3u}) {
      inputs_.insert(network_.add_input({.channels = width}));
    }
    for (const std::uint32_t width : {1u, 2u}) {
      outputs_.insert(network_.add_output(width, Activation::Identity));
    }
    relabel();
  }

  void edit() {
    switch (rng_.below(8)) {
      case 0:
      case 1:
        add_hidden();
        break;
      case 2:
      case 3:
      case 4:
        add_edge(rng_.chance(0.3));
        break;
      case 5:
        remove_edge(rng_.chance(0.5));
        break;
      case 6:
        remove_node();
        break;
      default:
        if (rng_.chance(0.3)) {
          EXPECT_EQ(network_.remove_orphans(), model_.forget_orphans());
        }
    }
  }

  void compare() const {
    network_.check();
    EXPECT_EQ(owned_parameters(network_), model_.owned);
    const auto hidden = network_.hidden_nodes();
    EXPECT_EQ(std::set(hidden.begin(), hidden.end()), model_.hidden);
    const auto forward = network_.forward_edges();
    EXPECT_EQ(std::set(forward.begin(), forward.end()), model_.forward);
    const auto recurrent = network_.recurrent_edges();
    EXPECT_EQ(std::set(recurrent.begin(), recurrent.end()), model_.recurrent);
  }

 private:
  UnitId any_node() { return rng_.choice(network_.nodes()).id; }

  // New parameters start at 0. Random numbers then make every one recognizable.
  void relabel() {
    draw_all_parameters(network_, rng_);
    model_.owned = owned_parameters(network_);
  }

  void expect_zeros(const Owner& owner) {
    const Numbers made = owned_parameters(network_).at(owner);
    for (const auto& numbers : made) {
      for (const float number : numbers) EXPECT_EQ(number, 0);
    }
  }

  void add_hidden() {
    const std::vector cells = {Cell::Dense, Cell::Lstm, Cell::Gru};
    const UnitId id =
        network_.add_hidden({.cell = rng_.choice(cells),
                             .extent = {.channels = static_cast<std::uint32_t>(
                                            1 + rng_.below(3))}});
    model_.hidden.insert(id);
    expect_zeros({id, id, 2});
    const Numbers own = owned_parameters(network_)[{id, id, 2}];
    model_.owned[{id, id, 2}] = own;
    compare();
    relabel();
  }

  bool is_possible(const Ends& ends, bool recurrent) const {
    const auto& [from, to] = ends;
    if (inputs_.contains(to)) return false;
    if (recurrent) {
      return !inputs_.contains(from) && !model_.recurrent.contains(ends);
    }
    return from != to && !outputs_.contains(from) &&
           !model_.forward.contains(ends) && !model_.has_path(to, from);
  }

  void add_edge(bool recurrent) {
    const Ends ends{any_node(), any_node()};
    const auto add = [&] {
      recurrent ? network_.add_recurrent_edge(ends.first, ends.second)
                : network_.add_edge(ends.first, ends.second);
    };
    if (!is_possible(ends, recurrent)) {
      EXPECT_THROW(add(), LogicError);
      return;
    }
    add();
    (recurrent ? model_.recurrent : model_.forward).insert(ends);
    const Owner owner{ends.first, ends.second, recurrent ? 1 : 0};
    expect_zeros(owner);
    model_.owned[owner] = owned_parameters(network_)[owner];
    compare();
    relabel();
  }

  void remove_edge(bool recurrent) {
    const auto edges =
        recurrent ? network_.recurrent_edges() : network_.forward_edges();
    if (edges.empty()) return;
    const auto [from, to] = rng_.choice(edges);
    network_.remove_edge(from, to, recurrent);
    model_.forget_edge({from, to}, recurrent);
    EXPECT_THROW(network_.remove_edge(from, to, recurrent), LogicError);
  }

  void remove_node() {
    const UnitId id = any_node();
    if (!model_.hidden.contains(id)) {
      EXPECT_THROW(network_.remove_node(id), LogicError);
      return;
    }
    network_.remove_node(id);
    model_.forget_node(id);
  }

  Rng rng_;
  Network network_;
  Model model_;
  std::set<UnitId> inputs_;
  std::set<UnitId> outputs_;
};

TEST(Network, RandomEditsMatchReferenceModel) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    Editor editor(seed);
    for (int i = 0; i < 60; ++i) {
      editor.edit();
      editor.compare();
      if (testing::Test::HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace lamarck::evolution
