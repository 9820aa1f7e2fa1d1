#include "lamarck/cli/completion.h"

#include <fmt/format.h>

#include <set>
#include <string_view>
#include <vector>

#include "lamarck/base/string_split.h"

namespace lamarck::cli {
namespace {

std::vector<std::string> flag_names(const std::vector<OutlineFlag>& flags) {
  std::vector<std::string> names;
  for (const OutlineFlag& flag : flags) {
    names.insert(names.end(), flag.names.begin(), flag.names.end());
  }
  return names;
}

std::string replaced(std::string text, std::string_view from,
                     std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// Quotes `text` in single quotes for bash and zsh.
std::string shell_quoted(const std::string& text) {
  return "'" + replaced(text, "'", "'\\''") + "'";
}

std::string fish_quoted(const std::string& text) {
  return "'" + replaced(replaced(text, "\\", "\\\\"), "'", "\\'") + "'";
}

// Whether it is named like "evolve net".
bool is_subcommand(const OutlineCommand& command) {
  return command.name.find(' ') != std::string::npos;
}

// Returns the last word of the name.
std::string own_name(const OutlineCommand& command) {
  return command.name.substr(command.name.rfind(' ') + 1);
}

// --data-dir is a setting with the type TEXT, but its value is a path.
bool is_path(const OutlineFlag& flag) {
  return flag.value == "FILE" || flag.names.back() == "--data-dir";
}

// Returns bash cases that complete the value after a flag.
std::string bash_value_cases(const std::vector<OutlineFlag>& flags) {
  std::string text;
  for (const OutlineFlag& flag : flags) {
    if (flag.value.empty()) continue;
    const std::string action =
        !flag.choices.empty()
            ? fmt::format("_lamarck_offer '{}'", join_text(flag.choices, " "))
        : is_path(flag) ? "_lamarck_offer_files"
                        : "COMPREPLY=()";
    text += fmt::format("        {}) {}; return ;;\n",
                        join_text(flag.names, "|"), action);
  }
  return text;
}

// Returns the bash case of one command: first
// the values of its flags, then its words.
std::string bash_command_case(const OutlineCommand& command,
                              const std::string& pattern,
                              std::vector<std::string> words) {
  for (const OutlineArgument& argument : command.arguments) {
    words.insert(words.end(), argument.choices.begin(), argument.choices.end());
  }
  const auto own = flag_names(command.flags);
  words.insert(words.end(), own.begin(), own.end());
  return fmt::format(
      "    {})\n      case $before in\n{}      esac\n      words='{}'\n"
      "      ;;\n",
      pattern, bash_value_cases(command.flags), join_text(words, " "));
}

// Returns the specification of a flag for _arguments: --name[summary]:value:.
std::string zsh_flag(const OutlineFlag& flag, const std::string& name) {
  // In zsh, brackets and colons end a description.
  std::string summary = replaced(flag.summary, "[", "(");
  summary = replaced(replaced(summary, "]", ")"), ":", "\\:");
  std::string spec = name + "[" + summary + "]";
  if (!flag.value.empty()) {
    spec += !flag.choices.empty()
                ? fmt::format(":value:({})", join_text(flag.choices, " "))
            : is_path(flag) ? ":file:_files"
                            : ":value:";
  }
  return "'" + replaced(spec, "'", "'\\''") + "'";
}

std::string zsh_arguments(const OutlineCommand& command,
                          const std::vector<OutlineFlag>& common) {
  std::string text;
  std::set<std::string> seen;  // --help is in both lists.
  for (const auto* flags : {&command.flags, &common}) {
    for (const OutlineFlag& flag : *flags) {
      for (const std::string& name : flag.names) {
        if (!seen.insert(name).second) continue;
        text += " \\\n        " + zsh_flag(flag, name);
      }
    }
  }
  for (const OutlineArgument& argument : command.arguments) {
    text += fmt::format(" \\\n        ':{}:({})'", argument.name,
                        join_text(argument.choices, " "));
  }
  return text;
}

// Completes the words after a command, or those of its subcommand.
std::string zsh_case(const OutlineCommand& command, const Outline& outline) {
  std::string text = fmt::format("    {})\n", command.name);
  for (const OutlineCommand& sub : outline.commands) {
    if (!sub.name.starts_with(command.name + " ")) continue;
    text += fmt::format(
        "      if (( CURRENT > 2 )) && [[ ${{words[2]}} == {} ]]; then\n"
        "        words=(\"${{(@)words[2,-1]}}\")\n"
        "        (( CURRENT -= 1 ))\n"
        "        _arguments{}\n        return\n      fi\n",
        own_name(sub), zsh_arguments(sub, outline.program.flags));
  }
  return text + fmt::format("      _arguments{}\n      ;;\n",
                            zsh_arguments(command, outline.program.flags));
}

// The fish condition under which a command's own words are offered.
std::string fish_condition(const OutlineCommand& command,
                           const Outline& outline) {
  std::string kinds;
  for (const OutlineCommand& sub : outline.commands) {
    if (sub.name.starts_with(command.name + " ")) kinds += " " + own_name(sub);
  }
  std::string condition = "__fish_seen_subcommand_from " +
                          command.name.substr(0, command.name.find(' '));
  if (is_subcommand(command)) {
    condition += "; and __fish_seen_subcommand_from " + own_name(command);
  } else if (!kinds.empty()) {
    condition += "; and not __fish_seen_subcommand_from" + kinds;
  }
  return " -n '" + condition + "'";
}

// `condition` restricts the flags to a command; it is empty for common flags.
std::string fish_flags(const std::vector<OutlineFlag>& flags,
                       const std::string& condition) {
  std::string text;
  for (const OutlineFlag& flag : flags) {
    text += "complete -c lamarck" + condition;
    for (const std::string& name : flag.names) {
      text += name.starts_with("--") ? " -l " + name.substr(2)
                                     : " -s " + name.substr(1);
    }
    if (!flag.value.empty()) text += is_path(flag) ? " -r -F" : " -x";
    if (!flag.choices.empty()) {
      text += fmt::format(" -a '{}'", join_text(flag.choices, " "));
    }
    text += " -d " + fish_quoted(flag.summary) + "\n";
  }
  return text;
}

}  // namespace

std::string bash_completion(const Outline& outline) {
  std::vector<std::string> names;
  std::vector<std::string> patterns;
  std::string cases;
  for (const OutlineCommand& command : outline.commands) {
    if (!is_subcommand(command)) names.push_back(command.name);
    patterns.push_back(shell_quoted(command.name));
    cases += bash_command_case(command, patterns.back(), {});
  }
  OutlineCommand none;  // Before the command, offer the names of commands.
  cases += bash_command_case(none, "*", names);
  return fmt::format(
      R"(# bash completion for lamarck
_lamarck_offer() {{
  mapfile -t COMPREPLY < <(compgen -W "$1" -- "$word")
}}
_lamarck_offer_files() {{
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -f -- "$word")
}}
_lamarck() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}
  local common='{common}' command='' words='' candidate
  # --flag=value arrives as three words.
  if [[ $word == '=' ]]; then word='';
  elif [[ $before == '=' ]]; then before=${{COMP_WORDS[COMP_CWORD-2]}}; fi
  case $before in
{values}  esac
  for candidate in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case "${{command:+$command }}$candidate" in
      {alternatives}) command="${{command:+$command }}$candidate" ;;
    esac
  done
  case $command in
{cases}  esac
  _lamarck_offer "$words $common"
}}
complete -F _lamarck lamarck
)",
      fmt::arg("common", join_text(flag_names(outline.program.flags), " ")),
      fmt::arg("values", bash_value_cases(outline.program.flags)),
      fmt::arg("alternatives", join_text(patterns, "|")),
      fmt::arg("cases", cases));
}

