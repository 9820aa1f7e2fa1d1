// Which formulas the genetic engine may build, and how it searches for them.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lamarck/formula/formula_operation.h"

namespace lamarck::gp {

struct GpOptions {
  // The functions of one argument. The four arithmetic operations are always
  // allowed.
  std::vector<formula::Op> functions = {
      formula::Op::Sin,       formula::Op::Cos,    formula::Op::Exp,
      formula::Op::Log,       formula::Op::Sqrt,   formula::Op::Tanh,
      formula::Op::Abs,       formula::Op::Square, formula::Op::Cube,
      formula::Op::Reciprocal};
  bool has_powers = true;  // x ** c with a fitted exponent.

  std::size_t max_terms = 8;
  std::size_t max_nodes = 60;  // Per formula.
  // The same for a formula of a view, written in the inputs of the problem; 0
  // for max_nodes.
  std::size_t max_plain_nodes = 0;
  int max_nesting = 2;          // Nonlinear functions such as sin and exp.
  std::size_t population = 60;  // Per island.
  std::size_t tournament = 5;
  double size_price = 0.04;    // Cost of a node, in decades of the error.
  double error_floor = 1e-24;  // Smaller errors count as equal.
  int fit_steps = 6;
  double archive_share = 0.3;   // Share of parents from the archive.
  std::size_t burst = 60;       // Trials per mutation.
  std::size_t patience = 2500;  // Trials without progress before a restart.
  // Trials of all islands before the engine looks for views (find_views.h).
  std::uint64_t trials_before_views = 20'000;
  std::size_t library = 1500;  // Number of small expressions to screen.
  std::size_t screened = 400;  // How many of them a move scores.
};

}  // namespace lamarck::gp
