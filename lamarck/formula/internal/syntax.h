// What a text of the language says, before it means anything.
//
// Runs of operators of one rank and of elif branches are lists, not chains of
// nodes: a sum of a thousand terms is not deep.

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
  Call,       // children[0] of the others.
  Subscript,  // children[0][children[1]]
  Slice,      // [0] to [1], within a subscript; an Empty stands for none.
  Empty,
  Sequence,    // (a, b), [a, b] or a, b.
  Sign,        // words[0] is -, + or ~.
  Arithmetic,  // children[0] words[0] children[1] words[1] ..., from the left.
  Power,       // children[0] ** children[1]
  Comparison,  // a < b <= c, with the operators in words.
  And,         // Of all children.
  Or,
  Not,
  Conditional,  // children[1] if children[0] else children[2]
};

struct Syntax {
  SyntaxKind kind = SyntaxKind::Empty;
  Position position;
  std::string text;  // Of a name, string or attribute.
  double value = 0;  // Of a number.
  bool is_integer = false;
  bool is_in_parentheses = false;
  std::vector<std::string> words;
  std::vector<Syntax> children;
};

enum class StatementKind : std::uint8_t {
  Assign,   // All of `targets` become `value`.
  Augment,  // targets[0] `word`= value
  Return,
  If,   // conditions[i]: blocks[i]; one block more is the else.
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
  std::vector<Statement> assignments;  // Of constants, outside functions.
  // What `import numpy as jnp` calls numpy or math; always np, numpy, math.
  std::vector<std::string> modules;
};

}  // namespace lamarck::formula
