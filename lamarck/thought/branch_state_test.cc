#include "lamarck/thought/branch_state.h"

#include <map>
#include <set>
#include <utility>
#include <gtest/gtest.h>

namespace lamarck::thought {
namespace {

constexpr int kBranchStates = 10;
constexpr int kTriggers = 7;

BranchState branch_state(int index) { return static_cast<BranchState>(index); }
BranchTrigger trigger(int index) { return static_cast<BranchTrigger>(index); }

TEST(BranchState, HasThirteenDistinctTransitions) {
  std::set<std::pair<BranchState, BranchTrigger>> pairs;
  for (const BranchTransition& transition : branch_transitions()) {
    pairs.emplace(transition.from, transition.trigger);
  }

  EXPECT_EQ(branch_transitions().size(), 13U);
  EXPECT_EQ(pairs.size(), 13U);
}

TEST(BranchState, AllowsExactlyTheTransitionsOfTheTable) {
  std::map<std::pair<BranchState, BranchTrigger>, BranchState> table;
  for (const BranchTransition& transition : branch_transitions()) {
    table[{transition.from, transition.trigger}] = transition.to;
  }

  for (int i = 0; i < kBranchStates * kTriggers; ++i) {
    const auto from = branch_state(i / kTriggers);
    const auto by = trigger(i % kTriggers);
    const auto result = after(from, by, "main");
    const auto expected = table.find({from, by});
    ASSERT_EQ(result.has_value(), expected != table.end()) << i;
    if (result) {
      EXPECT_EQ(*result, expected->second);
    } else {
      EXPECT_EQ(result.error().code(), ErrorCode::FailedPrecondition);
    }
  }
}

TEST(BranchState, ReachesCompletedFromInit) {
  using enum BranchTrigger;
  BranchState now = BranchState::Init;

  for (const auto by :
       {UserInput, UserInput, UserInput, ValidateFail, UserInput, UserInput,
        UserInput, ValidatePass, UserInput, EvidenceFailure, UserInput}) {
    now = after(now, by, "main").value();
  }

  EXPECT_EQ(now, BranchState::Completed);
}

TEST(BranchState, ErrorListsLegalTriggers) {
  const auto refused =
      after(BranchState::Scoring, BranchTrigger::ValidatePass, "plan_b");

  EXPECT_EQ(refused.error().message(),
            "Branch 'plan_b' is scoring and does not accept validate_pass; "
            "legal triggers: user_input, race_lost.");
  EXPECT_EQ(refused.error().fields().at("legal"), "user_input, race_lost");
}

TEST(BranchState, ErrorSaysThatStateIsFinal) {
  const auto refused =
      after(BranchState::EarlyStopped, BranchTrigger::UserInput, "plan_b");

  EXPECT_NE(refused.error().message().find("final"), std::string::npos);
}

TEST(BranchState, IsFinalWhenStoppedOrCompleted) {
  for (int i = 0; i < kBranchStates; ++i) {
    EXPECT_EQ(is_final(branch_state(i)),
              branch_state(i) == BranchState::EarlyStopped ||
                  branch_state(i) == BranchState::Completed)
        << i;
  }
}

TEST(BranchState, NamesRoundTrip) {
  ASSERT_EQ(branch_state_names().size(), std::size_t{kBranchStates});
  for (int i = 0; i < kBranchStates; ++i) {
    EXPECT_EQ(parse_branch_state(branch_state_name(branch_state(i))).value(),
              branch_state(i));
  }
  EXPECT_EQ(branch_state_name(BranchState::EarlyStopped), "early_stopped");
  const auto unknown = parse_branch_state("sleeping");
  EXPECT_EQ(unknown.error().code(), ErrorCode::InvalidArgument);
  EXPECT_NE(unknown.error().message().find("'sleeping'"), std::string::npos);
}

TEST(BranchTrigger, NamesAreUnique) {
  std::set<std::string_view> names;
  for (int i = 0; i < kTriggers; ++i) {
    names.insert(branch_trigger_name(trigger(i)));
  }
  EXPECT_EQ(names.size(), std::size_t{kTriggers});
}

}  // namespace
}  // namespace lamarck::thought
