#include "lamarck/server/skill_metrics.h"

#include <dirent.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>
#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <array>
#include <cstdint>
#include <fstream>
#include <map>
#include <mutex>
#include <string>

namespace lamarck::server {
namespace {

using Labels = std::map<std::string, std::string>;

prometheus::Counter& make_counter(prometheus::Registry& registry,
                                  const std::string& name,
                                  const std::string& help) {
  return prometheus::BuildCounter()
      .Name(name)
      .Help(help)
      .Register(registry)
      .Add(Labels{});
}

prometheus::Gauge& make_gauge(prometheus::Registry& registry,
                              const std::string& name,
                              const std::string& help) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(registry).Add(
      Labels{});
}

prometheus::Histogram& make_histogram(
    prometheus::Registry& registry, const std::string& name,
    const std::string& help,
    const prometheus::Histogram::BucketBoundaries& bounds) {
  return prometheus::BuildHistogram()
      .Name(name)
      .Help(help)
      .Register(registry)
      .Add(Labels{}, bounds);
}

double resident_bytes() {
  std::ifstream file("/proc/self/statm");
  double total = 0;
  double resident = 0;
  file >> total >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) +
           static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// The number of entries of a folder such as /proc/self/fd.
double entry_count(const char* folder) {
  DIR* const open = opendir(folder);
  if (open == nullptr) return 0;
  double count = -2;  // "." and "..".
  while (readdir(open) != nullptr) ++count;
  closedir(open);
  return count;
}

}  // namespace

struct SkillMetrics::Families {
  prometheus::Registry registry;
  prometheus::Counter& triggered =
      make_counter(registry, "evolution_triggered_total",
                   "Evolutions of skills that were started.");
  prometheus::Counter& succeeded =
      make_counter(registry, "evolution_success_total",
                   "Evolutions that registered a skill.");
  prometheus::Histogram& quality = make_histogram(
      registry, "evolution_skill_quality", "Quality scores of drafted skills.",
      {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0});
  prometheus::Counter& reused = make_counter(
      registry, "evolved_skill_reuse_total", "Reported uses of skills.");
  prometheus::Gauge& reuse_rate =
      make_gauge(registry, "evolved_skill_reuse_success_rate",
                 "Fraction of the reported uses that succeeded.");
  prometheus::Histogram& duration = make_histogram(
      registry, "evolution_duration_seconds", "Duration of evolutions.",
      {0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120});
  prometheus::Counter& tokens = make_counter(registry, "evolution_tokens_total",
                                             "Tokens that evolutions used.");
  prometheus::Family<prometheus::Counter>& requests =
      prometheus::BuildCounter()
          .Name("lamarck_http_requests_total")
          .Help("Requests to the HTTP interface by route and status.")
          .Register(registry);

  prometheus::Family<prometheus::Counter>& work =
      prometheus::BuildCounter()
          .Name("lamarck_background_work_total")
          .Help("Jobs, decays and webhook deliveries that the server ran.")
          .Register(registry);

  prometheus::Gauge& memory =
      make_gauge(registry, "process_resident_memory_bytes",
                 "Resident memory of the process.");
  prometheus::Counter& cpu =
      make_counter(registry, "process_cpu_seconds_total",
                   "Processor time of the process in seconds.");
  prometheus::Gauge& files =
      make_gauge(registry, "process_open_fds", "Open file descriptors.");
  prometheus::Gauge& threads =
      make_gauge(registry, "process_threads", "Threads of the process.");

  std::mutex mutex;
  // Guarded by mutex.
  std::int64_t uses = 0;
  std::int64_t successes = 0;
};

SkillMetrics::SkillMetrics() : families_(std::make_unique<Families>()) {}
SkillMetrics::~SkillMetrics() = default;

void SkillMetrics::count_evolution(
    const skills::EvolutionFinished::Payload& finished) {
  families_->triggered.Increment();
  if (finished.state == "done") families_->succeeded.Increment();
  if (finished.quality > 0) families_->quality.Observe(finished.quality);
  families_->duration.Observe(finished.seconds);
  families_->tokens.Increment(static_cast<double>(finished.tokens));
}

void SkillMetrics::count_use(bool success) {
  families_->reused.Increment();
  const std::lock_guard lock(families_->mutex);
  ++families_->uses;
  if (success) ++families_->successes;
  families_->reuse_rate.Set(static_cast<double>(families_->successes) /
                            static_cast<double>(families_->uses));
}

void SkillMetrics::count_work(Work work, bool success) {
  constexpr std::array<const char*, 3> kKinds = {"job", "decay", "webhook"};
  families_->work
      .Add(Labels{{"kind", kKinds.at(static_cast<std::size_t>(work))},
                  {"outcome", success ? "done" : "error"}})
      .Increment();
}

void SkillMetrics::count_request(std::string_view method,
                                 std::string_view route, int status) {
  // Methods outside the table would let a client create any number of series.
  const bool is_known = !route.empty();
  families_->requests
      .Add(Labels{{"method", is_known ? std::string(method) : "other"},
                  {"route", is_known ? std::string(route) : "unknown"},
                  {"code", std::to_string(status)}})
      .Increment();
}

std::string SkillMetrics::text() {
  families_->memory.Set(resident_bytes());
  families_->cpu.Increment(cpu_seconds() - families_->cpu.Value());
  families_->files.Set(entry_count("/proc/self/fd"));
  families_->threads.Set(entry_count("/proc/self/task"));
  return prometheus::TextSerializer().Serialize(families_->registry.Collect());
}

}  // namespace lamarck::server
