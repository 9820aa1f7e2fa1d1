#include "lamarck/formula/internal/printed.h"

#include <algorithm>
#include <array>

namespace lamarck::formula {
namespace {

constexpr std::size_t kMaxDepth = 40;          // Deeper parts get names.
constexpr std::size_t kMaxUnsplitSize = 3000;  // Larger ones are split.
constexpr std::size_t kAssignmentLength = 12;  // Characters of an assignment.

std::vector<std::size_t> use_counts(const Expression& expression) {
  std::vector<std::size_t> counts(expression.nodes().size(), 0);
  for (const Node& node : expression.nodes()) {
    const auto arity = static_cast<std::size_t>(operation(node.op).arity);
    for (std::size_t i = 0; i < arity; ++i) ++counts[node.arguments[i]];
  }
  return counts;
}

bool is_worth_a_name(const Printed& printed, std::size_t uses) {
  if (printed.depth >= kMaxDepth) return true;
  // Compares the length of all copies with one assignment and short names.
  const std::size_t length = printed.text.size();
  return uses > 1 && length * uses > length + kAssignmentLength + 2 * uses;
}

}  // namespace

Printed bracketed(Printed part, Rank min_rank, std::string_view open,
                  std::string_view close) {
  if (part.rank >= min_rank) return part;
  part.text.insert(0, open);
  part.text += close;
  return {.text = std::move(part.text), .depth = part.depth + 1};
}

PrintedParts print_expression(const Expression& expression, Dialect& dialect,
                              Sharing sharing) {
  const bool shares =
      sharing == Sharing::WhereShorter || expression.size() > kMaxUnsplitSize;
  const std::vector<std::size_t> uses = use_counts(expression);
  std::vector<Printed> texts;
  PrintedParts result;
  for (std::size_t i = 0; i < expression.nodes().size(); ++i) {
    const Node& node = expression.nodes()[i];
    const auto arity = static_cast<std::size_t>(operation(node.op).arity);
    if (arity == 0) {
      texts.push_back(dialect.leaf(node));
      continue;
    }
    std::array<Printed, 3> arguments;
    for (std::size_t k = 0; k < arity; ++k) {
      Printed& argument = texts[node.arguments[k]];
      // Moving avoids quadratic copying in deep expressions.
      const bool is_only = uses[node.arguments[k]] == 1;
      arguments[k] = is_only ? std::move(argument) : argument;
    }
    texts.push_back(dialect.operation(node, std::span(arguments).first(arity)));
    const bool is_root = i + 1 == expression.nodes().size();
    if (shares && !is_root && is_worth_a_name(texts.back(), uses[i])) {
      const std::string name = dialect.part_name(result.parts.size());
      result.parts.emplace_back(name, std::move(texts.back().text));
      texts.back() = {.text = name};
    }
  }
  result.result = std::move(texts.back().text);
  return result;
}

}  // namespace lamarck::formula
