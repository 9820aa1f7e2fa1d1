#include "lamarck/formula/internal/printable_names.h"

#include <algorithm>
#include <array>
#include <set>

#include "lamarck/base/unicode.h"
#include "lamarck/formula/internal/token.h"

namespace lamarck::formula {
namespace {

constexpr std::array kCppKeywords = std::to_array<std::string_view>(
    {"alignas",       "alignof",      "and_eq",      "asm",
     "auto",          "bitand",       "bitor",       "bool",
     "case",          "catch",        "char",        "char8_t",
     "char16_t",      "char32_t",     "compl",       "concept",
     "const",         "consteval",    "constexpr",   "constinit",
     "const_cast",    "co_await",     "co_return",   "co_yield",
     "decltype",      "default",      "delete",      "do",
     "double",        "dynamic_cast", "enum",        "explicit",
     "export",        "extern",       "false",       "float",
     "friend",        "goto",         "inline",      "int",
     "long",          "mutable",      "namespace",   "new",
     "noexcept",      "not_eq",       "nullptr",     "operator",
     "or_eq",         "private",      "protected",   "public",
     "register",      "requires",     "short",       "signed",
     "sizeof",        "static",       "static_cast", "struct",
     "switch",        "template",     "this",        "throw",
     "true",          "typedef",      "typeid",      "typename",
     "union",         "unsigned",     "using",       "virtual",
     "void",          "volatile",     "wchar_t",     "xor",
     "xor_eq",        "std",          "main",        "reinterpret_cast",
     "static_assert", "thread_local"});

// Replaces characters that identifiers cannot have.
std::string as_identifier(std::string_view name, bool keeps_foreign) {
  std::string result;
  while (!name.empty()) {
    const std::size_t size = first_character_size(name);
    const std::string_view letter = name.substr(0, size);
    const bool is_digit = letter[0] >= '0' && letter[0] <= '9';
    const bool is_good =
        is_digit || (letter_size(letter) > 0 && (size == 1 || keeps_foreign));
    if (is_digit && result.empty()) result = "_";
    result += is_good ? letter : "_";
    name.remove_prefix(size);
  }
  return result.empty() ? "_" : result;
}

bool is_reserved(const std::string& name, const NameRules& rules) {
  const auto has = [&](const auto& words) {
    return std::find(words.begin(), words.end(), name) != words.end();
  };
  return is_keyword(name) || has(rules.reserved) ||
         (rules.is_cpp && has(kCppKeywords));
}

// Whether the name is the prefix followed only by digits.
bool is_numbered(std::string_view name, std::string_view prefix) {
  return name.starts_with(prefix) &&
         name.find_first_not_of("0123456789", prefix.size()) ==
             std::string_view::npos;
}

}  // namespace

std::vector<std::string> identifiers(std::span<const std::string> names,
                                     const NameRules& rules) {
  const std::set<std::string> wanted(names.begin(), names.end());
  std::set<std::string> taken;
  std::vector<std::string> result;
  for (const std::string& name : names) {
    std::string own = as_identifier(name, rules.keeps_foreign);
    // A name that had to be changed must not take one that is valid as it is.
    while (is_reserved(own, rules) || taken.contains(own) ||
           (own != name && wanted.contains(own))) {
      own += "_";
    }
    taken.insert(own);
    result.push_back(std::move(own));
  }
  return result;
}

std::string identifier(const std::string& name, const NameRules& rules) {
  return identifiers(std::span(&name, 1), rules)[0];
}

std::string free_prefix(std::string_view wanted,
                        std::span<const std::string> taken) {
  std::string prefix(wanted);
  while (std::any_of(taken.begin(), taken.end(), [&](const auto& name) {
    return is_numbered(name, prefix);
  })) {
    prefix += "_";
  }
  return prefix;
}

}  // namespace lamarck::formula
