#include "lamarck/evolution/internal/cpp_node_writer.h"

#include <algorithm>
#include <cmath>

#include "lamarck/base/ensure.h"
#include "lamarck/base/one_line.h"
#include "lamarck/evolution/node_kind.h"

namespace lamarck::evolution {
namespace {

// The shortest decimal that a compiler reads back as the same float.
std::string literal(float value) {
  if (std::isnan(value)) return "NAN";
  if (std::isinf(value)) return value > 0 ? "INFINITY" : "-INFINITY";
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text + "f";
}

bool has_state(const NetworkNode& node) {
  return node.cell == Cell::Lstm || node.cell == Cell::Gru;
}

std::string weight_name(const NetworkEdge& edge) {
  return fmt::format("{}_{}_to_{}", edge.recurrent ? "before" : "from",
                     edge.from, edge.to);
}

std::string state_product(const NetworkNode& node) {
  return fmt::format(
      "detail::product(before_{}.data(), {}, weights::state_{}, {})", node.id,
      node.width(), node.id, node.gates());
}

struct Frame {
  const char* open;
  const char* between;
  const char* close;
};
Frame term_frame(Aggregation aggregation) {
  switch (aggregation) {
    case Aggregation::Max:
      return {"detail::largest({", ",", "})"};
    case Aggregation::Product:
      return {"(", " *", ")"};
    case Aggregation::Mean:
      return {"(", " +", ")"};
    case Aggregation::Sum:
      break;
  }
  return {"", " +", ""};
}

}  // namespace

// Backslashes are replaced: one at the end of a comment would continue it on
// the next line.
std::string cpp_comment_text(const std::string& text,
                             std::size_t max_characters) {
  std::string line = one_line(text, max_characters);
  std::ranges::replace(line, '\\', '/');
  return line;
}

bool is_cpp_scalar(const NetworkNode& node) {
  return node.width() == 1 && node.cell == Cell::Dense;
}

CppNodeWriter::CppNodeWriter(const Network& network,
                             const std::vector<std::string>& input_names,
                             std::string& text)
    : network_(network), input_names_(input_names), text_(text) {
  std::size_t begin = 0;
  for (const NetworkNode& node : network.nodes()) {
    if (node.role != Role::Input) continue;
    input_begins_[node.id] = begin;
    begin += node.width();
  }
  for (const NetworkEdge& edge : network.edges()) {
    arriving_[edge.to].push_back(&edge);
    read_.insert(edge.from);
    if (edge.recurrent) remembered_.insert(edge.from);
  }
  for (const NetworkNode& node : network.nodes()) {
    if (has_state(node)) remembered_.insert(node.id);
  }
}

void CppNodeWriter::add_array(const std::string& name,
                              std::span<const float> values) {
  std::string row =
      fmt::format("constexpr float {}[{}] = {{", name, values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string next = literal(values[i]) + ",";
    if (i == 0 || row.size() + next.size() + 1 > 80) {
      text_ += row + "\n";
      row = "    " + next;
    } else {
      row += " " + next;
    }
  }
  text_ += row + "\n};\n";
}

void CppNodeWriter::add_weights() {
  if (network_.has_only_neurons()) return;
  line("namespace weights {{\n");
  for (const NetworkNode& node : network_.nodes()) {
    if (node.role == Role::Input) continue;
    for (const NetworkEdge* edge : arriving_[node.id]) {
      if (is_cpp_scalar(node) && is_cpp_scalar(network_.node(edge->from)))
        continue;
      add_array(weight_name(*edge), network_.weights(*edge));
    }
    if (is_cpp_scalar(node)) continue;
    const auto own = network_.own_parameters(node);
    const std::size_t matrix = own.size() - node.gates();
    if (matrix > 0) {
      add_array(fmt::format("state_{}", node.id), own.first(matrix));
    }
    add_array(fmt::format("bias_{}", node.id), own.last(node.gates()));
  }
  line("\n}}  // namespace weights\n");
}

bool CppNodeWriter::reads_inputs() const {
  return std::ranges::any_of(input_begins_, [&](const auto& each) {
    return read_.contains(each.first);
  });
}

bool CppNodeWriter::has_logits(const NetworkNode& node) const {
  return network_.head() == Loss::CrossEntropy && node.role == Role::Output &&
         node.activation != Activation::Identity;
}

void CppNodeWriter::add_node(const NetworkNode& node) {
  switch (node.cell) {
    case Cell::Dense:
      return is_cpp_scalar(node) ? add_neuron(node) : add_dense(node);
    case Cell::Conv:
      return add_conv(node);
    case Cell::Lstm:
      return add_lstm(node);
    case Cell::Gru:
      return add_gru(node);
  }
}

std::string CppNodeWriter::title(const NetworkNode& node) const {
  if (node.role == Role::Output) return fmt::format("Output {}", node.id);
  return fmt::format("Node {}: {} {}", node.id, name_of(node.cell),
                     node.extent.channels);
}

// The value that an edge carries: a float, or a pointer to the first one.
std::string CppNodeWriter::source(const NetworkEdge& edge) const {
  const NetworkNode& from = network_.node(edge.from);
  if (from.role == Role::Input) {
    const std::size_t at = input_begins_.at(edge.from);
    return is_cpp_scalar(from) ? fmt::format("x[{}]", at)
                               : fmt::format("x.data() + {}", at);
  }
  const std::string name =
      fmt::format("{}{}", edge.recurrent ? "before_" : "n", edge.from);
  return is_cpp_scalar(from) ? name : name + ".data()";
}

std::string CppNodeWriter::pointer(const NetworkEdge& edge) const {
  return (is_cpp_scalar(network_.node(edge.from)) ? "&" : "") + source(edge);
}

std::string CppNodeWriter::remark(const NetworkEdge& edge) const {
  const auto input = input_begins_.find(edge.from);
  if (input == input_begins_.end()) return "";
  if (input->second >= input_names_.size()) return "";
  if (!is_cpp_scalar(network_.node(edge.from))) return "";
  return cpp_comment_text(input_names_[input->second]);
}

CppNodeWriter::Term CppNodeWriter::term(const NetworkEdge& edge) const {
  const NetworkNode& from = network_.node(edge.from);
  if (is_cpp_scalar(from)) {
    return {literal(network_.weights(edge)[0]) + " * " + source(edge),
            remark(edge)};
  }
  return {fmt::format("detail::dot({}, weights::{}, {})", source(edge),
                      weight_name(edge), from.width()),
          ""};
}

std::vector<CppNodeWriter::Term> CppNodeWriter::make_terms(
    const NetworkNode& node) {
  std::vector<Term> terms;
  for (const NetworkEdge* edge : arriving_[node.id]) {
    terms.push_back(term(*edge));
  }
  return terms;
}

void CppNodeWriter::add_neuron(const NetworkNode& node) {
  const std::vector<Term> terms = make_terms(node);
  const std::string_view function = find_activation(node.activation).cpp;
  const bool splits = has_logits(node);
  const std::string name = (splits ? "z" : "n") + std::to_string(node.id);
  // Mutations may leave nodes that no other node reads.
  const char* unused = is_read(node) ? "" : "[[maybe_unused]] ";
  line("    {}const float {} = {}(", unused, name, splits ? "" : function);
  add_terms(node, terms);
  line("        {});", literal(network_.own_parameters(node)[0]));
  if (!splits || !remembered_.contains(node.id)) return;
  line("    const float n{} = {}({});", node.id, function, name);
}

bool CppNodeWriter::is_read(const NetworkNode& node) const {
  return node.role == Role::Output || read_.contains(node.id);
}

void CppNodeWriter::add_terms(const NetworkNode& node,
                              const std::vector<Term>& terms) {
  if (terms.empty()) return;
  const auto [open, between, close] = term_frame(node.aggregation);
  const bool is_sum = node.aggregation == Aggregation::Sum;
  if (!is_sum) line("        {}", open);
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const bool is_last = i + 1 == terms.size();
    const std::string end = is_last ? (is_sum ? " +" : "") : between;
    const std::string comment =
        terms[i].remark.empty() ? "" : "  // " + terms[i].remark;
    line("        {}{}{}{}", is_sum ? "" : "    ", terms[i].text, end, comment);
  }
  if (is_sum) return;
  const std::string share =
      node.aggregation == Aggregation::Mean
          ? " * " + literal(1.0f / static_cast<float>(terms.size()))
          : "";
  line("        {}{} +", close, share);
}

