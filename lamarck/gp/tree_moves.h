// The ways in which a tree changes, in one list.

#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "lamarck/base/rng.h"
#include "lamarck/gp/tree_form.h"
#include "lamarck/gp/tree_vocabulary.h"

namespace lamarck::gp {

// What a move may use besides the tree itself.
struct TreeMaterial {
  const TreeVocabulary& vocabulary;
  const Tree& mate;        // Another parent; the same tree if there is none.
  std::size_t inputs = 0;  // Of the function.
};

struct TreeMove {
  std::string_view name;
  std::string_view what;  // For people, in a few words.
  double weight;          // How often it is drawn.
  // Whether it found something to do. A truth stays a truth and a number a
  // number; the size is not limited here.
  bool (*apply)(Tree& tree, const TreeMaterial& material, Rng& rng);
};

std::span<const TreeMove> tree_moves();
const TreeMove* find_tree_move(std::string_view name);  // Null if unknown.

}  // namespace lamarck::gp
