#include "lamarck/evolution/network_json.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/evolution/node_kind.h"

namespace lamarck::evolution {
namespace {

// Limit for the sum of all nodes' widths: far beyond what is trained, but small
// enough that a malicious file cannot exhaust the memory.
constexpr std::uint64_t kMaxTotalWidth = std::uint64_t{1} << 24;
constexpr std::uint64_t kMaxId = 0xffffffff;

Error damaged(const std::string& what) {
  return Error(ErrorCode::DataDamaged,
               "The network is damaged: " + what + ". Save it again.");
}

Json node_to_json(const NetworkNode& node) {
  return {
      {"id", node.id},
      {"role", name_of(node.role)},
      {"cell", name_of(node.cell)},
      {"activation", name_of(node.activation)},
      {"aggregation", name_of(node.aggregation)},
      {"stage", node.stage},
      {"kernel", node.kernel},
      {"pool", node.pool},
      {"extent", {node.extent.channels, node.extent.height, node.extent.width}},
      {"begin", node.begin}};
}

Result<std::uint64_t> whole_number(const Json& json, std::uint64_t min,
                                   std::uint64_t max, const std::string& what) {
  const bool is_negative = !json.is_number_unsigned() &&
                           json.is_number_integer() &&
                           json.get<std::int64_t>() < 0;
  if (json.is_number_integer() && !is_negative) {
    const auto number = json.get<std::uint64_t>();
    if (number >= min && number <= max) return number;
  }
  return damaged(what + " must be an integer from " + std::to_string(min) +
                 " to " + std::to_string(max) + ", got " +
                 dump_json(json).substr(0, 40));
}

// Reads one network. The members hold what has been read so far. Everything is
// checked before it is used, because the JSON may be untrusted.
class NetworkReader {
 public:
  explicit NetworkReader(NetworkParameters parameters) {
    parts_.parameters = std::move(parameters);
  }

  Result<Network> read(const Json& json) {
    const NetworkParameters& parameters = parts_.parameters;
    if (parameters.means.size() != parameters.size() ||
        parameters.squares.size() != parameters.size() ||
        parameters.ages.size() != parameters.size()) {
      return damaged(
          "values, means, squares and ages must have the same size, got " +
          std::to_string(parameters.size()) + ", " +
          std::to_string(parameters.means.size()) + ", " +
          std::to_string(parameters.squares.size()) + " and " +
          std::to_string(parameters.ages.size()));
    }
    ASSIGN_OR_RETURN(const std::string head,
                     json_field<std::string>(json, "head"));
    ASSIGN_OR_RETURN(parts_.head, parse_loss(head));
    ASSIGN_OR_RETURN(const Json next_id, json_field<Json>(json, "next_id"));
    ASSIGN_OR_RETURN(const std::uint64_t next,
                     whole_number(next_id, 0, kMaxId, "next_id"));
    parts_.next_id = static_cast<UnitId>(next);
    RETURN_IF_ERROR(read_nodes(json));
    RETURN_IF_ERROR(read_edges(json));
    RETURN_IF_ERROR(check_reading());
    RETURN_IF_ERROR(check_places());
    return Network(std::move(parts_));
  }

 private:
  Result<void> read_nodes(const Json& json) {
    ASSIGN_OR_RETURN(const Json nodes, json_field<Json>(json, "nodes"));
    if (!nodes.is_array()) return damaged("nodes must be an array");
    for (const Json& each : nodes) {
      ASSIGN_OR_RETURN(const NetworkNode node, read_node(each));
      RETURN_IF_ERROR(add_node(node));
    }
    if (parts_.nodes.empty() || parts_.nodes.front().role != Role::Input ||
        parts_.nodes.back().role != Role::Output) {
      return damaged("it must have at least one input and one output");
    }
    return {};
  }

