// Writes the nodes of a network as C++ statements.

#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "lamarck/evolution/network.h"

namespace lamarck::evolution {

// The text as one line that is safe in a comment.
std::string cpp_comment_text(const std::string& text,
                             std::size_t max_characters = 60);

// Whether the node is written as a single float rather than as a vector.
bool is_cpp_scalar(const NetworkNode& node);

// Writes neurons as formulas with their weights inline, and layers as loops
// over arrays of weights. In the written code node 7 is n7, its value at the
// previous step is before_7, and its value before the activation is z7.
class CppNodeWriter {
 public:
  // Appends to `text`. All arguments must outlive the object.
  CppNodeWriter(const Network& network,
                const std::vector<std::string>& input_names, std::string& text);

  // The arrays of weights of all layers.
  void add_weights();
  void add_node(const NetworkNode& node);

  bool reads_inputs() const;
  // Softmax reads outputs before their own activation, so both are needed.
  bool has_logits(const NetworkNode& node) const;
  // Nodes whose value the next step reads.
  const std::set<UnitId>& remembered() const { return remembered_; }

 private:
  // A term of a sum, and the comment behind it.
  struct Term {
    std::string text;
    std::string remark;
  };

  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    text_ += fmt::format(format, std::forward<Args>(args)...) + "\n";
  }

  void add_array(const std::string& name, std::span<const float> values);

  std::string title(const NetworkNode& node) const;
  std::string source(const NetworkEdge& edge) const;
  std::string pointer(const NetworkEdge& edge) const;
  std::string remark(const NetworkEdge& edge) const;
  Term term(const NetworkEdge& edge) const;
  std::vector<Term> make_terms(const NetworkNode& node);
  void add_neuron(const NetworkNode& node);
  bool is_read(const NetworkNode& node) const;
  void add_terms(const NetworkNode& node, const std::vector<Term>& terms);
  std::string product(const NetworkEdge& edge, std::size_t gates) const;
  void add_arrived(const NetworkNode& node, const std::string& name,
                   Aggregation aggregation);
  void add_bias(const NetworkNode& node, const std::string& name);
  void add_activation(const NetworkNode& node, const std::string& name);
  void add_dense(const NetworkNode& node);
  void add_conv(const NetworkNode& node);
  void add_lstm(const NetworkNode& node);
  void add_gru(const NetworkNode& node);

  const Network& network_;
  const std::vector<std::string>& input_names_;
  std::string& text_;
  std::map<UnitId, std::size_t> input_begins_;  // Index in x, by input node.
  std::map<UnitId, std::vector<const NetworkEdge*>> arriving_;  // By target.
  std::set<UnitId> read_;  // Nodes that an edge starts from.
  std::set<UnitId> remembered_;
};

}  // namespace lamarck::evolution
