// Who sends a request: an organization and what it may do there.

#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "lamarck/base/result.h"

namespace lamarck::server {

// Each role may do what the roles before it may do.
enum class Role : std::uint8_t {
  Member,    // Reads, searches, reports and learns.
  Reviewer,  // Also decides on skills.
  Admin,     // Also changes agents and webhooks.
};
struct RoleEntry {
  Role role;
  std::string_view name;
};
// The one list of roles.
inline constexpr std::array kRoles = {RoleEntry{Role::Member, "member"},
                                      RoleEntry{Role::Reviewer, "reviewer"},
                                      RoleEntry{Role::Admin, "admin"}};
std::string_view role_name(Role role);
Result<Role> parse_role(std::string_view name);

// Organizations appear in file names and on command lines: 1 to 64 letters,
// digits, '-', '_' and '.', the first of them a letter or a digit.
Result<void> check_organization(std::string_view org);

struct Principal {
  std::string org;
  Role role = Role::Member;
  std::string name;  // Recorded as the reviewer of a skill.

  bool may(Role needed) const { return role >= needed; }
};

}  // namespace lamarck::server
