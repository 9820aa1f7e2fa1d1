#include "lamarck/archipelago/llm_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"

namespace lamarck::archipelago {
namespace {

constexpr std::size_t kMaxLessons = 6;
constexpr std::size_t kLessonCharacters = 200;

std::string as_sentence(const std::string& reason) {
  return reason.ends_with('.') ? reason : reason + ".";
}

std::string lesson_text(const LlmTry& one) {
  switch (one.kind) {
    case LlmTry::Kind::New:
      if (one.improved || one.text.empty()) return "";
      return fmt::format("{} scored only {:.6g}.", one.text, one.score);
    case LlmTry::Kind::Repeated:
      return "An answer was a version that had been tried before.";
    case LlmTry::Kind::Failed:
      return "A version got no score: " + as_sentence(one.text);
    case LlmTry::Kind::Unreadable:
      return one.text;
    case LlmTry::Kind::NoAnswer:
    case LlmTry::Kind::Refused:
      break;
  }
  return "";  // Not the model's fault.
}

}  // namespace

LlmMemory::LlmMemory(LlmPatience patience) : patience_(patience) {}

void LlmMemory::add(const std::vector<LlmTry>& tries) {
  for (const LlmTry& one : tries) count(one);
  if (!ending_) find_ending(tries);
}

void LlmMemory::see_best(double score) {
  if (ending_ || !patience_.perfect_score) return;
  if (score < *patience_.perfect_score) return;
  ending_ = {EngineEnding::Kind::Goal,
             "An exact law was found, so the model was not asked again."};
}

void LlmMemory::count(const LlmTry& one) {
  if (one.kind == LlmTry::Kind::Refused) return;
  if (one.kind == LlmTry::Kind::NoAnswer) {
    ++failed_calls_;
    last_failure_ = one.text;
    return;
  }
  failed_calls_ = 0;
  const bool is_new = one.kind == LlmTry::Kind::New;
  const bool is_repeated = one.kind == LlmTry::Kind::Repeated;
  useless_ = is_new ? 0 : useless_ + 1;
  repeated_ = is_new ? 0 : repeated_ + (is_repeated ? 1 : 0);
  add_lesson(one_line(lesson_text(one), kLessonCharacters));
}

void LlmMemory::add_lesson(std::string text) {
  if (text.empty()) return;
  Lesson lesson{std::move(text)};
  const auto same = std::ranges::find(lessons_, lesson.text, &Lesson::text);
  if (same != lessons_.end()) {
    lesson.times += same->times;
    lessons_.erase(same);
  }
  lessons_.push_back(std::move(lesson));
  if (lessons_.size() > kMaxLessons) lessons_.pop_front();
}

void LlmMemory::find_ending(const std::vector<LlmTry>& tries) {
  const auto is_refused = [](const LlmTry& one) {
    return one.kind == LlmTry::Kind::Refused;
  };
  const auto final = std::ranges::find_if(tries, &LlmTry::is_final);
  if (final != tries.end()) {
    ending_ = {EngineEnding::Kind::NoAnswer, final->text};
  } else if (patience_.max_failed_calls > 0 &&
             failed_calls_ >= patience_.max_failed_calls) {
    ending_ = {EngineEnding::Kind::NoAnswer,
               fmt::format("The last {} calls to the model failed: {}",
                           failed_calls_, as_sentence(last_failure_))};
  } else if (!tries.empty() && std::ranges::all_of(tries, is_refused)) {
    // A single refusal may be due to concurrent calls, which reserve more than
    // they use.
    ending_ = {EngineEnding::Kind::Budget, tries.back().text};
  } else {
    ending_ = useless_ending();
  }
}

std::optional<EngineEnding> LlmMemory::useless_ending() const {
  const std::int64_t max = patience_.max_useless_answers;
  if (max == 0 || useless_ < max) return std::nullopt;
  if (repeated_ == useless_) {
    return EngineEnding{
        EngineEnding::Kind::NothingNew,
        fmt::format("The last {} answers of the model were all functions that "
                    "are known already, so it was not asked again.",
                    useless_)};
  }
  return EngineEnding{
      EngineEnding::Kind::NothingNew,
      fmt::format(
          "The last {} answers of the model gave nothing new, so it "
          "was not asked again. The last one: {}",
          useless_,
          lessons_.empty() ? "no usable function." : lessons_.back().text)};
}

std::vector<std::string> LlmMemory::lessons() const {
  std::vector<std::string> lines;
  for (const Lesson& lesson : lessons_) {
    lines.push_back(lesson.times == 1 ? lesson.text
                                      : fmt::format("{} ({} times)",
                                                    lesson.text, lesson.times));
  }
  return lines;
}

Json LlmMemory::state() const {
  Json lessons = Json::array();
  for (const Lesson& lesson : lessons_) {
    lessons.push_back({{"text", lesson.text}, {"times", lesson.times}});
  }
  return {{"lessons", std::move(lessons)},
          {"useless", ending_ ? 0 : useless_},
          {"repeated", ending_ ? 0 : repeated_}};
}

Result<void> LlmMemory::restore(const Json& state) {
  ASSIGN_OR_RETURN(const Json lessons, json_field<Json>(state, "lessons"));
  ASSIGN_OR_RETURN(useless_, json_field<std::int64_t>(state, "useless"));
  ASSIGN_OR_RETURN(repeated_, json_field<std::int64_t>(state, "repeated"));
  lessons_.clear();
  for (const Json& each : lessons) {
    Lesson lesson;
    ASSIGN_OR_RETURN(lesson.text, json_field<std::string>(each, "text"));
    ASSIGN_OR_RETURN(lesson.times, json_field<std::int64_t>(each, "times"));
    lessons_.push_back(std::move(lesson));
  }
  failed_calls_ = 0;
  ending_.reset();
  return {};
}

}  // namespace lamarck::archipelago
