// The leader of a crew: hands out pieces and takes results.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lamarck/crew/abandonment.h"
#include "lamarck/crew/crew.h"
#include "lamarck/crew/local_workers.h"
#include "lamarck/crew/transport.h"

namespace lamarck::crew {

struct LeaderOptions {
  std::string version;      // Members must have the same one.
  std::string simd;         // The instruction set that members must use.
  std::size_t threads = 0;  // Of the leader's own work; 0: one per core.
  // Members to wait for before the first step; not counting the leader.
  std::size_t first_members = 0;
  // A step fails if one of its pieces was lost with this many members: it is
  // then probably what ends them.
  int max_losses = 3;
};

// One member, as the leader sees it.
struct CrewMember {
  std::string name;
  std::uint64_t cores = 1;
  // That it computes pieces of.
  std::optional<std::uint64_t> stage = {};
  std::set<std::uint64_t> pieces = {};  // Handed out to it.
  std::int64_t done = 0;                // Results taken from it.
};

// Pieces go to where they were computed the step before, as long as that is
// balanced; then to whoever has fewest to do.
class CrewLeader final : public Crew {
 public:
  // Without a transport, the threads of this process are the crew.
  explicit CrewLeader(LeaderOptions options,
                      std::unique_ptr<Transport> transport = nullptr);
  // Sends the members home.
  ~CrewLeader() override;

  bool is_leader() const override { return true; }
  bool is_abandoned() const override { return abandonment_.is_set(); }
  CancelToken abandonment() const override { return abandonment_.token(); }
  Result<std::vector<std::string>> map(const MapRequest& request) override;
  Result<void> end_stage(std::string summary) override;
  Result<std::string> serve(const Work& work) override;
  CrewCounts counts() const override { return counts_; }

  // Without the leader itself.
  const std::map<MemberId, CrewMember>& members() const { return members_; }

 private:
  struct Step;

  bool is_ready(const CrewMember& member) const {
    return member.stage == summaries_.size();
  }
  Result<void> wait_for_first_members(const MapRequest& request);
  Result<void> run(Step& step);
  Result<void> assign(Step& step);
  std::size_t queued_per_core() const;
  void hand_out(Step& step, MemberId to,
                const std::vector<std::size_t>& indices,
                std::vector<Letter>& letters);
  Result<void> take_letters(Step* step, std::chrono::microseconds patience);
  Result<void> take_letter(Step* step, const Letter& letter);
  Result<void> take_results(Step* step, MemberId from,
                            const struct Results& results);
  Result<void> welcome(MemberId from, const struct Hello& hello);
  void take_local(Step& step);
  void take_result(Step& step, MemberId from, PieceResult result);
  Result<void> lose(Step* step, MemberId id);
  Result<void> abandon();
  void show_progress(bool is_last);
  Result<void> send(std::vector<Letter> letters);
  std::size_t share(std::size_t count, std::uint64_t cores) const;

  const LeaderOptions options_;
  const std::unique_ptr<Transport> transport_;
  LocalWorkers workers_;
  std::map<MemberId, CrewMember> members_;
  CrewMember self_;
  std::vector<MemberId> homes_;  // By index: who computed it last.
  std::vector<std::string> summaries_;
  std::uint64_t step_ = 0;
  double piece_seconds_ = 0.02;  // Running mean of the leader's own pieces.
  Abandonment abandonment_;
  CrewCounts counts_;
};

}  // namespace lamarck::crew
