// What the server counts, in the text format of Prometheus. No label names an
// organization, an agent or a skill.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "lamarck/skills/skill_library.h"

namespace lamarck::server {

// Thread safety: all members may be called from any thread.
class SkillMetrics {
 public:
  SkillMetrics();
  ~SkillMetrics();
  SkillMetrics(const SkillMetrics&) = delete;
  SkillMetrics& operator=(const SkillMetrics&) = delete;

  void count_evolution(const skills::EvolutionFinished::Payload& finished);
  void count_use(bool success);
  // What the threads of the server did by themselves.
  enum class Work : std::uint8_t { Job, Decay, Webhook };
  void count_work(Work work, bool success);
  // `route` is a pattern such as "/agents/{id}", or "" for an unknown path.
  void count_request(std::string_view method, std::string_view route,
                     int status);

  // All metrics, with those of the process.
  std::string text();

 private:
  struct Families;
  std::unique_ptr<Families> families_;
};

}  // namespace lamarck::server
