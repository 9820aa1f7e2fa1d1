// What a model is asked: to go on where the versions of a function end.

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
  Formula,  // What `formula::parse_python` reads.
  Python,   // Any Python; it runs in a sandbox.
};

struct PromptOptions {
  std::string problem;  // What the function is for, in the user's words.
  std::string name = "equation";
  std::string docstring;  // Of every version; may be empty.
  PromptLanguage language = PromptLanguage::Formula;
  // Of all sources together; the worst parents are left out first.
  std::size_t largest_sources = 24'000;
};

// The parents, from worst to best, that fit into a prompt: the best one always.
std::vector<FunctionPtr> shown_parents(const PromptOptions& options,
                                       const std::vector<FunctionPtr>& parents);

// The header of `name` in a source, under another name; empty if the source
// has no such function.
std::string version_header(std::string_view source, std::string_view name,
                           std::string_view new_name);

// Shows each parent as a version with its score and fitted constants, then the
// header of the next one. Holds no data but what the user's words, the names
// of the arguments and the parents tell. REQUIRES: parents are not empty.
std::vector<llm::ChatMessage> mutation_prompt(
    const PromptOptions& options, const std::vector<FunctionPtr>& parents);

// Tells what was wrong with a reply and asks for the whole function again.
llm::ChatMessage repair_prompt(const PromptOptions& options,
                               std::string_view fault);

}  // namespace lamarck::archipelago
