// Finds an entry of a table by name, for callers that require it to exist.

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lamarck {

// Throws a LogicError with code NotFound: "There is no <kind> '<name>'; did you
// mean '<nearest>'?"
[[noreturn]] void throw_unknown_name(std::string_view kind,
                                     std::string_view name,
                                     std::span<const std::string> known_names);

// Returns the entry called `name`; throws as above if there is none.
template <class Entry>
const Entry& find_entry(std::span<const Entry> entries, std::string_view name,
                        std::string_view kind) {
  std::vector<std::string> names;
  for (const Entry& entry : entries) {
    if (entry.name == name) return entry;
  }
  for (const Entry& entry : entries) names.emplace_back(entry.name);
  throw_unknown_name(kind, name, names);
}

}  // namespace lamarck
