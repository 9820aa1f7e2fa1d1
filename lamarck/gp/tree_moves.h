// The list of moves by which a tree changes.

#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "lamarck/base/rng.h"
#include "lamarck/gp/tree_form.h"
#include "lamarck/gp/tree_vocabulary.h"

namespace lamarck::gp {

// What a move can use besides the tree itself.
struct TreeMaterial {
  const TreeVocabulary& vocabulary;
  const Tree& mate;        // Another parent; the same tree if there is none.
  std::size_t inputs = 0;  // Arguments of the function.
};

struct TreeMove {
  std::string_view name;
  std::string_view what;  // A short description.
  double weight;          // Relative frequency.
  // Returns whether the move applied. Preserves types: a truth value stays a
  // truth value and a number stays a number. Does not limit the size.
  bool (*apply)(Tree& tree, const TreeMaterial& material, Rng& rng);
};

std::span<const TreeMove> tree_moves();
const TreeMove* find_tree_move(std::string_view name);  // Null if unknown.

}  // namespace lamarck::gp
