#include "lamarck/evolution/internal/network_bytes.h"

#include <bit>
#include <cstdint>
#include <unordered_map>

#include "lamarck/base/error.h"

namespace lamarck::evolution {
namespace {

using crew::ByteReader;
using crew::ByteWriter;

// Of a node that is a plain neuron, only its kinds and its place are written.
bool is_plain(const NetworkNode& node) {
  return node.stage == 0 && node.kernel == 1 && node.pool == 1 &&
         node.extent == Extent{};
}

// Parameters usually lie one behind the other, so differences are short.
void add_step(ByteWriter& out, std::size_t from, std::size_t to) {
  out.add_integer(static_cast<std::int64_t>(to) -
                  static_cast<std::int64_t>(from));
}

std::size_t read_step(ByteReader& in, std::size_t from) {
  return from + static_cast<std::size_t>(in.integer());
}

void add_node(ByteWriter& out, const NetworkNode& node) {
  const bool plain = is_plain(node);
  out.add_count(static_cast<std::uint64_t>(node.role) |
                static_cast<std::uint64_t>(node.cell) << 2 |
                static_cast<std::uint64_t>(node.aggregation) << 4 |
                (plain ? 0x40u : 0u));
  out.add_count(static_cast<std::uint64_t>(node.activation));
  out.add_count(node.id);
  if (plain) return;
  for (const std::uint64_t each :
       {std::uint64_t{node.stage}, std::uint64_t{node.kernel},
        std::uint64_t{node.pool}, std::uint64_t{node.extent.channels},
        std::uint64_t{node.extent.height}, std::uint64_t{node.extent.width}}) {
    out.add_count(each);
  }
}

template <class T>
T limited(ByteReader& in, std::uint64_t max) {
  const std::uint64_t value = in.count();
  if (value > max) in.fail();
  return value > max ? T{} : static_cast<T>(value);
}

NetworkNode read_node(ByteReader& in) {
  const std::uint64_t kinds = in.count();
  NetworkNode node{.role = static_cast<Role>(kinds & 3),
                   .cell = static_cast<Cell>(kinds >> 2 & 3),
                   .aggregation = static_cast<Aggregation>(kinds >> 4 & 3)};
  if (kinds > 0x7f || node.role > Role::Output) in.fail();
  node.activation = limited<Activation>(
      in, static_cast<std::uint64_t>(Activation::LeakyRelu));
  node.id = limited<UnitId>(in, 0xffffffff);
  if ((kinds & 0x40) != 0) return node;
  node.stage = limited<std::uint8_t>(in, 0xff);
  node.kernel = limited<std::uint8_t>(in, 0xff);
  node.pool = limited<std::uint8_t>(in, 0xff);
  node.extent.channels = limited<std::uint32_t>(in, 0xffffff);
  node.extent.height = limited<std::uint32_t>(in, 0xffff);
  node.extent.width = limited<std::uint32_t>(in, 0xffff);
  return node;
}

// Ages are equal over long ranges.
void add_ages(ByteWriter& out, const std::vector<float>& ages) {
  for (std::size_t i = 0; i < ages.size();) {
    std::size_t end = i;
    while (end < ages.size() && ages[end] == ages[i]) ++end;
    out.add_count(end - i);
    out.add_count(std::bit_cast<std::uint32_t>(ages[i]));
    i = end;
  }
}

std::vector<float> read_ages(ByteReader& in, std::size_t size) {
  std::vector<float> ages;
  while (ages.size() < size && in.is_good()) {
    const auto count = limited<std::size_t>(in, size - ages.size());
    const auto bits = limited<std::uint32_t>(in, 0xffffffff);
    if (count == 0) in.fail();
    ages.insert(ages.end(), count, std::bit_cast<float>(bits));
  }
  return ages;
}

// Reads nodes and edges; the places of their parameters must exist.
void read_topology(ByteReader& in, NetworkParts& parts) {
  const std::size_t size = parts.parameters.size();
  std::size_t end = 0;
  std::unordered_map<UnitId, std::size_t> places;
  parts.nodes.resize(in.length());
  for (NetworkNode& node : parts.nodes) {
    node = read_node(in);
    node.begin = end = read_step(in, end);
    const std::size_t own =
        in.is_good() && node.role != Role::Input ? node.own_count() : 0;
    if (end > size || own > size - end) in.fail();
    end += own;
    places.emplace(node.id, places.size());
  }
  parts.edges.resize(in.length());
  for (NetworkEdge& edge : parts.edges) {
    edge.from = limited<UnitId>(in, 0xffffffff);
    const std::uint64_t to = in.count();
    edge.to = static_cast<UnitId>(to >> 1);
    edge.recurrent = (to & 1) != 0;
    edge.begin = end = read_step(in, end);
    const auto from_place = places.find(edge.from);
    const auto to_place = places.find(edge.to);
    if (!in.is_good() || from_place == places.end() ||
        to_place == places.end()) {
      in.fail();
      return;
    }
    edge.count = Network::weight_count(parts.nodes[from_place->second],
                                       parts.nodes[to_place->second]);
    if (end > size || edge.count > size - end) in.fail();
    end += edge.count;
  }
}

}  // namespace

void add_network(ByteWriter& out, const Network& network) {
  const NetworkParameters& parameters = network.parameters();
  out.add_count(static_cast<std::uint64_t>(network.head()));
  out.add_count(network.next_id());
  out.add_floats(parameters.values);
  out.add_floats(parameters.means);
  out.add_floats(parameters.squares);
  add_ages(out, parameters.ages);
  std::size_t end = 0;
  out.add_count(network.nodes().size());
  for (const NetworkNode& node : network.nodes()) {
    add_node(out, node);
    add_step(out, end, node.begin);
    end = node.begin + (node.role == Role::Input ? 0 : node.own_count());
  }
  out.add_count(network.edges().size());
  for (const NetworkEdge& edge : network.edges()) {
    out.add_count(edge.from);
    out.add_count(std::uint64_t{edge.to} << 1 | (edge.recurrent ? 1u : 0u));
    add_step(out, end, edge.begin);
    end = edge.begin + edge.count;
  }
}

Network read_network(ByteReader& in) {
  NetworkParts parts;
  parts.head =
      limited<Loss>(in, static_cast<std::uint64_t>(Loss::CrossEntropy));
  parts.next_id = limited<UnitId>(in, 0xffffffff);
  parts.parameters.values = in.floats();
  parts.parameters.means = in.floats();
  parts.parameters.squares = in.floats();
  parts.parameters.ages = read_ages(in, parts.parameters.size());
  read_topology(in, parts);
  if (!in.is_good()) return {};
  try {
    Network network(std::move(parts));
    network.check();
    return network;
  } catch (const LogicError&) {
    in.fail();
    return {};
  }
}

void add_candidate(ByteWriter& out, const Candidate& candidate) {
  out.add_number(candidate.loss);
  out.add_number(candidate.score);
  out.add_flag(candidate.reaches_target);
  out.add_text(candidate.mutation);
  out.add_count(candidate.networks.size());
  for (const Network& network : candidate.networks) add_network(out, network);
}

Candidate read_candidate(ByteReader& in) {
  Candidate candidate;
  candidate.loss = in.number();
  candidate.score = in.number();
  candidate.reaches_target = in.flag();
  candidate.mutation = in.text();
  const std::size_t count = in.length();
  for (std::size_t i = 0; i < count && in.is_good(); ++i) {
    candidate.networks.push_back(read_network(in));
  }
  return candidate;
}

}  // namespace lamarck::evolution
