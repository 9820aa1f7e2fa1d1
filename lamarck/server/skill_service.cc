#include "lamarck/server/skill_service.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "lamarck/base/cancel_token.h"
#include "lamarck/base/log.h"
#include "lamarck/base/macros.h"
#include "lamarck/runs/known_tools.h"

namespace lamarck::server {
namespace {

using std::chrono_literals::operator""ms;

// Other processes may add jobs and events to the same file.
constexpr std::chrono::milliseconds kPollInterval = 500ms;
constexpr std::chrono::nanoseconds kDecayInterval = std::chrono::hours(1);
constexpr std::int64_t kDefaultAgentRate = 60;  // Evolutions per hour.

// Wakes a thread that waits for work.
class Bell {
 public:
  void ring() {
    {
      const std::lock_guard lock(mutex_);
      has_rung_ = true;
    }
    rung_.notify_all();
  }
  // Returns when it rings, after a while, or when cancelled.
  void wait(const CancelToken& cancel) {
    std::unique_lock lock(mutex_);
    rung_.wait_for(lock, cancel.stop_token(), kPollInterval,
                   [&] { return has_rung_; });
    has_rung_ = false;
  }

 private:
  std::mutex mutex_;
  // Guarded by mutex_.
  bool has_rung_ = false;
  std::condition_variable_any rung_;
};

}  // namespace

// In the order of dependency: members are destroyed in reverse order.
struct SkillService::Parts {
  explicit Parts(Clock& time) : clock(time) {}

  Clock& clock;
  std::unique_ptr<skills::SkillStore> store;
  std::unique_ptr<skills::SkillLibrary> library;
  SkillMetrics metrics;
  WebhookOptions webhooks;
  std::unique_ptr<WebhookSender> sender;  // Null if it sends none.
  Remover remove_profiler;
  CancelSource stop;
  Bell job_bell;
  Bell event_bell;
  std::optional<std::chrono::nanoseconds> decayed;  // Only by `worker`.
  std::thread worker;
  std::thread postman;

  ~Parts() {
    stop.cancel("The server is stopping.");
    if (worker.joinable()) worker.join();
    if (postman.joinable()) postman.join();
    if (remove_profiler) remove_profiler();
  }

  void run_jobs() {
    while (!stop.token().is_cancelled()) {
      const Result<bool> ran = library->run_one_job(stop.token());
      if (!ran || *ran)
        metrics.count_work(SkillMetrics::Work::Job, ran.has_value());
      if (!ran) {
        log_error("Running a job failed: " + ran.error().message());
      } else if (*ran) {
        event_bell.ring();
        continue;
      }
      decay_if_due();
      job_bell.wait(stop.token());
    }
  }

  void decay_if_due() {
    const auto now = clock.elapsed();
    if (decayed && now - *decayed < kDecayInterval) return;
    decayed = now;
    const Result<void> done = library->run_decay();
    metrics.count_work(SkillMetrics::Work::Decay, done.has_value());
    if (!done)
      log_error("The decay of skills failed: " + done.error().message());
  }

  void send_events() {
    while (!stop.token().is_cancelled()) {
      const Result<bool> sent = sender->send_one(stop.token());
      if (!sent || *sent) {
        metrics.count_work(SkillMetrics::Work::Webhook, sent.has_value());
      }
      if (!sent) {
        log_error("Sending a webhook failed: " + sent.error().message());
      } else if (*sent) {
        continue;
      }
      event_bell.wait(stop.token());
    }
  }
};

SkillService::SkillService(std::unique_ptr<Parts> parts)
    : parts_(std::move(parts)) {}
SkillService::~SkillService() = default;

Result<std::unique_ptr<SkillService>> SkillService::open(
    const SkillServiceOptions& options, Clock& clock) {
  auto parts = std::make_unique<Parts>(clock);
  ASSIGN_OR_RETURN(
      parts->store,
      skills::open_skill_store(
          {.path = options.path, .durable = options.durable}, clock));
  ASSIGN_OR_RETURN(parts->library, skills::SkillLibrary::open(
                                       *parts->store,
                                       {.embedder = options.embedder,
                                        .model = options.model,
                                        .find_tool = runs::known_tools()},
                                       clock));
  parts->webhooks = options.webhooks;
  parts->remove_profiler = parts->library->use_profiler(
      [metrics = &parts->metrics](const skills::EvolutionFinished& event) {
        metrics->count_evolution(event.payload);
      });
  parts->worker = std::thread([parts = parts.get()] { parts->run_jobs(); });
  if (options.sends_webhooks) {
    parts->sender =
        std::make_unique<WebhookSender>(*parts->store, options.webhooks, clock);
    parts->postman =
        std::thread([parts = parts.get()] { parts->send_events(); });
  }
  return std::unique_ptr<SkillService>(new SkillService(std::move(parts)));
}

skills::SkillStore& SkillService::store() { return *parts_->store; }
skills::SkillLibrary& SkillService::library() { return *parts_->library; }
SkillMetrics& SkillService::metrics() { return parts_->metrics; }
const WebhookOptions& SkillService::webhook_options() const {
  return parts_->webhooks;
}

Result<skills::Job> SkillService::learn(
    std::string_view org, std::string_view agent_id,
    const std::vector<skills::Trace>& traces) {
  ASSIGN_OR_RETURN(skills::Job job,
                   traces.size() == 1
                       ? parts_->library->learn(org, agent_id, traces.front())
                       : parts_->library->learn_many(org, agent_id, traces));
  parts_->job_bell.ring();
  parts_->event_bell.ring();
  return job;
}

Result<skills::Skill> SkillService::report_use(std::string_view org,
                                               std::string_view use_id,
                                               bool success, std::int64_t steps,
                                               std::int64_t tokens,
                                               std::string_view message) {
  ASSIGN_OR_RETURN(skills::Skill skill,
                   parts_->library->report_use(org, use_id, success, steps,
                                               tokens, message));
  parts_->metrics.count_use(success);
  parts_->event_bell.ring();
  return skill;
}

skills::EvolutionConfig default_agent_evolution() {
  skills::EvolutionConfig evolution;
  evolution.enabled = true;
  evolution.cooldown_minutes = 0;
  evolution.max_evolve_per_hour = kDefaultAgentRate;
  return evolution;
}

Result<skills::AgentRecord> ensure_agent(skills::SkillStore& store,
                                         std::string_view org,
                                         std::string_view name) {
  Result<skills::AgentRecord> found = store.agent(org, name);
  if (found || found.error().code() != ErrorCode::NotFound) return found;
  skills::AgentRecord agent;
  agent.org_id = org;
  agent.name = name;
  agent.evolution = default_agent_evolution();
  Result<skills::AgentRecord> created = store.create_agent(agent);
  if (!created && created.error().code() == ErrorCode::AlreadyExists) {
    return store.agent(org, name);  // Another process was faster.
  }
  return created;
}

}  // namespace lamarck::server
