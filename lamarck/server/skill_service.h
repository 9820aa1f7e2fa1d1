// The skills of a server: the store, the library, metrics, and the background
// work (EVOLVE jobs, decay, webhooks). Run by `lamarck serve` and `lamarck
// mcp`.

#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/clock.h"
#include "lamarck/base/result.h"
#include "lamarck/llm/chat_model.h"
#include "lamarck/server/skill_metrics.h"
#include "lamarck/server/webhooks/webhook_sender.h"
#include "lamarck/skills/skill_library.h"
#include "lamarck/skills/skill_store.h"
#include "lamarck/text/embedder.h"

namespace lamarck::server {

struct SkillServiceOptions {
  std::string path;  // A file; "" = in memory only.
  bool durable = true;
  std::shared_ptr<llm::ChatModel> model;     // Null = extraction by rules.
  std::shared_ptr<text::Embedder> embedder;  // Null = the lexical one.
  WebhookOptions webhooks;
  bool sends_webhooks = true;
};

// Thread safety: all members may be called from any thread.
class SkillService {
 public:
  // Starts the background work. `clock` must outlive the service.
  static Result<std::unique_ptr<SkillService>> open(
      const SkillServiceOptions& options, Clock& clock);
  // Waits for the job that runs now, which is cancelled.
  ~SkillService();

  skills::SkillStore& store();
  skills::SkillLibrary& library();
  SkillMetrics& metrics();
  const WebhookOptions& webhook_options() const;

  // Like the members of the library, but also tells the background work.
  Result<skills::Job> learn(std::string_view org, std::string_view agent_id,
                            const std::vector<skills::Trace>& traces);
  Result<skills::Skill> report_use(std::string_view org,
                                   std::string_view use_id, bool success,
                                   std::int64_t steps, std::int64_t tokens,
                                   std::string_view message);

 private:
  struct Parts;
  explicit SkillService(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

// The agent `name` of the organization. If there is none, creates one that
// learns: its skills wait for review. (Agents that are created by name do not
// learn until evolution is turned on.)
Result<skills::AgentRecord> ensure_agent(skills::SkillStore& store,
                                         std::string_view org,
                                         std::string_view name);
inline constexpr std::string_view kDefaultAgent = "default";
// How the default agent learns.
skills::EvolutionConfig default_agent_evolution();

}  // namespace lamarck::server
