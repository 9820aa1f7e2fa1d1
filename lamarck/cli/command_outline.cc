#include "lamarck/cli/command_outline.h"

#include <string_view>

#include <CLI/CLI.hpp>
#include "lamarck/base/string_split.h"

namespace lamarck::cli {
namespace {

// Splits "a|b|c" into {a, b, c}; returns nothing for a type such as FILE.
std::vector<std::string> parse_choices(const std::string& type) {
  if (type.find('|') == std::string::npos) return {};
  const auto parts = split_text(type, '|');
  return {parts.begin(), parts.end()};
}

OutlineFlag make_flag(const CLI::Option& option) {
  OutlineFlag flag{.summary = option.get_description()};
  for (const auto& name : option.get_snames()) flag.names.push_back("-" + name);
  for (const auto& name : option.get_lnames()) {
    flag.names.push_back("--" + name);
  }
  if (option.get_items_expected_max() > 0) {
    flag.value = option.get_type_name();
    flag.choices = parse_choices(flag.value);
  }
  return flag;
}

OutlineCommand make_command(const CLI::App& app) {
  OutlineCommand command{.name = app.get_name(),
                         .description = app.get_description(),
                         .example = app.get_footer()};
  // The summary is the first sentence, without its period.
  const std::size_t stop = command.description.find(". ");
  command.summary = command.description.substr(0, stop);
  if (!command.summary.empty() && command.summary.back() == '.') {
    command.summary.pop_back();
  }
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) {
      command.arguments.push_back({option->get_name(true),
                                   option->get_description(),
                                   parse_choices(option->get_type_name())});
    } else {
      command.flags.push_back(make_flag(*option));
    }
  }
  return command;
}

// Adds a command and its subcommands, named like "evolve net".
void add_commands(const CLI::App& app, const std::string& prefix,
                  std::vector<OutlineCommand>& commands) {
  OutlineCommand command = make_command(app);
  command.name = prefix + command.name;
  const std::string inner_prefix = command.name + " ";
  const auto subcommands = app.get_subcommands(nullptr);
  if (!subcommands.empty()) {
    OutlineArgument kind{.name = "KIND", .summary = "What to do"};
    for (const CLI::App* sub : subcommands) {
      kind.choices.push_back(sub->get_name());
    }
    command.arguments.push_back(std::move(kind));
  }
  commands.push_back(std::move(command));
  for (const CLI::App* sub : subcommands) {
    add_commands(*sub, inner_prefix, commands);
  }
}

}  // namespace

Outline make_outline(const CLI::App& program) {
  Outline outline{.program = make_command(program), .commands = {}};
  for (const CLI::App* command : program.get_subcommands(nullptr)) {
    add_commands(*command, "", outline.commands);
  }
  return outline;
}

}  // namespace lamarck::cli
