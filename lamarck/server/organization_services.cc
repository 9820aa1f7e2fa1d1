#include "lamarck/server/organization_services.h"

#include <filesystem>
#include <utility>

#include "lamarck/base/hash.h"
#include "lamarck/base/macros.h"
#include "lamarck/server/access/principal.h"
#include "lamarck/server/runs/run_tools.h"
#include "lamarck/server/skill_tools.h"
#include "lamarck/store/postgres/postgres_url.h"

namespace lamarck::server {
namespace {

// A server cuts names of more than 63 characters.
std::string short_name(std::string_view org) {
  constexpr std::size_t kMaxName = 40;
  if (org.size() <= kMaxName) return std::string(org);
  return sha256_hex(org).substr(0, kMaxName);
}

// "journal.db" -> "journal.acme.db"; in a database, the schema "lamarck_acme".
std::string organization_journal(const std::string& journal,
                                 std::string_view org) {
  if (journal.empty()) return "";
  if (store::is_postgres_url(journal)) {
    const std::string schema = store::parse_postgres_place(journal).schema;
    return store::with_schema(journal, schema + "_" + short_name(org));
  }
  const std::filesystem::path path(journal);
  return (path.parent_path() / (path.stem().string() + "." + std::string(org) +
                                path.extension().string()))
      .string();
}

}  // namespace

Result<std::unique_ptr<ThoughtService>> open_thought_service(
    ThoughtServiceOptions options, SkillService& skills,
    const FindRuns& find_runs, std::string_view org, Clock& clock) {
  options.add_tools = [&skills, find_runs,
                       org = std::string(org)](mcp::Registry& registry) {
    add_skill_tools({.service = skills, .org = org}, registry);
    if (find_runs) add_run_tools({.find = find_runs, .org = org}, registry);
  };
  return ThoughtService::open(std::move(options), clock);
}

OrganizationServices::OrganizationServices(ThoughtServiceOptions options,
                                           SkillService& skills,
                                           FindRuns find_runs, Clock& clock)
    : options_(std::move(options)),
      skills_(skills),
      find_runs_(std::move(find_runs)),
      clock_(clock) {}

std::string OrganizationServices::journal_file(std::string_view org) const {
  return org == skills::kLocalOrganization
             ? options_.journal
             : organization_journal(options_.journal, org);
}

ThoughtService* OrganizationServices::opened(std::string_view org) {
  const std::lock_guard lock(mutex_);
  const auto found = services_.find(org);
  return found == services_.end() ? nullptr : found->second.get();
}

Result<ThoughtService*> OrganizationServices::find(std::string_view org) {
  const std::lock_guard lock(mutex_);
  const auto found = services_.find(org);
  if (found != services_.end()) return found->second.get();
  RETURN_IF_ERROR(check_organization(org));
  ThoughtServiceOptions options = options_;
  options.journal = journal_file(org);
  ASSIGN_OR_RETURN(auto service,
                   open_thought_service(std::move(options), skills_, find_runs_,
                                        org, clock_));
  return services_.emplace(org, std::move(service)).first->second.get();
}

void OrganizationServices::stop() {
  const std::lock_guard lock(mutex_);
  for (const auto& [org, service] : services_) service->protocol().stop();
}

}  // namespace lamarck::server
