// What the genetic engine may build, and how it looks for it.

#pragma once

#include <cstddef>
#include <vector>

#include "lamarck/formula/formula_operation.h"

namespace lamarck::gp {

struct GpOptions {
  // Which functions of one argument formulas are made of. Sums, differences,
  // products and quotients are always among them.
  std::vector<formula::Op> functions = {
      formula::Op::Sin,       formula::Op::Cos,    formula::Op::Exp,
      formula::Op::Log,       formula::Op::Sqrt,   formula::Op::Tanh,
      formula::Op::Abs,       formula::Op::Square, formula::Op::Cube,
      formula::Op::Reciprocal};
  bool has_powers = true;  // x ** c with a fitted exponent.

  std::size_t most_terms = 8;
  std::size_t most_nodes = 60;  // Of a whole formula.
  int most_nesting = 2;         // Of functions that bend.
  std::size_t population = 60;  // Of one island.
  std::size_t tournament = 5;
  double size_price = 0.04;    // What a node costs, in decades of the error.
  double error_floor = 1e-24;  // Errors below it are all the same.
  int fit_steps = 6;
  double archive_share = 0.3;   // Of parents that come from the archive.
  std::size_t burst = 60;       // Trials that one mutation makes.
  std::size_t patience = 2500;  // Trials without progress until a restart.
  std::size_t library = 1500;   // Small expressions to screen.
  std::size_t screened = 400;   // How many of them a move looks at.
};

}  // namespace lamarck::gp
