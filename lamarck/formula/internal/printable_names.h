// Converts column names to identifiers of a programming language.

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lamarck::formula {

struct NameRules {
  std::vector<std::string> reserved;
  bool keeps_foreign = true;  // Keeps letters outside ASCII.
  bool is_cpp = false;        // Also reserves the keywords of C++.
};

// Converts each name to an identifier, in order. Characters that are not
// allowed become _, and a name that is a keyword, reserved or taken gets a
// trailing _. Valid names are unchanged.
std::vector<std::string> identifiers(std::span<const std::string> names,
                                     const NameRules& rules);
std::string identifier(const std::string& name, const NameRules& rules);

// A prefix for numbered names such as t0, t1: `wanted`, followed by as many _
// as needed to avoid all names in `taken`.
std::string free_prefix(std::string_view wanted,
                        std::span<const std::string> taken);

}  // namespace lamarck::formula
