#include "lamarck/formula/rewriting/rewrite.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <queue>
#include <set>
#include <tuple>
#include <utility>

#include "lamarck/base/ensure.h"
#include "lamarck/formula/rewriting/term_arena.h"
#include "lamarck/formula/rewriting/term_moves.h"

namespace lamarck::formula {
namespace {

constexpr std::size_t kMaxRewrittenNodes =
    400;  // Larger formulas are not rewritten.

// The formula with its params as numbers.
Expression with_numbers(const Expression& body,
                        std::span<const double> params) {
  ExpressionBuilder builder;
  std::vector<NodeIndex> numbers;
  for (const double value : params) numbers.push_back(builder.constant(value));
  return builder.finish(builder.append(body, {}, numbers));
}

// Replaces the constants in `fitted` by params.
Rewriting with_params(const Expression& body, const std::set<double>& fitted) {
  ExpressionBuilder builder;
  std::vector<NodeIndex> places;
  std::vector<double> params;
  for (Node node : body.nodes()) {
    if (node.op == Op::Constant && fitted.contains(std::fabs(node.value))) {
      const auto at = std::find(params.begin(), params.end(), node.value);
      const auto index = static_cast<std::uint32_t>(at - params.begin());
      if (at == params.end()) params.push_back(node.value);
      places.push_back(builder.param(index));
      continue;
    }
    switch (arity_of(node)) {
      case 0:
        places.push_back(node.op == Op::Input ? builder.input(node.index)
                                              : builder.constant(node.value));
        break;
      case 1:
        places.push_back(builder.apply(node.op, places[node.arguments[0]]));
        break;
      case 2:
        places.push_back(builder.apply(node.op, places[node.arguments[0]],
                                       places[node.arguments[1]]));
        break;
      default:
        places.push_back(builder.apply(node.op, places[node.arguments[0]],
                                       places[node.arguments[1]],
                                       places[node.arguments[2]]));
        break;
    }
  }
  return {.body = builder.finish(places.back()),
          .params = std::move(params),
          .constants = {}};
}

class RewriteSearch {
 public:
  RewriteSearch(TermArena& arena, const RewriteOptions& options)
      : arena_(arena), options_(options), moves_(arena), writer_(arena) {}

  // The smallest form of `root`.
  TermId smallest(TermId root, const CancelToken& cancel) {
    open(root);
    TermId best = root;
    while (!queue_.empty() && !is_exhausted() && !cancel.is_cancelled()) {
      const auto [size, order, form] = queue_.top();
      queue_.pop();
      if (size < writer_.size(best)) best = form;
      for (const TermId part : parts_of(form)) {
        for (const TermId variant : variants_of(part)) {
          if (is_exhausted()) break;
          const TermId next = arena_.replaced(form, part, variant);
          if (arena_.agree(root, next)) open(next);
        }
      }
    }
    // What is left in the queue was measured but not looked at.
    while (!queue_.empty()) {
      const auto [size, order, form] = queue_.top();
      if (size < writer_.size(best)) best = form;
      queue_.pop();
    }
    return best;
  }

 private:
  using Entry = std::tuple<std::size_t, std::size_t, TermId>;

  bool is_exhausted() const {
    return seen_.size() >= options_.max_forms ||
           arena_.size() >= options_.max_terms;
  }

  void open(TermId form) {
    if (!seen_.insert(form).second) return;
    queue_.emplace(writer_.size(form), seen_.size(), form);
  }

  // The term and everything below it.
  std::vector<TermId> parts_of(TermId root) const {
    std::set<TermId> found;
    std::vector<TermId> stack = {root};
    while (!stack.empty()) {
      const TermId id = stack.back();
      stack.pop_back();
      if (!found.insert(id).second) continue;
      const Term& term = arena_.term(id);
      for (const auto& [part, number] : term.parts) stack.push_back(part);
      for (const TermId argument : term.arguments) stack.push_back(argument);
    }
    // The whole formula first, since its moves change most.
    return {found.rbegin(), found.rend()};
  }

  const std::vector<TermId>& variants_of(TermId id) {
    const auto at = variants_.find(id);
    if (at != variants_.end()) return at->second;
    return variants_.emplace(id, moves_.variants(id)).first->second;
  }

  TermArena& arena_;
  const RewriteOptions& options_;
  TermMoves moves_;
  TermWriter writer_;
  std::set<TermId> seen_;
  std::map<TermId, std::vector<TermId>> variants_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
};

}  // namespace

Rewriting rewrite(const Expression& body, std::span<const double> params,
                  const Columns& columns, const RewriteOptions& options,
                  const CancelToken& cancel) {
  REQUIRE(params.size() >= body.param_count() &&
              columns.inputs.size() >= body.input_count(),
          "rewrite: there must be a number for each of the {} params and a "
          "column for each of the {} inputs, got {} and {}.",
          body.param_count(), body.input_count(), params.size(),
          columns.inputs.size());
  Rewriting unchanged{
      .body = body, .params = {params.begin(), params.end()}, .constants = {}};
  if (body.size() > kMaxRewrittenNodes || columns.rows == 0) return unchanged;
  TermArena arena(columns, {.tolerance = options.tolerance});
  const TermId root = arena.read(with_numbers(body, params));
  if (!arena.is_finite(root)) return unchanged;
  const TermId best = RewriteSearch(arena, options).smallest(root, cancel);
  TermWriter writer(arena, {.recognition = options.recognition});
  const Expression written = writer.expression(best);
  Rewriting result = with_params(written, writer.fitted());
  result.constants = writer.constants();
  return result;
}

}  // namespace lamarck::formula
