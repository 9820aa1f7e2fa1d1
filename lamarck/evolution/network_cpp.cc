#include "lamarck/evolution/network_cpp.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <fmt/format.h>

#include "lamarck/base/ensure.h"
#include "lamarck/base/one_line.h"
#include "lamarck/evolution/internal/cpp_runtime.h"
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

// Replaces backslashes: one at the end of a comment would continue it on the
// next line.
std::string comment_text(const std::string& text) {
  std::string line = one_line(text, 60);
  std::ranges::replace(line, '\\', '/');
  return line;
}

bool is_identifier(const std::string& name) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !name.empty() && is_letter(name[0]) &&
         std::ranges::all_of(name, [&](char c) {
           return is_letter(c) || (c >= '0' && c <= '9');
         });
}

// Whether the node is written as a single float rather than as a vector.
bool is_scalar(const NetworkNode& node) {
  return node.width() == 1 && node.cell == Cell::Dense;
}

// A term of a sum, and the comment behind it.
struct Term {
  std::string text;
  std::string remark;
};

// Writes neurons as formulas with their weights inline, and layers as loops
// over arrays of weights. In the written code node 7 is n7, its value at the
// previous step is before_7, and its value before the activation is z7.

class CppWriter {
 public:
  CppWriter(const Network& network, const CppOptions& options)
      : network_(network), options_(options) {
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

  std::string write() {
    add_opening();
    add_weights();
    add_struct();
    line("}}  // namespace {}", options_.name_space);
    text_ += kCppMainBegin;
    line("  {}::{} model;", options_.name_space, options_.struct_name);
    text_ += network_.is_recurrent() ? kCppMainOfSequences : kCppMainOfRows;
    text_ += kCppMainEnd;
    return std::move(text_);
  }

 private:
  static bool has_state(const NetworkNode& node) {
    return node.cell == Cell::Lstm || node.cell == Cell::Gru;
  }

  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    text_ += fmt::format(format, std::forward<Args>(args)...) + "\n";
  }

  void add_opening() {
    const auto counted = [](auto count, const char* noun) {
      return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
    };
    line("// An evolved network: {}, {}, {},",
         counted(network_.input_width(), "input"),
         counted(network_.hidden_count(), "hidden node"),
         counted(network_.output_width(), "output"));
    line("// {}. Written by Lamarck; C++17, the standard library alone.",
         counted(network_.parameters().size(), "parameter"));
    add_comment();
    add_names("Inputs", options_.input_names);
    add_names("Outputs", options_.output_names);
    text_ += kCppIncludes;
    line("namespace {} {{", options_.name_space);
    add_functions();
  }

  bool has(Cell cell) const {
    return std::ranges::any_of(network_.nodes(), [&](const NetworkNode& node) {
      return node.cell == cell;
    });
  }

  // Adds only the helper functions that the network needs.
  void add_functions() {
    line("namespace detail {{");
    text_ += kCppActivations;
    if (!network_.is_narrow()) text_ += kCppLayers;
    if (has(Cell::Conv)) text_ += kCppImages;
    if (has(Cell::Lstm)) text_ += kCppLstm;
    if (has(Cell::Gru)) text_ += kCppGru;
    if (network_.head() == Loss::CrossEntropy) text_ += kCppSoftmax;
    line("\n}}  // namespace detail\n");
  }

  void add_comment() {
    if (options_.comment.empty()) return;
    line("//");
    std::string rest = options_.comment;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      std::string one = one_line(rest.substr(0, end), 10'000);
      std::ranges::replace(one, '\\', '/');
      line("// {}", one);
      rest.erase(0, end + 1);
    }
  }

  void add_names(const char* what, const std::vector<std::string>& names) {
    if (names.empty()) return;
    line("//\n// {}:", what);
    for (std::size_t i = 0; i < names.size(); ++i) {
      line("//   [{}] {}", i, comment_text(names[i]));
    }
  }