std::string zsh_completion(const Outline& outline) {
  std::vector<std::string> names;
  std::string commands;
  std::string cases;
  for (const OutlineCommand& command : outline.commands) {
    if (is_subcommand(command)) continue;
    names.push_back(command.name);
    commands += "    " +
                shell_quoted(command.name + ":" +
                             replaced(command.summary, ":", "\\:")) +
                "\n";
    cases += zsh_case(command, outline);
  }
  return fmt::format(R"(#compdef lamarck
_lamarck() {{
  local -a commands
  commands=(
{commands}  )
  local -i at=${{words[(I)({alternatives})]}}
  if (( at == 0 || at == CURRENT )); then
    _describe command commands
    _arguments{common}
    return
  fi
  # Let _arguments see only the words of the command.
  words=("${{(@)words[at,-1]}}")
  (( CURRENT -= at - 1 ))
  case ${{words[1]}} in
{cases}  esac
}}
_lamarck "$@"
)",
                     fmt::arg("commands", commands), fmt::arg("cases", cases),
                     fmt::arg("common", zsh_arguments(outline.program, {})),
                     fmt::arg("alternatives", join_text(names, "|")));
}

std::string fish_completion(const Outline& outline) {
  std::string text = "# fish completion for lamarck\ncomplete -c lamarck -f\n" +
                     fish_flags(outline.program.flags, "");
  for (const OutlineCommand& command : outline.commands) {
    if (!is_subcommand(command)) {
      text += fmt::format(
          "complete -c lamarck -n __fish_use_subcommand -a {} -d {}\n",
          command.name, fish_quoted(command.summary));
    }
    const std::string condition = fish_condition(command, outline);
    text += fish_flags(command.flags, condition);
    for (const OutlineArgument& argument : command.arguments) {
      text += fmt::format("complete -c lamarck{} -a '{}' -d {}\n", condition,
                          join_text(argument.choices, " "),
                          fish_quoted(argument.summary));
    }
  }
  return text;
}

}  // namespace lamarck::cli
