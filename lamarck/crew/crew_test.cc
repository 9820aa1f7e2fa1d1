#include "lamarck/crew/crew.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <thread>

#include "lamarck/base/eventually_fixture.h"
#include "lamarck/base/rng.h"
#include "lamarck/crew/crew_chain_fixture.h"
#include "lamarck/crew/crew_leader.h"
#include "lamarck/crew/crew_member.h"
#include "lamarck/crew/loopback_fixture.h"

namespace lamarck::crew {
namespace {

using std::chrono::microseconds;

LeaderOptions leader_options() {
  return {.version = "1", .simd = "scalar", .threads = 1};
}

MemberOptions member_options() {
  return {.version = "1",
          .name = "thread",
          .threads = 1,
          .cancel = {},
          .use_simd = {}};
}

// Members that are threads.
class Members {
 public:
  explicit Members(std::shared_ptr<LoopbackHub> hub) : hub_(std::move(hub)) {}
  ~Members() {
    for (std::thread& thread : threads_) thread.join();
  }

  MemberId add(std::function<void(Crew&)> serve) {
    MemberId id = 0;
    std::shared_ptr<Transport> transport = hub_->join(id);
    threads_.emplace_back(
        [this, transport = std::move(transport),
         serve = std::move(serve)]() mutable { run(transport, serve); });
    return id;
  }
  int welcomed() const { return welcomed_; }

 private:
  // Lets a shared transport be given away.
  class Forwarder final : public Transport {
   public:
    explicit Forwarder(std::shared_ptr<Transport> to) : to_(std::move(to)) {}
    Result<void> send(std::vector<Letter> letters) override {
      return to_->send(std::move(letters));
    }
    Result<std::vector<Letter>> receive(microseconds patience) override {
      return to_->receive(patience);
    }
    std::vector<MemberId> departed() override { return to_->departed(); }
    void wake() override { to_->wake(); }

   private:
    const std::shared_ptr<Transport> to_;
  };

  void run(std::shared_ptr<Transport>& transport,
           const std::function<void(Crew&)>& serve) {
    auto member = CrewMembership::join(
        member_options(), std::make_unique<Forwarder>(std::move(transport)));
    if (!member) return;
    ++welcomed_;
    serve(**member);
  }

