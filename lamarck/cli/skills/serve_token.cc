#include "lamarck/cli/skills/serve_token.h"

#include <memory>
#include <string>
#include <utility>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/json.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/cli/command_option.h"
#include "lamarck/cli/skills/skills_file.h"
#include "lamarck/server/access/principal.h"
#include "lamarck/server/access/token_access.h"

namespace lamarck::cli {
namespace {

struct TokenFlags {
  std::string skills;
  std::string org = std::string(skills::kLocalOrganization);
  std::string role = "member";
  std::string label;
  std::string id;
};

Json token_json(const skills::TokenRecord& record) {
  return {{"id", record.id},
          {"org", record.org_id},
          {"role", record.role},
          {"label", record.label},
          {"created_at", to_iso8601(record.created_at)}};
}

Result<void> create_token(const TokenFlags& flags, CommandContext& context) {
  RETURN_IF_ERROR(server::check_organization(flags.org));
  RETURN_IF_ERROR(server::parse_role(flags.role));
  ASSIGN_OR_RETURN(const auto store, open_skills(flags.skills, context));
  const std::string token = server::make_api_token();
  ASSIGN_OR_RETURN(
      const skills::TokenRecord record,
      store->add_token(
          {.org_id = flags.org, .role = flags.role, .label = flags.label},
          server::api_token_hash(token)));
  if (context.json) {
    Json json = token_json(record);
    json["token"] = token;
    context.out << dump_json(json) << "\n";
    return {};
  }
  context.out << token << "\n";
  context.err << fmt::format(
      "Created {} for {} with the role {}. The token is not shown again; only "
      "its hash is stored.\n",
      record.id, flags.org, flags.role);
  return {};
}

Result<void> list_tokens(const TokenFlags& flags, CommandContext& context) {
  RETURN_IF_ERROR(server::check_organization(flags.org));
  ASSIGN_OR_RETURN(const auto store, open_skills(flags.skills, context));
  ASSIGN_OR_RETURN(const auto tokens, store->tokens(flags.org));
  if (context.json) {
    Json list = Json::array();
    for (const auto& record : tokens) list.push_back(token_json(record));
    context.out << dump_json(Json{{"tokens", std::move(list)}}) << "\n";
    return {};
  }
  if (tokens.empty()) {
    context.out << fmt::format("{} has no tokens.\n", flags.org);
  }
  for (const auto& record : tokens) {
    context.out << fmt::format("{}  {:<8}  {}  {}\n", record.id, record.role,
                               to_iso8601(record.created_at),
                               one_line(record.label));
  }
  return {};
}

Result<void> remove_token(const TokenFlags& flags, CommandContext& context) {
  RETURN_IF_ERROR(server::check_organization(flags.org));
  ASSIGN_OR_RETURN(const auto store, open_skills(flags.skills, context));
  RETURN_IF_ERROR(store->remove_token(flags.org, flags.id));
  if (context.json) {
    context.out << dump_json(Json{{"id", flags.id}, {"removed", true}}) << "\n";
  } else {
    context.out << "Removed " << one_line(flags.id) << ".\n";
  }
  return {};
}

void add_common_flags(CLI::App& app, TokenFlags& flags) {
  add_skills_flag(app, flags.skills);
  add_option(app, "--org", &flags.org,
             "Organization of the token (default: local)", {.type = "NAME"});
}

}  // namespace

Command serve_token_command() {
  return {
      .name = "token",
      .summary = "Manage the bearer tokens of clients",
      .description =
          "Manages the bearer tokens of the server's clients. A token belongs "
          "to an organization, which sees only its own skills and sessions, "
          "and has a role: a member searches, reports and learns; a reviewer "
          "also approves, rejects, deprecates and promotes skills; an admin "
          "also changes agents and webhooks.",
      .example = "lamarck serve token create --org acme --role reviewer",
      .subcommands = {
          {.name = "create",
           .summary = "Create a token and print it",
           .description = "Creates a token and prints it. Only its hash is "
                          "stored, so it cannot be shown again.",
           .example = "lamarck serve token create --org acme --role reviewer",
           .configure = [](CLI::App& app) -> CommandAction {
             const auto flags = std::make_shared<TokenFlags>();
             add_common_flags(app, *flags);
             add_option(app, "--role", &flags->role,
                        "member, reviewer or admin (default: member)",
                        {.type = "member|reviewer|admin"});
             add_option(app, "--label", &flags->label,
                        "Whose token it is; recorded with reviews",
                        {.type = "TEXT"});
             return [flags](CommandContext& context) {
               return create_token(*flags, context);
             };
           }},
          {.name = "list",
           .summary = "List the tokens of an organization",
           .description = "Lists the tokens of an organization without the "
                          "tokens themselves.",
           .example = "lamarck serve token list --org acme --json",
           .configure = [](CLI::App& app) -> CommandAction {
             const auto flags = std::make_shared<TokenFlags>();
             add_common_flags(app, *flags);
             return [flags](CommandContext& context) {
               return list_tokens(*flags, context);
             };
           }},
          {.name = "remove",
           .summary = "Remove a token",
           .description = "Removes a token; a running server refuses it after "
                          "a second.",
           .example = "lamarck serve token remove 018f... --org acme",
           .configure = [](CLI::App& app) -> CommandAction {
             const auto flags = std::make_shared<TokenFlags>();
             add_option(app, "ID", &flags->id, "ID of the token",
                        {.is_required = true});
             add_common_flags(app, *flags);
             return [flags](CommandContext& context) {
               return remove_token(*flags, context);
             };
           }},
      }};
}

}  // namespace lamarck::cli
