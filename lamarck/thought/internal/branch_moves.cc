#include "lamarck/thought/internal/branch_moves.h"

namespace lamarck::thought::internal {

std::optional<Moves> moves_to(BranchState from, BranchState to) {
  // User input has at most one transition from each state, so following it is
  // the only path; the bound stops a cycle.
  Moves moves;
  for (BranchState state = from; state != to;) {
    const auto next = after(state, BranchTrigger::UserInput, "");
    if (!next || moves.size() > branch_transitions().size()) {
      return std::nullopt;
    }
    moves.push_back(BranchTrigger::UserInput);
    state = *next;
  }
  return moves;
}

Moves moves_of_step(BranchState state) {
  const bool opens =
      state == BranchState::Init || state == BranchState::Rejected;
  return opens ? Moves{BranchTrigger::UserInput} : Moves{};
}

std::optional<Moves> moves_to_stop(BranchState state, BranchTrigger trigger) {
  Moves moves = moves_of_step(state);
  for (const BranchTrigger pulled : moves) {
    state = after(state, pulled, "").value();
  }
  for (const BranchTrigger last : {trigger, BranchTrigger::RaceLost}) {
    const auto next = after(state, last, "");
    if (!next || *next != BranchState::EarlyStopped) continue;
    moves.push_back(last);
    return moves;
  }
  return std::nullopt;
}

}  // namespace lamarck::thought::internal