  // ---- Weights of layers

  void add_array(const std::string& name, std::span<const float> values) {
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

  void add_weights() {
    if (network_.is_narrow()) return;
    line("namespace weights {{\n");
    for (const NetworkNode& node : network_.nodes()) {
      if (node.role == Role::Input) continue;
      for (const NetworkEdge* edge : arriving_[node.id]) {
        if (is_scalar(node) && is_scalar(network_.node(edge->from))) continue;
        add_array(weight_name(*edge), network_.weights(*edge));
      }
      if (is_scalar(node)) continue;
      const auto own = network_.own_parameters(node);
      const std::size_t matrix = own.size() - node.gates();
      if (matrix > 0) {
        add_array(fmt::format("state_{}", node.id), own.first(matrix));
      }
      add_array(fmt::format("bias_{}", node.id), own.last(node.gates()));
    }
    line("\n}}  // namespace weights\n");
  }

  static std::string weight_name(const NetworkEdge& edge) {
    return fmt::format("{}_{}_to_{}", edge.recurrent ? "before" : "from",
                       edge.from, edge.to);
  }

  // ---- The struct

  void add_struct() {
    const std::size_t inputs = network_.input_width();
    const std::size_t outputs = network_.output_width();
    const bool is_recurrent = network_.is_recurrent();
    line("struct {} {{", options_.struct_name);
    line("  static constexpr std::size_t kInputs = {};", inputs);
    line("  static constexpr std::size_t kOutputs = {};\n", outputs);
    if (is_recurrent) line("  // One step of a sequence.");
    line(
        "  std::array<float, {}> operator()(const std::array<float, {}>& x){} "
        "{{",
        outputs, inputs, is_recurrent ? "" : " const");
    if (!reads_inputs()) line("    (void)x;");
    for (const NetworkNode& node : network_.nodes()) {
      if (node.role != Role::Input) add_node(node);
    }
    add_memory_updates();
    add_return();
    line("  }}");
    if (is_recurrent) {
      line("\n  // The next call is the first step of another sequence.");
      line("  void reset() {{ *this = {}(); }}", options_.struct_name);
      add_memories();
    }
    line("}};\n");
  }

  bool reads_inputs() const {
    return std::ranges::any_of(input_begins_, [&](const auto& each) {
      return read_.contains(each.first);
    });
  }

  void add_memories() {
    line("\n private:");
    for (const UnitId id : remembered_) {
      const NetworkNode& node = network_.node(id);
      if (is_scalar(node)) {
        line("  float before_{} = 0;", id);
      } else {
        line("  std::vector<float> before_{} = std::vector<float>({});", id,
             node.width());
      }
      if (node.cell != Cell::Lstm) continue;
      line("  std::vector<float> cell_{} = std::vector<float>({});", id,
           node.width());
    }
  }

  void add_memory_updates() {
    for (const UnitId id : remembered_) {
      line("    before_{} = n{};", id, id);
    }
  }

  void add_return() {
    std::vector<std::string> values;
    const bool is_softmax = network_.head() == Loss::CrossEntropy;
    for (const UnitId id : network_.nodes_of(Role::Output)) {
      const NetworkNode& node = network_.node(id);
      const std::string name =
          fmt::format("{}{}", is_softmax && has_logits(node) ? "z" : "n", id);
      if (is_scalar(node)) values.push_back(name);
      for (std::size_t i = 0; !is_scalar(node) && i < node.width(); ++i) {
        values.push_back(fmt::format("{}[{}]", name, i));
      }
    }
    line("    return {}{{{{",
         is_softmax ? fmt::format("detail::softmax<{}>(", values.size())
                    : std::string());
    add_wrapped(values);
    line("    }}}}{};", is_softmax ? ")" : "");
  }

  void add_wrapped(const std::vector<std::string>& values) {
    std::string row = "       ";
    for (const std::string& value : values) {
      if (row.size() + value.size() + 2 > 80) {
        text_ += row + "\n";
        row = "       ";
      }
      row += " " + value + ",";
    }
    text_ += row + "\n";
  }

  // ---- Nodes

  // Softmax reads outputs before their own activation, so both are needed.
  bool has_logits(const NetworkNode& node) const {
    return network_.head() == Loss::CrossEntropy && node.role == Role::Output &&
           node.activation != Activation::Identity;
  }

  void add_node(const NetworkNode& node) {
    switch (node.cell) {
      case Cell::Dense:
        return is_scalar(node) ? add_neuron(node) : add_dense(node);
      case Cell::Conv:
        return add_conv(node);
      case Cell::Lstm:
        return add_lstm(node);
      case Cell::Gru:
        return add_gru(node);
    }
  }

  std::string title(const NetworkNode& node) const {
    if (node.role == Role::Output) return fmt::format("Output {}", node.id);
    return fmt::format("Node {}: {} {}", node.id, name_of(node.cell),
                       node.extent.channels);
  }

  // The value that an edge carries: a float, or a pointer to the first one.
  std::string source(const NetworkEdge& edge) const {
    const NetworkNode& from = network_.node(edge.from);
    if (from.role == Role::Input) {
      const std::size_t at = input_begins_.at(edge.from);
      return is_scalar(from) ? fmt::format("x[{}]", at)
                             : fmt::format("x.data() + {}", at);
    }
    const std::string name =
        fmt::format("{}{}", edge.recurrent ? "before_" : "n", edge.from);
    return is_scalar(from) ? name : name + ".data()";
  }

  std::string pointer(const NetworkEdge& edge) const {
    return (is_scalar(network_.node(edge.from)) ? "&" : "") + source(edge);
  }

  std::string remark(const NetworkEdge& edge) const {
    const auto input = input_begins_.find(edge.from);
    if (input == input_begins_.end()) return "";
    if (input->second >= options_.input_names.size()) return "";
    if (!is_scalar(network_.node(edge.from))) return "";
    return comment_text(options_.input_names[input->second]);
  }

  Term term(const NetworkEdge& edge) const {
    const NetworkNode& from = network_.node(edge.from);
    if (is_scalar(from)) {
      return {literal(network_.weights(edge)[0]) + " * " + source(edge),
              remark(edge)};
    }
    return {fmt::format("detail::dot({}, weights::{}, {})", source(edge),
                        weight_name(edge), from.width()),
            ""};
  }

  std::vector<Term> make_terms(const NetworkNode& node) {
    std::vector<Term> terms;
    for (const NetworkEdge* edge : arriving_[node.id]) {
      terms.push_back(term(*edge));
    }
    return terms;
  }

  void add_neuron(const NetworkNode& node) {
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

  bool is_read(const NetworkNode& node) const {
    return node.role == Role::Output || read_.contains(node.id);
  }

  void add_terms(const NetworkNode& node, const std::vector<Term>& terms) {
    if (terms.empty()) return;
    const auto [open, between, close] = term_frame(node.aggregation);
    const bool is_sum = node.aggregation == Aggregation::Sum;
    if (!is_sum) line("        {}", open);
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const bool is_last = i + 1 == terms.size();
      const std::string end = is_last ? (is_sum ? " +" : "") : between;
      const std::string comment =
          terms[i].remark.empty() ? "" : "  // " + terms[i].remark;
      line("        {}{}{}{}", is_sum ? "" : "    ", terms[i].text, end,
           comment);
    }
    if (is_sum) return;
    const std::string share =
        node.aggregation == Aggregation::Mean
            ? " * " + literal(1.0f / static_cast<float>(terms.size()))
            : "";
    line("        {}{} +", close, share);
  }

  struct Frame {
    const char* open;
    const char* between;
    const char* close;
  };
  static Frame term_frame(Aggregation aggregation) {
    switch (aggregation) {
      case Aggregation::Max:
        return {"std::max({", ",", "})"};
      case Aggregation::Product:
        return {"(", " *", ")"};
      case Aggregation::Mean:
        return {"(", " +", ")"};
      case Aggregation::Sum:
        break;
    }
    return {"", " +", ""};
  }

  std::string product(const NetworkEdge& edge, std::size_t gates) const {
    return fmt::format("detail::product({}, {}, weights::{}, {})",
                       pointer(edge), network_.node(edge.from).width(),
                       weight_name(edge), gates);
  }

  // Declares `name` as the aggregated input of a node, without the bias.
  void add_arrived(const NetworkNode& node, const std::string& name,
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

  void add_bias(const NetworkNode& node, const std::string& name) {
    line("    detail::add_bias({}, weights::bias_{});", name, node.id);
  }

  void add_activation(const NetworkNode& node, const std::string& name) {
    if (node.activation == Activation::Identity) return;
    line("    for (float& each : {}) each = {}(each);", name,
         find_activation(node.activation).cpp);
  }

  void add_dense(const NetworkNode& node) {
    const std::string name = fmt::format("n{}", node.id);
    line("    // {}, {}.", title(node), name_of(node.activation));
    add_arrived(node, name, node.aggregation);
    add_bias(node, name);
    if (has_logits(node)) {
      line("    const std::vector<float> z{} = {};", node.id, name);
    }
    add_activation(node, name);
  }

  void add_conv(const NetworkNode& node) {
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
           pointer(*edge), network_.node(edge->from).extent.channels,
           size.height, size.width, weight_name(*edge), node.extent.channels,
           node.kernel, name);
    }
    line("    detail::add_channel_bias({}, weights::bias_{}, {});", name,
         node.id, std::size_t{size.height} * size.width);
    add_activation(node, name);
    if (node.pool == 1) return;
    line("    {} = detail::max_pool({}, {}, {}, {}, {});", name, name,
         node.extent.channels, size.height, size.width, node.pool);
  }

