#include "lamarck/cli/completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>
#include <vector>

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

// Inside single quotes, as bash and zsh read them.
std::string quoted(const std::string& text) {
  return "'" + replaced(text, "'", "'\\''") + "'";
}

std::string fish_quoted(const std::string& text) {
  return "'" + replaced(replaced(text, "\\", "\\\\"), "'", "\\'") + "'";
}

bool is_path(const OutlineFlag& flag) {
  return flag.value == "FILE" || flag.names.back() == "--data-dir";
}

// What may follow a flag that takes a value, as a case of bash.
std::string bash_value_cases(const std::vector<OutlineFlag>& flags) {
  std::string text;
  for (const OutlineFlag& flag : flags) {
    if (flag.value.empty()) continue;
    const std::string action =
        !flag.choices.empty()
            ? fmt::format("COMPREPLY=($(compgen -W '{}' -- \"$word\"))",
                          fmt::join(flag.choices, " "))
        : is_path(flag) ? "COMPREPLY=($(compgen -f -- \"$word\"))"
                        : "COMPREPLY=()";
    text += fmt::format("    {}) {}; return ;;\n", fmt::join(flag.names, "|"),
                        action);
  }
  return text;
}

std::string zsh_flag(const OutlineFlag& flag, const std::string& name) {
  // Brackets and colons end a description there.
  std::string summary = replaced(flag.summary, "[", "(");
  summary = replaced(replaced(summary, "]", ")"), ":", "\\:");
  std::string spec = name + "[" + summary + "]";
  if (!flag.value.empty()) {
    spec += !flag.choices.empty()
                ? fmt::format(":value:({})", fmt::join(flag.choices, " "))
            : is_path(flag) ? ":file:_files"
                            : ":value:";
  }
  return "'" + replaced(spec, "'", "'\\''") + "'";
}

std::string zsh_arguments(const OutlineCommand& command,
                          const std::vector<OutlineFlag>& common) {
  std::string text;
  for (const auto* flags : {&command.flags, &common}) {
    for (const OutlineFlag& flag : *flags) {
      for (const std::string& name : flag.names) {
        text += " \\\n        " + zsh_flag(flag, name);
      }
    }
  }
  for (const OutlineArgument& argument : command.arguments) {
    text += fmt::format(" \\\n        ':{}:({})'", argument.name,
                        fmt::join(argument.choices, " "));
  }
  return text;
}

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
      text += fmt::format(" -a '{}'", fmt::join(flag.choices, " "));
    }
    text += " -d " + fish_quoted(flag.summary) + "\n";
  }
  return text;
}

}  // namespace

std::string bash_completion(const Outline& outline) {
  std::vector<std::string> names;
  std::string cases;
  std::string values = bash_value_cases(outline.program.flags);
  const auto common = flag_names(outline.program.flags);
  for (const OutlineCommand& command : outline.commands) {
    names.push_back(command.name);
    std::vector<std::string> words;
    for (const OutlineArgument& argument : command.arguments) {
      words.insert(words.end(), argument.choices.begin(),
                   argument.choices.end());
    }
    const auto own = flag_names(command.flags);
    words.insert(words.end(), own.begin(), own.end());
    cases += fmt::format("    {}) words='{}' ;;\n", command.name,
                         fmt::join(words, " "));
    values += bash_value_cases(command.flags);
  }
  return fmt::format(
      R"(# bash completion for lamarck
_lamarck() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}
  local common='{common}' command='' words='' candidate
  case $before in
{values}  esac
  for candidate in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case $candidate in {alternatives}) command=$candidate; break ;; esac
  done
  case $command in
{cases}    *) words='{names}' ;;
  esac
  COMPREPLY=($(compgen -W "$words $common" -- "$word"))
}}
complete -F _lamarck lamarck
)",
      fmt::arg("common", fmt::join(common, " ")), fmt::arg("values", values),
      fmt::arg("alternatives", fmt::join(names, "|")), fmt::arg("cases", cases),
      fmt::arg("names", fmt::join(names, " ")));
}

std::string zsh_completion(const Outline& outline) {
  std::string commands;
  std::string cases;
  for (const OutlineCommand& command : outline.commands) {
    commands +=
        "    " +
        quoted(command.name + ":" + replaced(command.summary, ":", "\\:")) +
        "\n";
    cases +=
        fmt::format("    {})\n      _arguments{}\n      ;;\n", command.name,
                    zsh_arguments(command, outline.program.flags));
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
  # What follows is told about the command alone.
  words=("${{(@)words[at,-1]}}")
  (( CURRENT -= at - 1 ))
  case ${{words[1]}} in
{cases}  esac
}}
_lamarck "$@"
)",
                     fmt::arg("commands", commands), fmt::arg("cases", cases),
                     fmt::arg("common", zsh_arguments(outline.program, {})),
                     fmt::arg("alternatives", [&] {
                       std::string text;
                       for (const OutlineCommand& command : outline.commands) {
                         text += (text.empty() ? "" : "|") + command.name;
                       }
                       return text;
                     }()));
}

std::string fish_completion(const Outline& outline) {
  std::string text = "# fish completion for lamarck\ncomplete -c lamarck -f\n" +
                     fish_flags(outline.program.flags, "");
  for (const OutlineCommand& command : outline.commands) {
    text += fmt::format(
        "complete -c lamarck -n __fish_use_subcommand -a {} -d {}\n",
        command.name, fish_quoted(command.summary));
    const std::string condition =
        fmt::format(" -n '__fish_seen_subcommand_from {}'", command.name);
    text += fish_flags(command.flags, condition);
    for (const OutlineArgument& argument : command.arguments) {
      text += fmt::format("complete -c lamarck{} -a '{}' -d {}\n", condition,
                          fmt::join(argument.choices, " "),
                          fish_quoted(argument.summary));
    }
  }
  return text;
}

}  // namespace lamarck::cli