  Result<NetworkNode> read_node(const Json& json) const {
    const std::string what = "node " + std::to_string(parts_.nodes.size());
    if (!json.is_object()) return damaged(what + " must be an object");
    NetworkNode node;
    const auto number = [&](const char* field, std::uint64_t min,
                            std::uint64_t max) -> Result<std::uint64_t> {
      ASSIGN_OR_RETURN(const Json value, json_field<Json>(json, field));
      return whole_number(value, min, max, std::string(field) + " of " + what);
    };
    ASSIGN_OR_RETURN(const std::uint64_t id, number("id", 0, kMaxId));
    node.id = static_cast<UnitId>(id);
    RETURN_IF_ERROR(read_kinds(json, node));
    ASSIGN_OR_RETURN(const std::uint64_t stage, number("stage", 0, 255));
    node.stage = static_cast<std::uint8_t>(stage);
    ASSIGN_OR_RETURN(const std::uint64_t kernel, number("kernel", 1, 255));
    node.kernel = static_cast<std::uint8_t>(kernel);
    ASSIGN_OR_RETURN(const std::uint64_t pool, number("pool", 1, 255));
    node.pool = static_cast<std::uint8_t>(pool);
    ASSIGN_OR_RETURN(node.begin, number("begin", 0, parts_.parameters.size()));
    ASSIGN_OR_RETURN(const Json extent, json_field<Json>(json, "extent"));
    ASSIGN_OR_RETURN(node.extent, read_extent(extent, what));
    return node;
  }

  static Result<void> read_kinds(const Json& json, NetworkNode& node) {
    ASSIGN_OR_RETURN(const std::string role,
                     json_field<std::string>(json, "role"));
    ASSIGN_OR_RETURN(node.role, parse_role(role));
    ASSIGN_OR_RETURN(const std::string cell,
                     json_field<std::string>(json, "cell"));
    ASSIGN_OR_RETURN(node.cell, parse_cell(cell));
    ASSIGN_OR_RETURN(const std::string activation,
                     json_field<std::string>(json, "activation"));
    ASSIGN_OR_RETURN(node.activation, parse_activation(activation));
    ASSIGN_OR_RETURN(const std::string aggregation,
                     json_field<std::string>(json, "aggregation"));
    ASSIGN_OR_RETURN(node.aggregation, parse_aggregation(aggregation));
    return {};
  }

  static Result<Extent> read_extent(const Json& json, const std::string& what) {
    if (!json.is_array() || json.size() != 3) {
      return damaged("extent of " + what +
                     " must be an array of three numbers");
    }
    // Dividing the limit by each size keeps the product from overflowing.
    std::uint64_t left = kMaxTotalWidth;
    std::array<std::uint32_t, 3> sizes{};
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      ASSIGN_OR_RETURN(const std::uint64_t size,
                       whole_number(json[i], 1, left, "extent of " + what));
      sizes[i] = static_cast<std::uint32_t>(size);
      left /= size;
    }
    return Extent{sizes[0], sizes[1], sizes[2]};
  }

  Result<void> add_node(const NetworkNode& node) {
    const std::string what = "node " + std::to_string(node.id);
    if (node.id >= parts_.next_id) {
      return damaged(what + " must have an id below next_id (" +
                     std::to_string(parts_.next_id) + ")");
    }
    if (!places_.emplace(node.id, parts_.nodes.size()).second) {
      return damaged(what + " appears twice");
    }
    if (!parts_.nodes.empty() && parts_.nodes.back().role > node.role) {
      return damaged(what +
                     " is out of order; inputs must come first and outputs "
                     "last");
    }
    if (node.role != Role::Hidden && node.cell != Cell::Dense) {
      return damaged(what + " is an input or output and must be dense");
    }
    if (node.cell == Cell::Conv
            ? node.kernel % 2 == 0
            : node.role != Role::Input && node.extent.is_image()) {
      return damaged(what + (node.cell == Cell::Conv
                                 ? " must have an odd kernel"
                                 : " must be a vector, not an image"));
    }
    width_ += node.width();
    if (width_ > kMaxTotalWidth) {
      return damaged("the widths of its nodes must not exceed " +
                     std::to_string(kMaxTotalWidth) + " in total");
    }
    parts_.nodes.push_back(node);
    return {};
  }

  Result<void> read_edges(const Json& json) {
    ASSIGN_OR_RETURN(const Json edges, json_field<Json>(json, "edges"));
    if (!edges.is_array()) return damaged("edges must be an array");
    for (const Json& each : edges) {
      if (!each.is_array() || each.size() != 4) {
        return damaged("edge " + std::to_string(parts_.edges.size()) +
                       " must be an array of four numbers");
      }
      ASSIGN_OR_RETURN(const NetworkEdge edge, read_edge(each));
      parts_.edges.push_back(edge);
    }
    return {};
  }

