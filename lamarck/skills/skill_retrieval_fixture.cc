#include "lamarck/skills/skill_retrieval_fixture.h"

#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/skills/skill_library.h"
#include "lamarck/skills/skill_samples_fixture.h"

namespace lamarck::skills {
namespace {

constexpr std::array<std::string_view, 10> kActions = {
    "Refund", "Export",  "Summarize", "Cancel",    "Schedule",
    "Print",  "Archive", "Compare",   "Translate", "Approve"};
constexpr std::array<std::string_view, 20> kObjects = {
    "customer order",      "monthly invoice", "meeting notes",
    "hotel booking",       "support ticket",  "flight ticket",
    "sales report",        "employee record", "product catalogue",
    "delivery address",    "bank transfer",   "insurance claim",
    "gym membership",      "rental contract", "warehouse stock",
    "press release",       "exam results",    "patient file",
    "newsletter campaign", "software licence"};

struct FittingTask {
  std::string_view task;
  std::string_view skill;
};
constexpr std::array<FittingTask, 20> kFitting = {{
    {"Please refund the order W-77 of the customer Zoe",
     "Refund customer order"},
    {"Export the invoice of the month of May", "Export monthly invoice"},
    {"Summarize the notes of yesterday's meeting", "Summarize meeting notes"},
    {"Cancel my hotel booking in Rome", "Cancel hotel booking"},
    {"Archive support ticket 4711", "Archive support ticket"},
    {"Could you print the flight ticket to Oslo?", "Print flight ticket"},
    {"Compare the sales reports of 2023 and 2024", "Compare sales report"},
    {"Archive the record of the employee John", "Archive employee record"},
    {"Translate the product catalogue into Spanish",
     "Translate product catalogue"},
    {"Print the delivery address of parcel 9", "Print delivery address"},
    {"Approve the bank transfer of 200 euros", "Approve bank transfer"},
    {"Summarize the insurance claim 88", "Summarize insurance claim"},
    {"Cancel the gym membership of Ada", "Cancel gym membership"},
    {"Translate the rental contract to German", "Translate rental contract"},
    {"Export the stock of the warehouse in Lyon", "Export warehouse stock"},
    {"Schedule a press release for Monday", "Schedule press release"},
    {"Compare the exam results of both classes", "Compare exam results"},
    {"Archive the file of patient 12", "Archive patient file"},
    {"Schedule the newsletter campaign for spring",
     "Schedule newsletter campaign"},
    {"Approve the software licence for Bob", "Approve software licence"},
}};

constexpr std::array<std::string_view, 20> kForeign = {
    "What is the capital of Peru?",
    "Train a neural network on the digits",
    "Write a haiku about autumn leaves",
    "Solve the quadratic equation x^2 - 5x + 6 = 0",
    "Find the fastest route from Bern to Basel",
    "Explain how photosynthesis works",
    "Rename all photos by their date",
    "Compute the average rainfall of last June",
    "Restart the database server",
    "Recommend a good book on statistics",
    "Convert 20 miles to kilometres",
    "Debug the segmentation fault in parser.c",
    "Draw a diagram of the solar system",
    "Count the words in chapter three",
    "Book a table for two at the Italian restaurant",
    "Tune the guitar to drop D",
    "Check whether the website is reachable",
    "Merge the two git branches",
    "Remind me to water the plants",
    "Plot the temperature against time"};

void register_retrieval_skills(SkillStore& store) {
  const AgentRecord agent =
      store.create_agent(sample_agent("acme", "ada")).value();
  for (const std::string_view action : kActions) {
    for (const std::string_view object : kObjects) {
      auto registration =
          sample_registration(agent, fmt::format("{} {}", action, object));
      registration.skill.status = SkillStatus::AutoApproved;
      SkillDraft& draft = registration.skill.definition;
      draft.description = fmt::format("{} the {} (id).", action, object);
      draft.trigger_keywords = {std::string(action), std::string(object)};
      (void)store.register_skill(registration).value();
    }
  }
}

}  // namespace

RetrievalScores retrieval_scores(std::shared_ptr<text::Embedder> embedder) {
  SystemClock clock;
  const auto store = std::move(open_sqlite_skill_store({}, clock)).value();
  register_retrieval_skills(*store);
  const auto library =
      std::move(
          SkillLibrary::open(*store, {.embedder = std::move(embedder)}, clock))
          .value();
  (void)library->run_one_job({}).value();  // Embeds them.
  RetrievalScores scores;
  for (const FittingTask& task : kFitting) {
    ++scores.fitting;
    const auto matches = library->search("acme", "", task.task, 5, {}).value();
    if (!matches.matches.empty() &&
        matches.matches[0].skill.definition.name == task.skill) {
      ++scores.found;
    } else {
      scores.missed += fmt::format("{}: {}\n", task.task, matches.reason);
    }
  }
  for (const std::string_view task : kForeign) {
    ++scores.foreign;
    const auto matches = library->search("acme", "", task, 5, {}).value();
    if (matches.matches.empty()) {
      ++scores.abstained;
    } else {
      scores.missed += fmt::format("{} -> {} {:.2f}\n", task,
                                   matches.matches[0].skill.definition.name,
                                   matches.matches[0].score);
    }
  }
  return scores;
}

}  // namespace lamarck::skills
