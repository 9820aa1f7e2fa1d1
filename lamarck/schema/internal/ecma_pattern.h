// A compiled regular expression of ECMA-262, matched in time proportional to
// the text, whatever the expression is.

#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "lamarck/base/result.h"

namespace lamarck::schema {

// Thread safety: may be used by any number of threads.
class EcmaPattern {
 public:
  // The error continues "The pattern 'x(' cannot be used: ...".
  static Result<EcmaPattern> compile(std::string_view pattern);

  // Whether some part of `text` matches.
  bool is_found_in(std::string_view text) const;

  // How large the compiled expression is.
  std::size_t instruction_count() const;
  // What a search costs at most, in some unit of small work.
  std::size_t cost(std::string_view text) const;

 private:
  struct Machine;
  explicit EcmaPattern(std::shared_ptr<const Machine> machine);

  std::shared_ptr<const Machine> machine_;
};

}  // namespace lamarck::schema