  Result<const NetworkNode*> find_node(const Json& json,
                                       const std::string& what) const {
    ASSIGN_OR_RETURN(const std::uint64_t id,
                     whole_number(json, 0, kMaxId, what));
    const auto found = places_.find(static_cast<UnitId>(id));
    if (found != places_.end()) return &parts_.nodes[found->second];
    return damaged(what + " is node " + std::to_string(id) +
                   ", which does not exist");
  }

  Result<NetworkEdge> read_edge(const Json& json) {
    const std::string what = "edge " + std::to_string(parts_.edges.size());
    ASSIGN_OR_RETURN(const NetworkNode* from,
                     find_node(json[0], "the source of " + what));
    ASSIGN_OR_RETURN(const NetworkNode* to,
                     find_node(json[1], "the target of " + what));
    ASSIGN_OR_RETURN(const std::uint64_t recurrent,
                     whole_number(json[2], 0, 1, "recurrence of " + what));
    NetworkEdge edge{.from = from->id, .to = to->id};
    edge.recurrent = recurrent == 1;
    ASSIGN_OR_RETURN(edge.begin,
                     whole_number(json[3], 0, parts_.parameters.size(),
                                  "the weight index of " + what));
    edge.count = Network::weight_count(*from, *to);
    if (!seen_.emplace(edge.from, edge.to, edge.recurrent).second) {
      return damaged(what + " appears twice");
    }
    // Nodes are in order of computation in one vector, so comparing the
    // pointers shows that a forward edge leads forward; this also rules out
    // cycles.
    if (Network::can_join(*from, *to, edge.recurrent) &&
        (edge.recurrent || from < to)) {
      return edge;
    }
    return damaged(what + " connects nodes " + std::to_string(from->id) +
                   " and " + std::to_string(to->id) +
                   ", which are incompatible or in the wrong order");
  }

  // Every convolution must have sources, all of the same height and width.
  Result<void> check_reading() const {
    std::unordered_map<UnitId, Extent> read;
    for (const NetworkEdge& edge : parts_.edges) {
      const NetworkNode& to = parts_.nodes[places_.at(edge.to)];
      if (to.cell != Cell::Conv) continue;
      Extent size = parts_.nodes[places_.at(edge.from)].extent;
      size.channels = 1;
      if (!(read.emplace(to.id, size).first->second == size)) {
        return damaged("node " + std::to_string(to.id) +
                       " reads images of different sizes");
      }
    }
    for (const NetworkNode& node : parts_.nodes) {
      if (node.cell == Cell::Conv && !read.contains(node.id)) {
        return damaged("node " + std::to_string(node.id) +
                       " is a convolution that reads nothing");
      }
    }
    return {};
  }

  // The parameters of nodes and edges must neither overlap nor leave gaps.
  Result<void> check_places() const {
    std::vector<std::pair<std::size_t, std::size_t>> places;
    for (const NetworkNode& node : parts_.nodes) {
      if (node.role != Role::Input) {
        places.emplace_back(node.begin, node.own_count());
      }
    }
    for (const NetworkEdge& edge : parts_.edges) {
      places.emplace_back(edge.begin, edge.count);
    }
    std::ranges::sort(places);
    const std::size_t size = parts_.parameters.size();
    std::size_t end = 0;
    for (const auto& [begin, count] : places) {
      if (begin != end || count > size - end) {
        return damaged("parameters from index " + std::to_string(end) +
                       " on are unused, used twice or missing");
      }
      end += count;
    }
    if (end == size) return {};
    return damaged("it uses " + std::to_string(end) + " of " +
                   std::to_string(size) + " parameters");
  }

  NetworkParts parts_;
  std::unordered_map<UnitId, std::size_t> places_;
  std::set<std::tuple<UnitId, UnitId, bool>> seen_;
  std::uint64_t width_ = 0;
};

}  // namespace

Json to_json(const Network& network) {
  Json nodes = Json::array();
  for (const NetworkNode& node : network.nodes()) {
    nodes.push_back(node_to_json(node));
  }
  Json edges = Json::array();
  for (const NetworkEdge& edge : network.edges()) {
    edges.push_back({edge.from, edge.to, edge.recurrent ? 1 : 0, edge.begin});
  }
  return {{"head", name_of(network.head())},
          {"next_id", network.next_id()},
          {"nodes", std::move(nodes)},
          {"edges", std::move(edges)}};
}

Result<Network> network_from_json(const Json& json,
                                  NetworkParameters parameters) {
  return NetworkReader(std::move(parameters)).read(json);
}

}  // namespace lamarck::evolution
