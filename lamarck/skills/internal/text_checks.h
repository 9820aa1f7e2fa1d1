// Checks of single texts of a skill.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lamarck/base/json.h"
#include "lamarck/skills/skill.h"

namespace lamarck::skills::internal {

// The code point of the first invisible or reordering character.
std::optional<unsigned> find_hidden_character(std::string_view text);
bool find_personal_data(std::string_view text);
// Phrases with which texts try to command a model; "" if there is none.
std::string_view find_order_phrase(std::string_view text);
// Whether a part of the path is "..".
bool leaves_folder(std::string_view text);

// The texts that a model or a person reads as instructions, with their fields.
std::vector<std::pair<std::string, std::string>> instruction_texts(
    const SkillDraft& draft);
// All strings in `json`.
void collect_texts(const Json& json, std::vector<std::string>& texts);

// Six or more words in a row that `text` has in common with `source` but not
// with `trusted`.
std::optional<std::string> shared_words(std::string_view text,
                                        std::string_view source,
                                        std::string_view trusted);

}  // namespace lamarck::skills::internal
