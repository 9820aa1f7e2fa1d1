#include "lamarck/evolution/node_kind.h"

#include <array>
#include <string>

#include "lamarck/base/one_line.h"

namespace lamarck::evolution {
namespace {

using Names = std::span<const std::string_view>;

constexpr std::array<std::string_view, 3> kRoles = {"input", "hidden",
                                                    "output"};
constexpr std::array<std::string_view, 4> kCells = {"dense", "conv", "lstm",
                                                    "gru"};

// The names are in the order of the enumerators.
template <class Kind>
Result<Kind> kind_in(Names names, std::string_view name, const char* what) {
  std::string known;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return static_cast<Kind>(i);
    known += (known.empty() ? "" : ", ") + std::string(names[i]);
  }
  return Error(ErrorCode::InvalidArgument, "Unknown " + std::string(what) +
                                               " " + in_quotes(name) +
                                               "; use one of " + known + ".");
}

}  // namespace

std::string_view name_of(Role role) {
  return kRoles[static_cast<std::size_t>(role)];
}
std::string_view name_of(Cell cell) {
  return kCells[static_cast<std::size_t>(cell)];
}
Result<Role> parse_role(std::string_view name) {
  return kind_in<Role>(kRoles, name, "role");
}
Result<Cell> parse_cell(std::string_view name) {
  return kind_in<Cell>(kCells, name, "cell");
}

}  // namespace lamarck::evolution
