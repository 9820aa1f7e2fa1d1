#include "lamarck/archipelago/llm_prompt.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "lamarck/archipelago/llm_reply.h"
#include "lamarck/archipelago/llm_source.h"
#include "lamarck/base/display_number.h"
#include "lamarck/base/ensure.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/string_split.h"
#include "lamarck/formula/formula_operation.h"

namespace lamarck::archipelago {
namespace {

constexpr std::string_view kSystem =
    "You improve a Python function step by step. You see its versions, from "
    "worst to best, with their scores; higher is better. Answer with the next "
    "version. It should score higher and try a different idea, not copy one.";

// For programs that are edited: the docstring is already in the program.
constexpr std::string_view kEditRules =
    "Change it with one or more edits of this form, without explanations:\n"
    "<<<<<<< SEARCH\n"
    "lines of the program, exactly as shown\n"
    "=======\n"
    "the lines to put there\n"
    ">>>>>>> REPLACE\n"
    "The SEARCH lines must occur once in the program. Or write the functions "
    "that change as a whole, in one code block.\n";

// "np.minimum, np.maximum, ...", taken from the list that the parser uses.
std::string numpy_functions() {
  std::vector<std::string> names;
  for (const formula::Operation& operation : formula::operations()) {
    if (!operation.numpy.empty()) names.emplace_back(operation.numpy);
  }
  return join_text(names, ", ");
}

std::string language_rules(const PromptOptions& options) {
  if (options.language == PromptLanguage::Python) {
    return "Write plain Python 3 with the same arguments. It runs without "
           "network access and with little time and memory.\n";
  }
  return fmt::format(
      "The function is parsed as a formula, not executed. Use only "
      "assignments, "
      "if, for over range, helper functions, + - * / ** %, comparisons, and, "
      "or, not, and these functions: {}.\n"
      "The arguments are columns of numbers. Write every constant that should "
      "be fitted to the data as params[0], params[1] and so on; their values "
      "are fitted automatically.\n",
      numpy_functions());
}

std::string rounded(const std::vector<double>& numbers) {
  std::vector<std::string> texts;
  for (const double number : numbers) {
    texts.push_back(short_number(number));
  }
  return join_text(texts, ", ");
}

// The score and the params show the model what each version achieved.
// Without an index the function keeps its name.
std::string version_text(const PromptOptions& options, const Function& fn,
                         std::optional<std::size_t> index) {
  std::string text;
  if (fn.is_evaluated()) {
    text = fmt::format("# Score {:.6g}", fn.score());
    const auto& constants = fn.evaluation().constants;
    if (!constants.empty()) {
      text += fmt::format(" with params = [{}]", rounded(constants));
    }
    text += ".\n";
  }
  const std::string& source = fn.skeleton()->source();
  text += index ? with_renamed(source, options.name,
                               versioned_name(options.name, *index))
                : source;
  if (!text.ends_with('\n')) text += '\n';
  return text;
}

std::string next_header(const PromptOptions& options, const Function& best,
                        std::size_t index) {
  const std::string name = versioned_name(options.name, index);
  const std::string header =
      version_header(best.skeleton()->source(), options.name, name);
  if (header.empty()) return "";
  std::string words =
      fmt::format("Improves on {}.", versioned_name(options.name, index - 1));
  if (!options.docstring.empty()) words = options.docstring + "\n\n" + words;
  return header + "\n" + indented("\"\"\"" + words + "\"\"\"", 4);
}

std::string lessons_text(const std::vector<std::string>& lessons) {
  if (lessons.empty()) return "";
  std::string text = "Lately, these answers did not help:\n";
  for (const std::string& lesson : lessons) text += "- " + lesson + "\n";
  return text + "\n";
}

// Shows the program as it is and asks for edits.
std::string edit_request(const PromptOptions& options, const Function& best,
                         const std::vector<std::string>& lessons) {
  std::string text =
      fmt::format("```python\n{}```\n\n", version_text(options, best, {}));
  if (!options.docstring.empty()) {
    text +=
        fmt::format("What {} does: {}\n\n", options.name, options.docstring);
  }
  std::vector<std::string> names = {options.name};
  names.insert(names.end(), options.other_names.begin(),
               options.other_names.end());
  text += lessons_text(lessons);
  text += fmt::format("Improve {}. Keep the names and arguments of {}.\n",
                      names.size() == 1 ? "this function" : "these functions",
                      join_text(names, ", "));
  return text + std::string(kEditRules) + language_rules(options);
}

}  // namespace

bool asks_for_edits(const PromptOptions& options, const Function& best) {
  const std::string& source = best.skeleton()->source();
  const auto lines = std::ranges::count(source, '\n');
  return options.language == PromptLanguage::Python &&
         (!options.other_names.empty() ||
          static_cast<std::size_t>(lines) > options.max_whole_lines);
}

std::vector<FunctionPtr> shown_parents(
    const PromptOptions& options, const std::vector<FunctionPtr>& parents) {
  if (!parents.empty() && asks_for_edits(options, *parents.back())) {
    return {parents.back()};
  }
  std::size_t size = 0;
  std::size_t first = parents.size();
  // From the best to the worst, so that the best always fits.
  while (first > 0) {
    size += parents[first - 1]->skeleton()->source().size();
    if (size > options.max_source_size && first < parents.size()) break;
    --first;
  }
  return {parents.begin() + static_cast<std::ptrdiff_t>(first), parents.end()};
}

std::string version_header(std::string_view source, std::string_view name,
                           std::string_view new_name) {
  for (const SourceBlock& block : source_blocks(source)) {
    if (block.kind == SourceKind::Function && block.name == name) {
      return with_renamed(find_header(block.text), name, new_name);
    }
  }
  return "";
}

std::vector<llm::ChatMessage> mutation_prompt(
    const PromptOptions& options, const std::vector<FunctionPtr>& parents,
    const std::vector<std::string>& lessons) {
  REQUIRE(!parents.empty(), "mutation_prompt: at least one parent is needed.");
  std::string text;
  if (!options.problem.empty()) text += options.problem + "\n\n";
  if (asks_for_edits(options, *parents.back())) {
    text += edit_request(options, *parents.back(), lessons);
    return {{llm::Role::System, std::string(kSystem)},
            {llm::Role::User, std::move(text)}};
  }
  text += "```python\n";
  for (std::size_t i = 0; i < parents.size(); ++i) {
    text += version_text(options, *parents[i], i) + "\n";
  }
  text += next_header(options, *parents.back(), parents.size()) + "```\n\n";
  text += lessons_text(lessons);
  text += fmt::format(
      "Write the whole function {} in one code block, without explanations.\n",
      versioned_name(options.name, parents.size()));
  text += language_rules(options);
  return {{llm::Role::System, std::string(kSystem)},
          {llm::Role::User, std::move(text)}};
}

llm::ChatMessage repair_prompt(const PromptOptions& options,
                               std::string_view fault) {
  return {
      llm::Role::User,
      fmt::format("That answer cannot be used: {}\nWrite the whole function "
                  "again with this fixed, in one code block.\n{}",
                  one_line(fault, 500), language_rules(options))};
}

}  // namespace lamarck::archipelago