  const std::shared_ptr<LoopbackHub> hub_;
  std::atomic<int> welcomed_ = 0;
  std::vector<std::thread> threads_;
};

MapRequest simple_request(std::size_t count, const Work& work) {
  return {.count = count,
          .input = [](std::size_t, bool) { return std::string(); },
          .work = work,
          .should_stop = {}};
}

TEST(Crew, ThreadsAloneGiveTheSameResult) {
  const Chains chains;
  for (const std::size_t threads : {1u, 2u, 4u}) {
    LeaderOptions options = leader_options();
    options.threads = threads;
    CrewLeader leader(options);

    const auto result = share_chains(leader, chains);

    ASSERT_TRUE(result) << result.error().message();
    EXPECT_EQ(*result, chain_result(chains)) << threads << " threads";
  }
}

TEST(Crew, EveryMemberGetsTheResultOfTheStage) {
  const Chains chains;
  const auto hub = std::make_shared<LoopbackHub>();
  LeaderOptions options = leader_options();
  options.first_members = 2;
  std::atomic<int> equal = 0;
  Members members(hub);
  CrewLeader leader(options, hub->leader());
  for (int i = 0; i < 2; ++i) {
    members.add([&](Crew& crew) {
      const auto result = share_chains(crew, chains);
      if (result && *result == chain_result(chains)) ++equal;
    });
  }

  const auto result = share_chains(leader, chains);

  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(*result, chain_result(chains));
  EXPECT_TRUE(eventually("both members have it", [&] { return equal == 2; }));
}

// Members are killed and join at random times.
TEST(Crew, LostAndLateMembersDoNotChangeTheResult) {
  std::int64_t lost_pieces = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Rng rng(seed);
    const auto hub = std::make_shared<LoopbackHub>();
    std::atomic<int> pieces = 0;
    const Chains chains{
        .count = 2 + rng.below(9), .steps = 5 + rng.below(30), .work = [&] {
          ++pieces;
          std::this_thread::sleep_for(microseconds(50));
        }};
    const int all = static_cast<int>(chains.count * chains.steps);
    std::atomic<bool> is_done = false;
    Members members(hub);
    {
      LeaderOptions options = leader_options();
      options.max_losses = 1000;  // A schedule may hit one piece many times.
      CrewLeader leader(options, hub->leader());
      std::thread fate([&] {
        std::vector<MemberId> alive;
        for (int event = 0; event < 12 && !is_done; ++event) {
          const int when =
              static_cast<int>(rng.below(static_cast<std::uint64_t>(all)));
          for (int k = 0; k < 200 && pieces < when && !is_done; ++k) {
            std::this_thread::sleep_for(microseconds(20));
          }
          if (alive.empty() || rng.chance(0.6)) {
            alive.push_back(members.add(
                [&](Crew& crew) { (void)share_chains(crew, chains); }));
          } else {
            const std::size_t at = rng.below(alive.size());
            hub->kill(alive[at]);
            alive.erase(alive.begin() + static_cast<std::ptrdiff_t>(at));
          }
        }
      });

      const auto result = share_chains(leader, chains);

      is_done = true;
      fate.join();
      ASSERT_TRUE(result) << "seed " << seed << ": "
                          << result.error().message();
      EXPECT_EQ(*result, chain_result(chains)) << "seed " << seed;
      lost_pieces += leader.counts().lost_pieces;
    }
  }
  EXPECT_GT(lost_pieces, 0) << "No schedule lost a piece.";
}

TEST(Crew, ReportsTheFirstPieceThatFails) {
  CrewLeader leader(leader_options());
  const Work work = [](std::size_t index, std::string_view) -> std::string {
    if (index >= 2) throw std::runtime_error("Piece " + std::to_string(index));
    return "";
  };

  const auto results = leader.map(simple_request(5, work));

  ASSERT_FALSE(results);
  EXPECT_EQ(results.error().message(), "Piece 2");
}

TEST(Crew, AbandonsAStepWhenTheLeaderStops) {
  CrewLeader leader(leader_options());
  std::atomic<bool> has_begun = false;
  const Work work = [&](std::size_t, std::string_view) {
    has_begun = true;
    EXPECT_TRUE(eventually("the step is abandoned",
                           [&] { return leader.is_abandoned(); }));
    return std::string();
  };
  MapRequest request = simple_request(3, work);
  request.should_stop = [&] { return has_begun.load(); };

  const auto results = leader.map(request);

  ASSERT_FALSE(results);
  EXPECT_EQ(results.error().code(), ErrorCode::Cancelled);
}

TEST(Crew, RefusesMembersOfAnotherVersion) {
  const auto hub = std::make_shared<LoopbackHub>();
  std::atomic<bool> is_over = false;
  CrewLeader leader(leader_options(), hub->leader());
  std::thread stranger([&] {
    MemberId id = 0;
    auto options = member_options();
    options.version = "2";
    const auto member = CrewMembership::join(options, hub->join(id));
    ASSERT_FALSE(member);
    EXPECT_NE(member.error().message().find("the leader has 1, thread has 2"),
              std::string::npos);
    is_over = true;
  });
  const Work work = [&](std::size_t, std::string_view) {
    return std::string();
  };

  while (!is_over) ASSERT_TRUE(leader.map(simple_request(1, work)));

  stranger.join();
  EXPECT_TRUE(leader.members().empty());
}

TEST(Crew, EndsWhenOnePieceEndsThreeMembers) {
  const auto hub = std::make_shared<LoopbackHub>();
  Members members(hub);
  LeaderOptions options = leader_options();
  options.first_members = 3;
  CrewLeader leader(options, hub->leader());
  for (int i = 0; i < 3; ++i) {
    const auto id = std::make_shared<std::atomic<MemberId>>(0);
    *id = members.add([&hub, id](Crew& crew) {
      (void)crew.serve([&hub, id](std::size_t, std::string_view) {
        hub->kill(*id);
        return std::string();
      });
    });
  }
  // A single piece is computed by the leader.
  const Work quick = [](std::size_t, std::string_view) {
    return std::string();
  };
  ASSERT_TRUE(eventually("all members are ready", [&] {
    return leader.map(simple_request(1, quick)) &&
           std::ranges::count_if(leader.members(), [](const auto& entry) {
             return entry.second.stage.has_value();
           }) == 3;
  }));
  const Work work = [&](std::size_t, std::string_view) {
    EXPECT_TRUE(
        eventually("the step fails", [&] { return leader.is_abandoned(); }));
    return std::string();
  };

  const auto results = leader.map(simple_request(2, work));

  ASSERT_FALSE(results);
  EXPECT_EQ(results.error().code(), ErrorCode::FailedPrecondition);
}

}  // namespace
}  // namespace lamarck::crew
