#include "lamarck/cli/command_option.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <sstream>
#include <CLI/CLI.hpp>

#include "lamarck/base/one_line.h"
#include "lamarck/base/suggestion.h"

namespace lamarck::cli {

namespace {

// CLI11 turns -1 into the largest number.
std::string unsigned_problem(const std::string& text) {
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ec == std::errc() && read.ptr == end) return "";
  return fmt::format("must be an integer between 0 and {}, got {}",
                     std::numeric_limits<std::uint64_t>::max(),
                     in_quotes(text));
}

// Says what is wrong with a value of a flag of type "a|b".
std::string choice_problem(const std::string& type, const std::string& value) {
  std::vector<std::string> choices;
  std::istringstream words(type);
  for (std::string word; std::getline(words, word, '|');) {
    if (word == value) return "";
    choices.push_back(std::move(word));
  }
  return fmt::format("must be {}, got {}", join_choices(choices),
                     in_quotes(value));
}

}  // namespace

const CLI::Option* add_option(CLI::App& app, const std::string& name,
                              OptionValue value, const std::string& what,
                              const OptionForm& form) {
  CLI::Option* option = std::visit(
      [&](auto* into) { return app.add_option(name, *into, what); }, value);
  option->type_name(form.type)->required(form.is_required);
  if (!form.group.empty()) option->group(form.group);
  if (form.is_repeatable) {
    // Without this, `--test a.csv DATA` would take DATA as a second value.
    option->allow_extra_args(false);
    option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  }
  if (form.range) {
    // Without a description, because help would show it as `N:INT in [1 - 9]`.
    option->check(
        CLI::Range(form.range->first, form.range->second).description(""));
  }
  if (form.problem) option->check(form.problem);
  if (std::holds_alternative<std::optional<std::uint64_t>*>(value)) {
    option->check(unsigned_problem);
  }
  if (form.is_choice) {
    option->check([type = form.type](const std::string& text) {
      return choice_problem(type, text);
    });
  }
  if (form.type == "FILE" || form.type == "DIR") {
    option->check([](const std::string& path) -> std::string {
      return path.empty() ? "must not be empty" : "";
    });
  }
  return option;
}

const CLI::Option* add_switch(CLI::App& app, const std::string& name,
                              bool& value, const std::string& what,
                              const std::string& group) {
  CLI::Option* option = app.add_flag(name, value, what);
  if (!group.empty()) option->group(group);
  return option;
}

Error invalid_choice(std::string_view flag,
                     std::span<const std::string_view> choices,
                     std::string_view value) {
  const std::vector<std::string> names(choices.begin(), choices.end());
  const auto nearest = nearest_word(value, names);
  return invalid_argument(fmt::format(
      "{} must be {}, got {}{}", flag, join_choices(names), in_quotes(value),
      nearest ? fmt::format("; did you mean '{}'?", *nearest)
              : std::string(".")));
}

std::string join_choices(std::span<const std::string> choices,
                         std::string_view last) {
  std::string text;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (i > 0) text += i + 1 == choices.size() ? last : ", ";
    text += choices[i];
  }
  return text;
}

bool is_given(const CLI::Option& option) { return option.count() > 0; }

bool is_given(const CLI::App& app, const std::string& name) {
  const CLI::Option* option = app.get_option_no_throw(name);
  return option != nullptr && is_given(*option);
}

std::string option_name(const CLI::Option& option) { return option.get_name(); }

}  // namespace lamarck::cli
