// Terms: expressions as sums of weighted terms and products of powers.
//
// Every term is in normal form: nested sums and products are merged, equal
// terms and factors are collected, and constants are folded. So a term is the
// same however its parts were ordered. A term also knows its values on some
// rows, which give the signs that rules such as sqrt(x**2) = x depend on.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "lamarck/formula/expression.h"
#include "lamarck/formula/expression_plan.h"

namespace lamarck::formula {

using TermId = std::uint32_t;

// In a sum, the number is a coefficient; in a product, an exponent.
using Part = std::pair<TermId, double>;

enum class TermKind : std::uint8_t { Number, Input, Sum, Product, Function };

struct Term {
  TermKind kind = TermKind::Number;
  Op op = Op::Constant;     // Of a function.
  std::uint32_t input = 0;  // Of an input.
  // The number, the constant of a sum or the coefficient of a product.
  double number = 0;
  std::vector<Part> parts;        // Of a sum or product, ordered by id.
  std::vector<TermId> arguments;  // Of a function.
};

// A sum or product, which need not be in normal form yet.
inline Term make_term(TermKind kind, double number, std::vector<Part> parts) {
  Term term;
  term.kind = kind;
  term.number = number;
  term.parts = std::move(parts);
  return term;
}

struct TermArenaOptions {
  // Numbers that differ by less, relatively, are equal.
  double tolerance = 1e-12;
  std::size_t max_rows = 200;
};

// Thread safety: owned by one thread.
class TermArena {
 public:
  TermArena(const Columns& columns, const TermArenaOptions& options);

  TermId number(double value);
  TermId input(std::uint32_t index);
  TermId sum(double constant, std::span<const Part> parts);
  TermId product(double coefficient, std::span<const Part> factors);
  TermId power(TermId base, double exponent);
  TermId function(Op op, std::span<const TermId> arguments);
  // Any operation on finished terms, such as Sub or Sqrt.
  TermId apply(Op op, std::span<const TermId> arguments);

  TermId add(TermId a, TermId b, double weight = 1);
  TermId multiply(TermId a, TermId b, double exponent = 1);
  TermId scale(TermId a, double coefficient);

  // The term of an expression without params.
  TermId read(const Expression& expression);

  const Term& term(TermId id) const { return entries_[id].term; }
  std::span<const double> values(TermId id) const {
    return entries_[id].values;
  }
  std::size_t size() const { return entries_.size(); }
  bool is_finite(TermId id) const { return entries_[id].is_finite; }
  bool is_positive(TermId id) const { return entries_[id].min > 0; }
  bool is_negative(TermId id) const { return entries_[id].max < 0; }
  // Whether the values of both terms agree up to rounding.
  bool agree(TermId a, TermId b) const;

  // The number itself, or the equal one that was used before or is simple.
  double unified(double value);
  double tolerance() const { return options_.tolerance; }

  // `root` with each occurrence of `from` replaced.
  TermId replaced(TermId root, TermId from, TermId to);

 private:
  using Key = std::tuple<TermKind, Op, std::uint32_t, double, std::vector<Part>,
                         std::vector<TermId>>;
  struct Entry {
    Term term;
    std::vector<double> values;
    double min = 0;
    double max = 0;
    bool is_finite = true;
  };

  // The factors of a product under construction.
  struct Factors {
    double coefficient = 1;
    std::map<TermId, double> exponents;
    std::vector<std::pair<TermId, double>> exponentials;  // Arguments of exp.
  };

  TermId store(Term term);
  void evaluate(Entry& entry) const;
  void add_factor(TermId id, double exponent, Factors& factors);
  void add_power_of_product(const Term& term, double exponent,
                            Factors& factors);
  void add_power_of_sum(TermId id, double exponent, Factors& factors);
  void add_exponential(Factors& factors);
  TermId scaled_sum(const Term& sum, double factor);
  // The sum with the sign and scale that all of its multiples share, and the
  // factor that was taken out.
  std::pair<TermId, double> primitive(TermId sum);
  TermId replaced_in(TermId id, std::map<TermId, TermId>& known);

  TermArenaOptions options_;
  std::vector<std::vector<double>> inputs_;  // [input][row], some rows.
  std::size_t rows_ = 0;
  std::vector<Entry> entries_;
  std::map<Key, TermId> known_;
  std::set<double> numbers_;
};

}  // namespace lamarck::formula
