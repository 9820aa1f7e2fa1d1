// The statistics of an agent's skills as JSON.

#pragma once

#include "lamarck/base/json.h"
#include "lamarck/skills/skill_store.h"

namespace lamarck::server {

Json stats_json(const skills::SkillStore::Stats& stats);

}  // namespace lamarck::server
