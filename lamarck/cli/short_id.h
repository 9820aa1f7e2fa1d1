// Ids on the command line: whole, the beginning or the end of one, or "last".

#pragma once

#include <string>
#include <string_view>

#include "lamarck/base/result.h"
#include "lamarck/skills/skill_store.h"
#include "lamarck/store/journal.h"

namespace lamarck::cli {

// The run of this kind that `text` names. Returns `text` itself if none fits,
// so that the caller reports it. Fails if several fit.
Result<std::string> find_run_id(store::Journal& journal, std::string_view kind,
                                const std::string& text);
// The same for a skill, which its name names too.
Result<std::string> find_skill_id(skills::SkillStore& store,
                                  const std::string& org,
                                  const std::string& text);

}  // namespace lamarck::cli