  void add_lstm(const NetworkNode& node) {
    const std::string gates = fmt::format("gates_{}", node.id);
    line("    // {}.", title(node));
    add_arrived(node, gates, Aggregation::Sum);
    line("    detail::add({}, {});", gates, state_product(node));
    add_bias(node, gates);
    line("    const std::vector<float> n{} = detail::lstm({}, cell_{});",
         node.id, gates, node.id);
  }

  void add_gru(const NetworkNode& node) {
    const std::string gates = fmt::format("gates_{}", node.id);
    line("    // {}.", title(node));
    add_arrived(node, gates, Aggregation::Sum);
    add_bias(node, gates);
    line(
        "    const std::vector<float> n{} = detail::gru(\n        {}, {}, "
        "before_{});",
        node.id, gates, state_product(node), node.id);
  }

  static std::string state_product(const NetworkNode& node) {
    return fmt::format(
        "detail::product(before_{}.data(), {}, weights::state_{}, {})", node.id,
        node.width(), node.id, node.gates());
  }

  const Network& network_;
  const CppOptions& options_;
  std::map<UnitId, std::size_t> input_begins_;  // Index in x, by input node.
  std::map<UnitId, std::vector<const NetworkEdge*>> arriving_;  // By target.
  std::set<UnitId> read_;        // Nodes that an edge starts from.
  std::set<UnitId> remembered_;  // Nodes whose value the next step reads.
  std::string text_;
};

}  // namespace

std::string to_cpp(const Network& network, const CppOptions& options) {
  REQUIRE(
      is_identifier(options.name_space) && is_identifier(options.struct_name),
      "to_cpp: the namespace and the struct must be C++ identifiers, got '{}' "
      "and '{}'.",
      options.name_space, options.struct_name);
  return CppWriter(network, options).write();
}

}  // namespace lamarck::evolution
