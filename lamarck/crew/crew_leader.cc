#include "lamarck/crew/crew_leader.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "lamarck/base/ensure.h"
#include "lamarck/base/macros.h"
#include "lamarck/crew/crew_message.h"

namespace lamarck::crew {
namespace {

using std::chrono::microseconds;

constexpr microseconds kPatience{2000};
// The work that waits at a member, for each of its cores, hides the time that
// messages take: this many seconds, but at least one piece.
constexpr double kQueuedSeconds = 0.02;
constexpr double kMaxQueued = 500;
constexpr MemberId kNobody = -1;

}  // namespace

// The state of a step that is being computed.
struct CrewLeader::Step {
  explicit Step(const MapRequest& asked)
      : request(asked),
        results(asked.count),
        waiting(asked.count, true),
        losses(asked.count, 0),
        left(asked.count) {}

  const MapRequest& request;
  std::vector<std::optional<PieceResult>> results;
  std::vector<bool> waiting;  // Whether nobody has it.
  std::vector<int> losses;    // Members lost with it.
  std::size_t left;           // Without a result.
};

CrewLeader::CrewLeader(LeaderOptions options,
                       std::unique_ptr<Transport> transport)
    : options_(std::move(options)),
      transport_(std::move(transport)),
      workers_(options_.threads,
               [this] {
                 if (transport_ != nullptr) transport_->wake();
               }),
      self_{.name = "leader", .cores = workers_.size(), .stage = 0} {}

CrewLeader::~CrewLeader() {
  abandonment_.set();
  show_progress(/*is_last=*/true);
  std::set<MemberId> all;
  for (const auto& [id, member] : members_) all.insert(id);
  if (transport_ != nullptr) {
    // Those that the leader never answered wait too.
    for (const MemberId id : transport_->first_members()) all.insert(id);
  }
  std::vector<Letter> letters;
  for (const MemberId id : all) letters.push_back({id, encode(CrewEnded{})});
  static_cast<void>(send(std::move(letters)));
  workers_.stop();
}

Result<std::string> CrewLeader::serve(const Work&) {
  REQUIRE(false, "CrewLeader::serve: {} must not be called by the leader.",
          "serve");
  return std::string();
}

Result<std::vector<std::string>> CrewLeader::map(const MapRequest& request) {
  if (step_ == 0) RETURN_IF_ERROR(wait_for_first_members(request));
  ++step_;
  ++counts_.steps;
  abandonment_.clear();
  self_.stage = summaries_.size();
  homes_.resize(request.count, kNobody);
  Step step(request);
  if (const Result<void> done = run(step); !done) {
    RETURN_IF_ERROR(abandon());
    return done.error();
  }
  show_progress(/*is_last=*/false);
  std::vector<std::string> results;
  for (std::optional<PieceResult>& each : step.results) {
    if (each->has_failed) {
      return Error(ErrorCode::Internal, std::move(each->bytes));
    }
    results.push_back(std::move(each->bytes));
  }
  return results;
}

Result<void> CrewLeader::run(Step& step) {
  while (step.left > 0) {
    if (step.request.should_stop && step.request.should_stop()) {
      return Error(ErrorCode::Cancelled, "The step was abandoned.");
    }
    RETURN_IF_ERROR(assign(step));
    RETURN_IF_ERROR(take_letters(&step, kPatience));
    take_local(step);
  }
  return {};
}

Result<void> CrewLeader::wait_for_first_members(const MapRequest& request) {
  while (transport_ != nullptr && members_.size() < options_.first_members) {
    if (request.should_stop && request.should_stop()) break;
    RETURN_IF_ERROR(take_letters(nullptr, kPatience));
  }
  return {};
}

// What a member of `cores` gets of `count` pieces, rounded up.
std::size_t CrewLeader::share(std::size_t count, std::uint64_t cores) const {
  std::uint64_t all = self_.cores;
  for (const auto& [id, member] : members_) {
    if (is_ready(member)) all += member.cores;
  }
  return static_cast<std::size_t>((count * cores + all - 1) / all);
}

std::size_t CrewLeader::queued_per_core() const {
  return static_cast<std::size_t>(
      std::clamp(kQueuedSeconds / piece_seconds_, 1.0, kMaxQueued));
}

// Pieces at home all go in one message; others one by one, so that everyone
// gets about the same number and nobody has many that wait.
Result<void> CrewLeader::assign(Step& step) {
  std::vector<std::pair<MemberId, CrewMember*>> ready{{kLeader, &self_}};
  for (auto& [id, member] : members_) {
    if (is_ready(member)) ready.emplace_back(id, &member);
  }
  std::map<MemberId, std::vector<std::size_t>> chosen;
  const auto choose = [&](MemberId id, CrewMember& member, std::size_t index) {
    step.waiting[index] = false;
    member.pieces.insert(index);
    chosen[id].push_back(index);
  };
  if (step.request.keeps_homes) {
    for (const auto& [id, member] : ready) {
      const std::size_t most = share(step.request.count, member->cores);
      for (std::size_t i = 0; i < step.request.count; ++i) {
        if (step.waiting[i] && homes_[i] == id &&
            member->pieces.size() < most) {
          choose(id, *member, i);
        }
      }
    }
  }
  std::size_t next = 0;
  for (bool is_chosen = true; is_chosen;) {
    is_chosen = false;
    for (const auto& [id, member] : ready) {
      while (next < step.request.count && !step.waiting[next]) ++next;
      if (next == step.request.count) break;
      const std::size_t most = std::min(
          share(step.request.count, member->cores),
          static_cast<std::size_t>(member->cores) * (1 + queued_per_core()));
      if (member->pieces.size() >= most) continue;
      choose(id, *member, next);
      is_chosen = true;
    }
  }
  std::vector<Letter> letters;
  for (const auto& [id, indices] : chosen) {
    hand_out(step, id, indices, letters);
  }
  return send(std::move(letters));
}

// Adds the letter to `letters`, or starts the leader's own work.
void CrewLeader::hand_out(Step& step, MemberId to,
                          const std::vector<std::size_t>& indices,
                          std::vector<Letter>& letters) {
  Pieces message{.step = step_, .pieces = {}};
  const bool has_homes = step.request.keeps_homes;
  for (const std::size_t index : indices) {
    message.pieces.push_back(
        {index, step.request.input(index, has_homes && homes_[index] == to)});
  }
  if (to != kLeader) {
    letters.push_back({to, encode(message)});
  } else {
    workers_.start(step_, std::move(message.pieces), step.request.work);
  }
}

Result<void> CrewLeader::take_letters(Step* step, microseconds patience) {
  if (transport_ == nullptr) {
    workers_.wait_for_result(patience);
    return {};
  }
  ASSIGN_OR_RETURN(const std::vector<Letter> letters,
                   transport_->receive(patience));
  for (const Letter& letter : letters) {
    RETURN_IF_ERROR(take_letter(step, letter));
  }
  for (const MemberId id : transport_->departed()) {
    RETURN_IF_ERROR(lose(step, id));
  }
  return {};
}

Result<void> CrewLeader::take_letter(Step* step, const Letter& letter) {
  counts_.bytes_received += static_cast<std::int64_t>(letter.bytes.size());
  const auto message = decode_message(letter.bytes);
  // Whatever sent it is not a member; losing it must not end the run.
  if (!message) return lose(step, letter.other);
  if (const auto* hello = std::get_if<Hello>(&*message)) {
    return welcome(letter.other, *hello);
  }
  const auto member = members_.find(letter.other);
  if (member == members_.end()) return {};
  if (const auto* ready = std::get_if<Ready>(&*message)) {
    member->second.stage = ready->stage;
  } else if (const auto* results = std::get_if<Results>(&*message)) {
    return take_results(step, letter.other, *results);
  } else if (std::holds_alternative<Excused>(*message)) {
    return lose(step, letter.other);
  }
  return {};
}

Result<void> CrewLeader::take_results(Step* step, MemberId from,
                                      const Results& results) {
  if (step == nullptr || results.step != step_) return {};
  for (const PieceResult& each : results.results) {
    take_result(*step, from, each);
  }
  return {};
}

void CrewLeader::take_local(Step& step) {
  for (LocalResult& each : workers_.take()) {
    piece_seconds_ += (each.seconds - piece_seconds_) / 8;
    if (each.step == step_) take_result(step, kLeader, std::move(each.result));
  }
}

void CrewLeader::take_result(Step& step, MemberId from, PieceResult result) {
  if (result.index >= step.request.count) return;
  CrewMember& member = from == kLeader ? self_ : members_.at(from);
  member.pieces.erase(result.index);
  ++member.done;
  const auto index = static_cast<std::size_t>(result.index);
  if (step.results[index]) return;
  homes_[index] = from;
  if (step.request.arrived && !result.has_failed) {
    step.request.arrived(index, result.bytes);
  }
  step.results[index] = std::move(result);
  --step.left;
  ++counts_.pieces;
}

Result<void> CrewLeader::welcome(MemberId from, const Hello& hello) {
  if (hello.version != options_.version) {
    return send({{from, encode(Refused{fmt::format(
                            "All members must run the same version of "
                            "lamarck; the leader has {}, {} has {}.",
                            options_.version, hello.name, hello.version)})}});
  }
  if (step_ > 0) ++counts_.late_members;
  members_[from] = {.name = hello.name,
                    .cores = std::max<std::uint64_t>(1, hello.cores)};
  return send({{from, encode(Welcome{options_.simd, summaries_})}});
}

Result<void> CrewLeader::lose(Step* step, MemberId id) {
  const auto found = members_.find(id);
  if (found == members_.end()) return {};
  const CrewMember member = std::move(found->second);
  members_.erase(found);
  ++counts_.lost_members;
  std::ranges::replace(homes_, id, kNobody);
  if (step == nullptr) return {};
  for (const std::uint64_t index : member.pieces) {
    const auto place = static_cast<std::size_t>(index);
    if (step->results[place]) continue;
    step->waiting[place] = true;
    ++counts_.lost_pieces;
    if (++step->losses[place] >= options_.max_losses) {
      return Error(ErrorCode::FailedPrecondition,
                   fmt::format("Piece {} of a step ended {} members, the last "
                               "on {}; look there for the reason, such as too "
                               "little memory.",
                               index, options_.max_losses, member.name));
    }
  }
  return {};
}

Result<void> CrewLeader::abandon() {
  abandonment_.set();
  std::vector<Letter> letters;
  for (auto& [id, member] : members_) {
    if (!member.pieces.empty()) {
      letters.push_back({id, encode(StepAbandoned{step_})});
    }
    member.pieces.clear();
  }
  self_.pieces.clear();
  // What members have now is not what the leader has.
  std::ranges::fill(homes_, kNobody);
  Result<void> sent = send(std::move(letters));
  workers_.stop();
  return sent;
}

void CrewLeader::show_progress(bool is_last) {
  if (transport_ == nullptr) return;
  CrewProgress progress{.counts = counts_, .pieces = {{kLeader, self_.done}}};
  for (const auto& [id, member] : members_) progress.pieces[id] = member.done;
  transport_->show(progress, is_last);
}

Result<void> CrewLeader::end_stage(std::string summary) {
  std::vector<Letter> letters;
  for (const auto& [id, member] : members_) {
    letters.push_back({id, encode(StageEnded{summary})});
  }
  summaries_.push_back(std::move(summary));
  homes_.clear();
  return send(std::move(letters));
}

Result<void> CrewLeader::send(std::vector<Letter> letters) {
  if (transport_ == nullptr || letters.empty()) return {};
  for (const Letter& letter : letters) {
    counts_.bytes_sent += static_cast<std::int64_t>(letter.bytes.size());
  }
  return transport_->send(std::move(letters));
}

}  // namespace lamarck::crew
