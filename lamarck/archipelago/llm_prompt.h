// Builds the prompts that ask a model for the next version of a function.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/archipelago/function.h"
#include "lamarck/llm/chat_model.h"

namespace lamarck::archipelago {

enum class PromptLanguage : std::uint8_t {
  Formula,  // The subset that `formula::parse_python` reads.
  Python,   // Any Python; runs in a sandbox.
};

struct PromptOptions {
  std::string problem;  // What the function is for, in the user's words.
  std::string name = "equation";
  std::string docstring;  // For the next version; may be empty.
  PromptLanguage language = PromptLanguage::Formula;
  // Other functions that evolve together with `name`.
  std::vector<std::string> other_names = {};
  // The model may edit a program of more lines than this, or of several
  // functions, instead of repeating all of it.
  std::size_t max_whole_lines = 60;
  // Limits the characters of all sources together. The worst parents are left
  // out first.
  std::size_t max_source_size = 24'000;
};

// Whether the prompt shows programs under their own names and asks for edits
// (llm_edits.h), because the best one is long or has several functions.
bool asks_for_edits(const PromptOptions& options, const Function& best);

// Returns the parents that fit into a prompt, from worst to best. Always
// includes the best one; of programs to edit, only that one. `parents` must be
// ordered from worst to best.
std::vector<FunctionPtr> shown_parents(const PromptOptions& options,
                                       const std::vector<FunctionPtr>& parents);

// Returns the header of the function `name` in `source`, renamed to `new_name`.
// Returns an empty string if there is no such function.
std::string version_header(std::string_view source, std::string_view name,
                           std::string_view new_name);

// Shows each parent as a version with its score and fitted constants, then the
// header of the next version. `lessons` are lines about answers that did not
// help. Contains no training data, only the problem text, the argument names,
// the parents and the lessons. REQUIRES: `parents` is not empty.
std::vector<llm::ChatMessage> mutation_prompt(
    const PromptOptions& options, const std::vector<FunctionPtr>& parents,
    const std::vector<std::string>& lessons = {});

// States what was wrong with a reply and asks for the whole function again.
llm::ChatMessage repair_prompt(const PromptOptions& options,
                               std::string_view fault);

}  // namespace lamarck::archipelago
