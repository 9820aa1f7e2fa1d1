#include "lamarck/gp/gp_json.h"

#include <limits>
#include <string>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"

namespace lamarck::gp {

using formula::Op;

namespace {

Error damaged(const std::string& what) {
  return Error(ErrorCode::DataDamaged,
               "The state of the genetic engine is damaged: " + what + ".");
}

constexpr std::size_t kMaxTreeNodes = 1000;  // Bounds a damaged file.

}  // namespace

// In postfix order: [index] for an input, a number for a constant, or the name
// of an operation.
Json gp_tree_to_json(const GpTree& tree) {
  Json nodes = Json::array();
  for (const GpNode& node : tree) {
    if (node.op == Op::Input) {
      nodes.push_back(Json::array({static_cast<unsigned>(node.input)}));
    } else if (node.op == Op::Constant) {
      nodes.push_back(node.value);
    } else {
      nodes.push_back(std::string(formula::operation(node.op).name));
    }
  }
  return nodes;
}

Result<GpTree> gp_tree_from_json(const Json& json, std::size_t inputs) {
  if (!json.is_array() || json.empty() || json.size() > kMaxTreeNodes) {
    return damaged("a tree must be a list of 1 to " +
                   std::to_string(kMaxTreeNodes) + " nodes");
  }
  std::vector<GpTree> stack;
  for (const Json& node : json) {
    if (node.is_array() && node.size() == 1 && node[0].is_number_unsigned() &&
        node[0].get<std::size_t>() < inputs) {
      stack.push_back(gp_input(node[0].get<std::size_t>()));
    } else if (node.is_number()) {
      stack.push_back(gp_constant(node.get<double>()));
    } else {
      const auto op = node.is_string()
                          ? formula::op_named(node.get<std::string>())
                          : std::nullopt;
      const int arity = op ? formula::operation(*op).arity : 0;
      if (arity < 1 || arity > 2 ||
          stack.size() < static_cast<std::size_t>(arity)) {
        return damaged("a tree has the invalid node " + node.dump());
      }
      if (arity == 1) {
        stack.back() = gp_apply(*op, stack.back());
      } else {
        const GpTree b = std::move(stack.back());
        stack.pop_back();
        stack.back() = gp_apply(*op, stack.back(), b);
      }
    }
  }
  if (stack.size() != 1) return damaged("a tree has more than one root");
  return stack[0];
}

Json gp_model_to_json(const GpModel& model) {
  Json terms = Json::array();
  for (const GpTree& term : model.terms) terms.push_back(gp_tree_to_json(term));
  return {
      {"terms", std::move(terms)},    {"coefficients", model.coefficients},
      {"intercept", model.intercept}, {"has_intercept", model.has_intercept},
      {"nmse", model.nmse},           {"cancellation", model.cancellation},
      {"ancestor", model.ancestor}};
}

Result<GpModel> gp_model_from_json(const Json& json, std::size_t inputs) {
  GpModel model;
  ASSIGN_OR_RETURN(const Json terms, json_field<Json>(json, "terms"));
  for (const Json& term : terms) {
    ASSIGN_OR_RETURN(GpTree tree, gp_tree_from_json(term, inputs));
    model.terms.push_back(std::move(tree));
  }
  ASSIGN_OR_RETURN(const Json coefficients,
                   json_field<Json>(json, "coefficients"));
  if (!coefficients.is_array() || coefficients.size() != model.terms.size()) {
    return damaged("a model must have one coefficient per term");
  }
  for (const Json& coefficient : coefficients) {
    if (!coefficient.is_number()) {
      return damaged("a coefficient must be a number, got " +
                     coefficient.dump());
    }
    model.coefficients.push_back(coefficient.get<double>());
  }
  ASSIGN_OR_RETURN(model.intercept, json_field<double>(json, "intercept"));
  ASSIGN_OR_RETURN(model.has_intercept,
                   json_field<bool>(json, "has_intercept"));
  ASSIGN_OR_RETURN(model.nmse,
                   json_field_or<double>(
                       json, "nmse", std::numeric_limits<double>::infinity()));
  ASSIGN_OR_RETURN(
      model.cancellation,
      json_field_or<double>(json, "cancellation",
                            std::numeric_limits<double>::infinity()));
  ASSIGN_OR_RETURN(const std::int64_t ancestor,
                   json_field<std::int64_t>(json, "ancestor"));
  model.ancestor = static_cast<std::uint64_t>(ancestor);
  return model;
}

}  // namespace lamarck::gp
