#include "lamarck/cli/command_option.h"

#include <CLI/CLI.hpp>

namespace lamarck::cli {

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
    option->check(CLI::Range(form.range->first, form.range->second));
  }
  if (form.problem) option->check(form.problem);
  return option;
}

const CLI::Option* add_switch(CLI::App& app, const std::string& name,
                              bool& value, const std::string& what,
                              const std::string& group) {
  CLI::Option* option = app.add_flag(name, value, what);
  if (!group.empty()) option->group(group);
  return option;
}

bool is_given(const CLI::Option& option) { return option.count() > 0; }

bool is_given(const CLI::App& app, const std::string& name) {
  const CLI::Option* option = app.get_option_no_throw(name);
  return option != nullptr && is_given(*option);
}

std::string option_name(const CLI::Option& option) { return option.get_name(); }

}  // namespace lamarck::cli
