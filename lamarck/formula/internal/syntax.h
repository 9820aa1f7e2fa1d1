// The syntax tree of a Python source.
//
// Chains of operators of one precedence, and of elif branches, are lists rather
// than nested nodes, so that a sum of a thousand terms is not deep.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lamarck/formula/internal/syntax_error.h"

namespace lamarck::formula {

enum class SyntaxKind : std::uint8_t {
  Number,
  String,
  Name,
  Attribute,  // children[0].text
  Call,       // children[0](children[1], ...)
  Subscript,  // children[0][children[1]]
  Slice,      // children[0] : children[1]; Empty if a bound is missing.
  Empty,
  Sequence,    // (a, b), [a, b] or a, b.
  Sign,        // words[0] is -, + or ~.
  Arithmetic,  // children[0] words[0] children[1] words[1] ...; left to right.
  Power,       // children[0] ** children[1]
  Comparison,  // a < b <= c, with the operators in words.
  And,         // All children are operands.
  Or,
  Not,
  Conditional,  // children[1] if children[0] else children[2]
};

struct Syntax {
  SyntaxKind kind = SyntaxKind::Empty;
  Position position;
  std::string text;  // For a name, string or attribute.
  double value = 0;  // For a number.
  bool is_integer = false;
  bool is_in_parentheses = false;
  std::vector<std::string> words;
  std::vector<Syntax> children;
};

enum class StatementKind : std::uint8_t {
  Assign,   // Assigns `value` to all of `targets`.
  Augment,  // targets[0] `word`= value
  Return,
  If,   // conditions[i]: blocks[i]; the last block is the else.
  For,  // targets[0] in value: blocks[0]
  Pass,
};

struct Statement {
  StatementKind kind = StatementKind::Pass;
  Position position;
  std::vector<Syntax> targets;  // Names, or sequences of names.
  Syntax value;
  std::string word;
  std::vector<Syntax> conditions;
  std::vector<std::vector<Statement>> blocks;
};

struct FunctionSyntax {
  std::string name;
  Position position;
  std::vector<std::string> arguments;
  std::string docstring;
  std::vector<Statement> body;
};

struct ModuleSyntax {
  std::vector<FunctionSyntax> functions;
  std::vector<Statement> assignments;  // Constants outside functions.
  // The names of numpy and math: np, numpy, math, and aliases such as jnp in
  // `import numpy as jnp`.
  std::vector<std::string> modules;
};

}  // namespace lamarck::formula
