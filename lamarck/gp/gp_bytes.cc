#include "lamarck/gp/gp_bytes.h"

#include <cstdint>
#include <limits>

namespace lamarck::gp {
namespace {

using crew::ByteReader;
using crew::ByteWriter;
using formula::Op;

GpNode read_gp_node(ByteReader& in, std::size_t inputs) {
  const std::uint64_t op = in.count();
  if (op >= formula::kOpCount) in.fail();
  if (!in.is_good()) return {};
  GpNode node{.op = static_cast<Op>(op)};
  if (node.op == Op::Input) {
    const std::uint64_t input = in.count();
    if (input >= inputs) in.fail();
    node.input = static_cast<std::uint16_t>(input);
  } else if (node.op == Op::Constant) {
    node.value = in.number();
  }
  return node;
}

// Sets the lengths of the subtrees; returns whether the nodes are one tree.
bool set_lengths(GpTree& tree) {
  std::vector<std::size_t> lengths;  // Of the subtrees without a parent so far.
  for (GpNode& node : tree) {
    const auto arity =
        static_cast<std::size_t>(formula::operation(node.op).arity);
    if (node.op == Op::Param || arity > 2 || arity > lengths.size()) {
      return false;
    }
    std::size_t length = 1;
    for (std::size_t i = 0; i < arity; ++i) {
      length += lengths.back();
      lengths.pop_back();
    }
    if (length > std::numeric_limits<std::uint16_t>::max()) return false;
    node.length = static_cast<std::uint16_t>(length);
    lengths.push_back(length);
  }
  return lengths.size() == 1;
}

}  // namespace

void add_tree(ByteWriter& out, const GpTree& tree) {
  out.add_count(tree.size());
  for (const GpNode& node : tree) {
    out.add_count(static_cast<std::uint64_t>(node.op));
    if (node.op == Op::Input) out.add_count(node.input);
    if (node.op == Op::Constant) out.add_number(node.value);
  }
}

GpTree read_tree(ByteReader& in, std::size_t inputs) {
  GpTree tree(in.length());
  for (GpNode& node : tree) node = read_gp_node(in, inputs);
  if (in.is_good() && !set_lengths(tree)) in.fail();
  return in.is_good() ? tree : gp_constant(0);
}

void add_model(ByteWriter& out, const GpModel& model) {
  out.add_count(model.terms.size());
  for (const GpTree& term : model.terms) add_tree(out, term);
  out.add_count(model.coefficients.size());
  for (const double each : model.coefficients) out.add_number(each);
  out.add_flag(model.has_intercept);
  out.add_number(model.intercept);
  out.add_number(model.nmse);
  out.add_number(model.cancellation);
  out.add_count(model.ancestor);
}

GpModel read_model(ByteReader& in, std::size_t inputs) {
  GpModel model;
  model.terms.resize(in.length());
  for (GpTree& term : model.terms) term = read_tree(in, inputs);
  model.coefficients.resize(in.length());
  for (double& each : model.coefficients) each = in.number();
  model.has_intercept = in.flag();
  model.intercept = in.number();
  model.nmse = in.number();
  model.cancellation = in.number();
  model.ancestor = in.count();
  // A model without terms would crash moves that choose a random term.
  if (model.terms.empty() || model.coefficients.size() > model.terms.size()) {
    in.fail();
  }
  return model;
}

void add_find(ByteWriter& out, const GpFind& find) {
  add_model(out, find.native);
  add_model(out, find.plain);
  out.add_count(find.tag);
  out.add_count(find.parent);
  out.add_text(find.move);
}

GpFind read_find(ByteReader& in, std::size_t inputs) {
  GpFind find;
  find.native = read_model(in, inputs);
  find.plain = read_model(in, inputs);
  find.tag = in.count();
  find.parent = in.count();
  find.move = in.text();
  return find;
}

}  // namespace lamarck::gp
