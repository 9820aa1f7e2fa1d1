#include "lamarck/server/access/principal.h"

#include <algorithm>

#include "lamarck/base/ascii.h"
#include "lamarck/base/one_line.h"

namespace lamarck::server {
namespace {

constexpr std::size_t kMaxOrganizationSize = 64;

}  // namespace

std::string_view role_name(Role role) {
  return kRoles[static_cast<std::size_t>(role)].name;
}

Result<Role> parse_role(std::string_view name) {
  for (const RoleEntry& entry : kRoles) {
    if (entry.name == name) return entry.role;
  }
  return invalid_argument("The role must be member, reviewer or admin, got " +
                          in_quotes(name) + ".");
}

Result<void> check_organization(std::string_view org) {
  const bool is_valid =
      !org.empty() && org.size() <= kMaxOrganizationSize &&
      ascii::is_alphanumeric(org.front()) &&
      std::ranges::all_of(org, [](char c) {
        return ascii::is_alphanumeric(c) || c == '-' || c == '_' || c == '.';
      });
  if (is_valid) return {};
  return invalid_argument(
      "An organization must have 1 to 64 letters, digits, '-', '_' or '.' and "
      "start with a letter or a digit, got " +
      in_quotes(org) + ".");
}

}  // namespace lamarck::server