std::string CppNodeWriter::product(const NetworkEdge& edge,
                                   std::size_t gates) const {
  return fmt::format("detail::product({}, {}, weights::{}, {})", pointer(edge),
                     network_.node(edge.from).width(), weight_name(edge),
                     gates);
}

// Declares `name` as the aggregated input of a node, without the bias.
void CppNodeWriter::add_arrived(const NetworkNode& node,
                                const std::string& name,
                                Aggregation aggregation) {
  const auto& edges = arriving_[node.id];
  if (edges.empty()) {
    line("    std::vector<float> {}({});", name, node.gates());
    return;
  }
  const char* join = aggregation == Aggregation::Max       ? "keep_larger"
                     : aggregation == Aggregation::Product ? "multiply"
                                                           : "add";
  line("    std::vector<float> {} =\n        {};", name,
       product(*edges[0], node.gates()));
  for (std::size_t i = 1; i < edges.size(); ++i) {
    line("    detail::{}({}, {});", join, name,
         product(*edges[i], node.gates()));
  }
  if (aggregation != Aggregation::Mean) return;
  line("    for (float& each : {}) each *= {};", name,
       literal(1.0f / static_cast<float>(edges.size())));
}

void CppNodeWriter::add_bias(const NetworkNode& node, const std::string& name) {
  line("    detail::add_bias({}, weights::bias_{});", name, node.id);
}

