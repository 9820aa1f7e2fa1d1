// A member of a crew: computes pieces for the leader.

#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lamarck/base/cancel_token.h"
#include "lamarck/crew/abandonment.h"
#include "lamarck/crew/crew.h"
#include "lamarck/crew/local_workers.h"
#include "lamarck/crew/transport.h"

namespace lamarck::crew {

struct MemberOptions {
  std::string version;
  std::string name;         // For people, such as "host:1234".
  std::size_t threads = 0;  // 0: one per core.
  CancelToken cancel;
  // Switches to the instruction set of the run, or says why it cannot.
  std::function<Result<void>(const std::string& simd)> use_simd;
};

class CrewMembership final : public Crew {
 public:
  // Says hello and waits until the leader answers. Fails with
  // FailedPrecondition if the member cannot take part.
  static Result<std::unique_ptr<CrewMembership>> join(
      MemberOptions options, std::unique_ptr<Transport> transport);
  ~CrewMembership() override;

  bool is_leader() const override { return false; }
  bool is_abandoned() const override { return abandonment_.is_set(); }
  CancelToken abandonment() const override { return abandonment_.token(); }
  Result<std::vector<std::string>> map(const MapRequest& request) override;
  Result<void> end_stage(std::string summary) override;
  Result<std::string> serve(const Work& work) override;
  CrewCounts counts() const override { return counts_; }

  // Tells the leader that this process cannot take part.
  void excuse(const std::string& reason);
  // Waits until the leader ends or is lost.
  void wait_for_end();

 private:
  CrewMembership(MemberOptions options, std::unique_ptr<Transport> transport);

  Result<void> greet();
  // Takes the letters that have arrived; `work` may be null.
  Result<void> take_letters(const Work* work);
  Result<void> take_letter(const std::string& bytes, const Work* work);
  Result<void> send_results();

  const MemberOptions options_;
  const std::unique_ptr<Transport> transport_;
  LocalWorkers workers_;
  bool is_welcome_ = false;
  bool has_ended_ = false;
  std::deque<std::string> summaries_;  // Of stages that `serve` has not seen.
  std::uint64_t stage_ = 0;
  Abandonment abandonment_;
  CrewCounts counts_;
};

}  // namespace lamarck::crew
