#include "lamarck/skills/internal/text_checks.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/ascii.h"
#include "lamarck/base/string_split.h"
#include "lamarck/base/unicode.h"

namespace lamarck::skills::internal {
namespace {

constexpr std::size_t kCopiedWords = 6;

struct CharacterRange {
  unsigned first;
  unsigned last;
};
// Format characters, tags, variation selectors and controls.
constexpr std::array<CharacterRange, 15> kHidden = {{
    {0x00, 0x08},
    {0x0B, 0x0C},
    {0x0E, 0x1F},
    {0x7F, 0x9F},
    {0xAD, 0xAD},
    {0x34F, 0x34F},
    {0x61C, 0x61C},
    {0x115F, 0x1160},
    {0x17B4, 0x17B5},
    {0x180B, 0x180E},
    {0x200B, 0x200F},
    {0x2028, 0x202E},
    {0x2060, 0x206F},
    {0xFE00, 0xFE0F},
    {0xE0000, 0xE0FFF},
}};

constexpr std::array<std::string_view, 24> kOrders = {
    "ignore all previous",
    "ignore previous instructions",
    "ignore the previous",
    "ignore your instructions",
    "ignore all instructions",
    "disregard previous",
    "disregard all",
    "disregard the above",
    "forget previous",
    "forget your instructions",
    "override your",
    "you are now",
    "new instructions:",
    "system prompt",
    "developer mode",
    "do anything now",
    "reveal your",
    "exfiltrate",
    "<system>",
    "</system>",
    "<|im_start|>",
    "[inst]",
    "begin system message",
    "jailbreak"};

unsigned code_point(std::string_view character) {
  const auto byte = [&](std::size_t i) {
    return static_cast<unsigned>(static_cast<unsigned char>(character[i]));
  };
  switch (character.size()) {
    case 1:
      return byte(0);
    case 2:
      return (byte(0) & 0x1F) << 6 | (byte(1) & 0x3F);
    case 3:
      return (byte(0) & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
    default:
      return (byte(0) & 0x07) << 18 | (byte(1) & 0x3F) << 12 |
             (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F);
  }
}

// The checksum of card numbers.
bool is_card_number(std::string_view digits) {
  if (digits.size() < 13 || digits.size() > 19) return false;
  int sum = 0;
  bool doubles = false;
  for (auto at = digits.rbegin(); at != digits.rend(); ++at) {
    int digit = *at - '0';
    if (doubles) digit = digit * 2 > 9 ? digit * 2 - 9 : digit * 2;
    sum += digit;
    doubles = !doubles;
  }
  return sum % 10 == 0;
}

// 123-45-6789.
bool is_social_security(std::string_view text) {
  if (text.size() != 11 || text[3] != '-' || text[6] != '-') return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i != 3 && i != 6 && !ascii::is_digit(text[i])) return false;
  }
  return true;
}

std::vector<std::string> lower_words(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    const char c = at < text.size() ? text[at] : ' ';
    if (ascii::is_alphanumeric(c) || static_cast<unsigned char>(c) >= 0x80) {
      word += ascii::lower(c);
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  return words;
}

}  // namespace

std::optional<unsigned> find_hidden_character(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = first_character_size(text.substr(at));
    const unsigned point = code_point(text.substr(at, size));
    for (const CharacterRange& range : kHidden) {
      if (point >= range.first && point <= range.last) return point;
    }
    if (point == 0xFEFF) return point;
    at += size;
  }
  return std::nullopt;
}

bool find_personal_data(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const bool starts = (ascii::is_digit(text[at]) || text[at] == '+') &&
                        (at == 0 || !ascii::is_word(text[at - 1]));
    if (!starts) {
      ++at;
      continue;
    }
    std::size_t end = at + 1;
    std::string digits;
    if (ascii::is_digit(text[at])) digits += text[at];
    while (end < text.size() && (ascii::is_digit(text[end]) ||
                                 text[end] == ' ' || text[end] == '-')) {
      if (ascii::is_digit(text[end])) digits += text[end];
      ++end;
    }
    const bool is_phone = text[at] == '+' && digits.size() >= 9;
    if (is_phone || is_card_number(digits) ||
        is_social_security(text.substr(at, 11))) {
      return true;
    }
    at = end;
  }
  return false;
}

std::string_view find_order_phrase(std::string_view text) {
  std::string lower;
  for (const char c : text) {
    const bool repeats_space =
        ascii::is_space(c) && !lower.empty() && lower.back() == ' ';
    if (!repeats_space) lower += ascii::is_space(c) ? ' ' : ascii::lower(c);
  }
  for (const std::string_view phrase : kOrders) {
    if (lower.find(phrase) != std::string::npos) return phrase;
  }
  return {};
}

bool leaves_folder(std::string_view text) {
  std::string slashes(text);
  std::replace(slashes.begin(), slashes.end(), '\\', '/');
  for (const std::string_view part : split_text(slashes, '/')) {
    if (part == ".." && slashes.size() > 2) return true;
  }
  return slashes.find("%2e%2e") != std::string::npos ||
         slashes.find("%2E%2E") != std::string::npos;
}

std::vector<std::pair<std::string, std::string>> instruction_texts(
    const SkillDraft& draft) {
  std::vector<std::pair<std::string, std::string>> texts = {
      {"name", draft.name},
      {"description", draft.description},
      {"expected_outcome", draft.expected_outcome}};
  for (const std::string& keyword : draft.trigger_keywords) {
    texts.emplace_back("trigger_keywords", keyword);
  }
  for (std::size_t i = 0; i < draft.steps.size(); ++i) {
    texts.emplace_back(fmt::format("steps[{}].action", i),
                       draft.steps[i].action);
  }
  for (const Json* json : {&draft.parameters, &draft.preconditions}) {
    std::vector<std::string> found;
    collect_texts(*json, found);
    for (std::string& text : found) {
      texts.emplace_back(
          json == &draft.parameters ? "parameters" : "preconditions",
          std::move(text));
    }
  }
  return texts;
}

void collect_texts(const Json& json, std::vector<std::string>& texts) {
  if (json.is_string()) texts.push_back(json.get<std::string>());
  if (json.is_object()) {
    for (const auto& [name, value] : json.items()) {
      texts.push_back(name);
      collect_texts(value, texts);
    }
  } else if (json.is_array()) {
    for (const Json& item : json) collect_texts(item, texts);
  }
}

std::optional<std::string> shared_words(std::string_view text,
                                        std::string_view source,
                                        std::string_view trusted) {
  const std::vector<std::string> words = lower_words(text);
  if (words.size() < kCopiedWords) return std::nullopt;
  const std::string source_words =
      " " + join_text(lower_words(source), " ") + " ";
  const std::string trusted_words =
      " " + join_text(lower_words(trusted), " ") + " ";
  for (std::size_t i = 0; i + kCopiedWords <= words.size(); ++i) {
    const std::vector<std::string> run(
        words.begin() + static_cast<std::ptrdiff_t>(i),
        words.begin() + static_cast<std::ptrdiff_t>(i + kCopiedWords));
    const std::string wanted = " " + join_text(run, " ") + " ";
    if (source_words.find(wanted) != std::string::npos &&
        trusted_words.find(wanted) == std::string::npos) {
      return wanted.substr(1, wanted.size() - 2);
    }
  }
  return std::nullopt;
}

}  // namespace lamarck::skills::internal
