#include "lamarck/crew/crew_member.h"

#include <chrono>

#include "lamarck/base/ensure.h"
#include "lamarck/base/macros.h"
#include "lamarck/crew/crew_message.h"

namespace lamarck::crew {
namespace {

constexpr std::chrono::microseconds kMemberPatience{20'000};

Error leader_gone() {
  return Error(ErrorCode::Unavailable,
               "The leader of the crew has ended or is out of reach.");
}

}  // namespace

CrewMembership::CrewMembership(MemberOptions options,
                               std::unique_ptr<Transport> transport)
    : options_(std::move(options)),
      transport_(std::move(transport)),
      workers_(options_.threads, [this] { transport_->wake(); }) {}

CrewMembership::~CrewMembership() {
  abandonment_.set();
  workers_.stop();
}

Result<std::unique_ptr<CrewMembership>> CrewMembership::join(
    MemberOptions options, std::unique_ptr<Transport> transport) {
  std::unique_ptr<CrewMembership> member(
      new CrewMembership(std::move(options), std::move(transport)));
  RETURN_IF_ERROR(member->greet());
  return member;
}

Result<void> CrewMembership::greet() {
  RETURN_IF_ERROR(transport_->send(
      {{kLeader, encode(Hello{options_.version, options_.name,
                              std::uint64_t{workers_.size()}})}}));
  while (!is_welcome_) RETURN_IF_ERROR(take_letters(nullptr));
  return {};
}

Result<std::string> CrewMembership::serve(const Work& work) {
  if (summaries_.empty()) {
    RETURN_IF_ERROR(transport_->send({{kLeader, encode(Ready{stage_})}}));
  }
  while (summaries_.empty()) {
    Result<void> done = take_letters(&work);
    if (done) done = send_results();
    if (done) continue;
    abandonment_.set();
    workers_.stop();  // They must not outlive `work`.
    return done.error();
  }
  // The leader has all results; these pieces were computed elsewhere too.
  abandonment_.set();
  workers_.stop();
  abandonment_.clear();
  std::string summary = std::move(summaries_.front());
  summaries_.pop_front();
  ++stage_;
  return summary;
}

Result<void> CrewMembership::take_letters(const Work* work) {
  if (has_ended_) return leader_gone();
  if (options_.cancel.is_cancelled()) {
    excuse("It was cancelled.");
    return options_.cancel.check();
  }
  ASSIGN_OR_RETURN(const std::vector<Letter> letters,
                   transport_->receive(kMemberPatience));
  for (const Letter& letter : letters) {
    counts_.bytes_received += static_cast<std::int64_t>(letter.bytes.size());
    RETURN_IF_ERROR(take_letter(letter.bytes, work));
  }
  if (!has_ended_ && transport_->departed().empty()) return {};
  has_ended_ = true;
  // A stage that has ended is complete, whatever became of the leader.
  if (!summaries_.empty()) return {};
  return leader_gone();
}

Result<void> CrewMembership::take_letter(const std::string& bytes,
                                         const Work* work) {
  ASSIGN_OR_RETURN(Message message, decode_message(bytes));
  if (auto* pieces = std::get_if<Pieces>(&message)) {
    if (work == nullptr) return {};
    abandonment_.clear();
    ++counts_.steps;
    workers_.start(pieces->step, std::move(pieces->pieces), *work);
  } else if (std::holds_alternative<StepAbandoned>(message)) {
    abandonment_.set();
    workers_.stop();
  } else if (auto* ended = std::get_if<StageEnded>(&message)) {
    summaries_.push_back(std::move(ended->summary));
  } else if (std::holds_alternative<CrewEnded>(message)) {
    has_ended_ = true;
  } else if (const auto* refused = std::get_if<Refused>(&message)) {
    return Error(ErrorCode::FailedPrecondition, refused->reason);
  } else if (auto* welcome = std::get_if<Welcome>(&message)) {
    if (options_.use_simd) {
      if (const auto used = options_.use_simd(welcome->simd); !used) {
        excuse(used.error().message());
        return used.error();
      }
    }
    is_welcome_ = true;
    for (std::string& each : welcome->summaries) {
      summaries_.push_back(std::move(each));
    }
  }
  return {};
}

Result<void> CrewMembership::send_results() {
  std::vector<Letter> letters;
  Results results;
  const auto flush = [&] {
    if (results.results.empty()) return;
    letters.push_back({kLeader, encode(results)});
    counts_.bytes_sent +=
        static_cast<std::int64_t>(letters.back().bytes.size());
    results.results.clear();
  };
  for (LocalResult& each : workers_.take()) {
    if (each.step != results.step) flush();
    results.step = each.step;
    results.results.push_back(std::move(each.result));
    ++counts_.pieces;
  }
  flush();
  if (letters.empty()) return {};
  return transport_->send(std::move(letters));
}

void CrewMembership::excuse(const std::string& reason) {
  static_cast<void>(transport_->send({{kLeader, encode(Excused{reason})}}));
}

void CrewMembership::wait_for_end() {
  while (take_letters(nullptr)) {
  }
}

Result<std::vector<std::string>> CrewMembership::map(const MapRequest&) {
  REQUIRE(false, "CrewMembership: {} is for the leader.", "map");
  return std::vector<std::string>();
}

Result<void> CrewMembership::end_stage(std::string) {
  REQUIRE(false, "CrewMembership: {} is for the leader.", "end_stage");
  return {};
}

}  // namespace lamarck::crew
