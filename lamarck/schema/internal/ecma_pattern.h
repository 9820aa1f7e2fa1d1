// A compiled ECMA-262 regular expression. Matching takes time linear in the
// text, for every expression.

#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "lamarck/base/result.h"

namespace lamarck::schema {

// Thread safety: may be used by any number of threads.
class EcmaPattern {
 public:
  // The error is a clause: "the pattern 'x(' cannot be used: ...".
  static Result<EcmaPattern> compile(std::string_view pattern);

  // Whether some part of `text` matches.
  bool is_found_in(std::string_view text) const;

  // The size of the compiled expression.
  std::size_t instruction_count() const;
  // An upper bound for the cost of a search, in the units of Validation::spend.
  std::size_t cost(std::string_view text) const;

 private:
  struct Machine;
  explicit EcmaPattern(std::shared_ptr<const Machine> machine);

  std::shared_ptr<const Machine> machine_;
};

}  // namespace lamarck::schema
