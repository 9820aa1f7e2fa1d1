// Names that a language accepts, made from names of columns.

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lamarck::formula {

struct NameRules {
  std::vector<std::string> reserved;
  bool keeps_foreign = true;  // Letters outside ASCII.
  bool is_cpp = false;        // Also C++'s keywords are reserved.
};

// Each name as an identifier, in order: what is no letter becomes _, and a name
// that is a keyword, reserved or taken gets a _ behind. Names that are good
// already stay.
std::vector<std::string> identifiers(std::span<const std::string> names,
                                     const NameRules& rules);
std::string identifier(const std::string& name, const NameRules& rules);

// The beginning of names such as t0, t1: `wanted`, with as many _ behind as it
// takes that none of `taken` is one of them.
std::string free_prefix(std::string_view wanted,
                        std::span<const std::string> taken);

}  // namespace lamarck::formula
