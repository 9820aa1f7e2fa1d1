#include "lamarck/evolution/network_cpp.h"

#include <algorithm>
#include <fmt/format.h>

#include "lamarck/base/ensure.h"
#include "lamarck/evolution/internal/cpp_node_writer.h"
#include "lamarck/evolution/internal/cpp_runtime.h"
#include "lamarck/evolution/node_kind.h"

namespace lamarck::evolution {
namespace {

bool is_identifier(const std::string& name) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !name.empty() && is_letter(name[0]) &&
         std::ranges::all_of(name, [&](char c) {
           return is_letter(c) || (c >= '0' && c <= '9');
         });
}

class CppWriter {
 public:
  CppWriter(const Network& network, const CppOptions& options)
      : network_(network),
        options_(options),
        nodes_(network, options.input_names, text_) {}

  std::string write() {
    add_opening();
    nodes_.add_weights();
    add_struct();
    line("}}  // namespace {}", options_.name_space);
    text_ += kCppMainBegin;
    line("  {}::{} model;", options_.name_space, options_.struct_name);
    text_ += network_.is_recurrent() ? kCppMainOfSequences : kCppMainOfRows;
    text_ += kCppMainEnd;
    return std::move(text_);
  }

 private:
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

  bool has(Aggregation aggregation) const {
    return std::ranges::any_of(network_.nodes(), [&](const NetworkNode& node) {
      return node.aggregation == aggregation;
    });
  }

  // Adds only the helper functions that the network needs.
  void add_functions() {
    line("namespace detail {{");
    text_ += kCppActivations;
    if (!network_.has_only_neurons() || has(Aggregation::Max)) {
      text_ += kCppLargest;
    }
    if (!network_.has_only_neurons()) text_ += kCppLayers;
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
      line("// {}", cpp_comment_text(rest.substr(0, end), 10'000));
      rest.erase(0, end + 1);
    }
  }

  void add_names(const char* what, const std::vector<std::string>& names) {
    if (names.empty()) return;
    line("//\n// {}:", what);
    for (std::size_t i = 0; i < names.size(); ++i) {
      line("//   [{}] {}", i, cpp_comment_text(names[i]));
    }
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
    if (!nodes_.reads_inputs()) line("    (void)x;");
    for (const NetworkNode& node : network_.nodes()) {
      if (node.role != Role::Input) nodes_.add_node(node);
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

  void add_memories() {
    line("\n private:");
    for (const UnitId id : nodes_.remembered()) {
      const NetworkNode& node = network_.node(id);
      if (is_cpp_scalar(node)) {
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
    for (const UnitId id : nodes_.remembered()) {
      line("    before_{} = n{};", id, id);
    }
  }

  void add_return() {
    std::vector<std::string> values;
    const bool is_softmax = network_.head() == Loss::CrossEntropy;
    for (const UnitId id : network_.nodes_of(Role::Output)) {
      const NetworkNode& node = network_.node(id);
      const std::string name = fmt::format(
          "{}{}", is_softmax && nodes_.has_logits(node) ? "z" : "n", id);
      if (is_cpp_scalar(node)) values.push_back(name);
      for (std::size_t i = 0; !is_cpp_scalar(node) && i < node.width(); ++i) {
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

  const Network& network_;
  const CppOptions& options_;
  std::string text_;
  CppNodeWriter nodes_;
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