void CppNodeWriter::add_activation(const NetworkNode& node,
                                   const std::string& name) {
  if (node.activation == Activation::Identity) return;
  line("    for (float& each : {}) each = {}(each);", name,
       find_activation(node.activation).cpp);
}

void CppNodeWriter::add_dense(const NetworkNode& node) {
  const std::string name = fmt::format("n{}", node.id);
  line("    // {}, {}.", title(node), name_of(node.activation));
  add_arrived(node, name, node.aggregation);
  add_bias(node, name);
  if (has_logits(node)) {
    line("    const std::vector<float> z{} = {};", node.id, name);
  }
  add_activation(node, name);
}

void CppNodeWriter::add_conv(const NetworkNode& node) {
  const auto& edges = arriving_[node.id];
  ENSURE(!edges.empty(), "a convolution must have an incoming edge");
  const Extent& size = network_.node(edges[0]->from).extent;
  const std::string name = fmt::format("n{}", node.id);
  line("    // {} of {} x {}, kernel {}, pooled by {}, {}.", title(node),
       node.extent.height, node.extent.width, node.kernel, node.pool,
       name_of(node.activation));
  line("    std::vector<float> {}({});", name,
       std::size_t{node.extent.channels} * size.height * size.width);
  for (const NetworkEdge* edge : edges) {
    line("    detail::convolve({}, {}, {}, {}, weights::{}, {}, {}, {});",
         pointer(*edge), network_.node(edge->from).extent.channels, size.height,
         size.width, weight_name(*edge), node.extent.channels, node.kernel,
         name);
  }
  line("    detail::add_channel_bias({}, weights::bias_{}, {});", name, node.id,
       std::size_t{size.height} * size.width);
  add_activation(node, name);
  if (node.pool == 1) return;
  line("    {} = detail::max_pool({}, {}, {}, {}, {});", name, name,
       node.extent.channels, size.height, size.width, node.pool);
}

void CppNodeWriter::add_lstm(const NetworkNode& node) {
  const std::string gates = fmt::format("gates_{}", node.id);
  line("    // {}.", title(node));
  add_arrived(node, gates, Aggregation::Sum);
  line("    detail::add({}, {});", gates, state_product(node));
  add_bias(node, gates);
  line("    const std::vector<float> n{} = detail::lstm({}, cell_{});", node.id,
       gates, node.id);
}

void CppNodeWriter::add_gru(const NetworkNode& node) {
  const std::string gates = fmt::format("gates_{}", node.id);
  line("    // {}.", title(node));
  add_arrived(node, gates, Aggregation::Sum);
  add_bias(node, gates);
  line(
      "    const std::vector<float> n{} = detail::gru(\n        {}, {}, "
      "before_{});",
      node.id, gates, state_product(node), node.id);
}

}  // namespace lamarck::evolution
