// Writes terms as expressions in the order in which people read them: constants
// first, then the inputs in the order of their columns, then sums and
// functions.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "lamarck/formula/expression.h"
#include "lamarck/formula/rewriting/simple_number.h"
#include "lamarck/formula/rewriting/term_arena.h"

namespace lamarck::formula {

struct TermWriterOptions {
  // Writes numbers as fractions, roots and multiples of pi within this relative
  // tolerance; 0 writes them as they are.
  double recognition = 0;
};

// The arena must outlive it. Thread safety: owned by one thread.
class TermWriter {
 public:
  explicit TermWriter(const TermArena& arena, TermWriterOptions options = {});

  Expression expression(TermId id);
  // The nodes of the expression.
  std::size_t size(TermId id);
  const std::vector<WrittenConstant>& constants() const { return constants_; }
  // The absolute values of the numbers that are neither simple nor recognized.
  const std::set<double>& fitted() const { return fitted_; }

 private:
  // A node with what determines its place among the factors or terms.
  struct Item {
    NodeIndex node = 0;
    int rank = 0;
    std::uint32_t first_input = 0;
    bool is_negative = false;
  };
  struct Fraction {
    std::vector<Item> above;
    std::vector<Item> below;
  };

  Item write(TermId id);
  Item write_sum(const Term& term, double sign);
  Item write_product(double coefficient, const std::vector<Part>& parts);
  Item write_term(TermId id, double weight);
  // Adds the nodes of a positive number; `roots` gets what is below a root.
  void add_number(double value, Fraction& fraction, Fraction& roots);
  void add_known(const KnownConstant& known, Fraction& fraction,
                 Fraction& roots);
  void add_powers(const std::vector<Part>& parts, bool flips_sum,
                  Fraction& fraction, Fraction& roots);
  Item quotient(Fraction fraction);
  Item product_of(std::vector<Item> items);
  Item power_of(const Item& base, double exponent);
  Item constant_item(double value);

  NodeIndex apply(Op op, NodeIndex a);
  NodeIndex apply(Op op, NodeIndex a, NodeIndex b);
  NodeIndex constant(double value);
  NodeIndex counted(NodeIndex node, std::size_t size);
  bool comes_before(const Item& a, const Item& b) const;

  const TermArena& arena_;
  TermWriterOptions options_;
  ExpressionBuilder builder_;
  std::vector<std::size_t> sizes_;  // [node]
  std::map<TermId, Item> known_;
  std::vector<WrittenConstant> constants_;
  std::set<double> fitted_;
};

}  // namespace lamarck::formula
