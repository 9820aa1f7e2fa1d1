// One ThoughtService per organization, each with its own journal, so that no
// session, task or resource is visible to another organization.

#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "lamarck/base/clock.h"
#include "lamarck/base/result.h"
#include "lamarck/server/runs/run_service.h"
#include "lamarck/server/skill_service.h"
#include "lamarck/server/thought_service.h"

namespace lamarck::server {

// Thread safety: all members may be called from any thread.
class OrganizationServices {
 public:
  // The local organization uses the journal of `options`; others use files
  // beside it. `skills` and `clock` must outlive the object.
  OrganizationServices(ThoughtServiceOptions options, SkillService& skills,
                       FindRuns find_runs, Clock& clock);

  // Opens the service at the first call; may block then. It lives as long as
  // this object.
  Result<ThoughtService*> find(std::string_view org);
  // The file of its journal; "" if it is in memory.
  std::string journal_file(std::string_view org) const;
  // Null unless `find` was called for it.
  ThoughtService* opened(std::string_view org);
  // Ends the streams of all clients.
  void stop();

 private:
  const ThoughtServiceOptions options_;
  SkillService& skills_;
  const FindRuns find_runs_;
  Clock& clock_;

  std::mutex mutex_;
  // Guarded by mutex_.
  std::map<std::string, std::unique_ptr<ThoughtService>, std::less<>> services_;
};

// Opens the service of one organization with the tools for thoughts, skills
// and, unless `find_runs` is empty, runs.
Result<std::unique_ptr<ThoughtService>> open_thought_service(
    ThoughtServiceOptions options, SkillService& skills,
    const FindRuns& find_runs, std::string_view org, Clock& clock);

}  // namespace lamarck::server
