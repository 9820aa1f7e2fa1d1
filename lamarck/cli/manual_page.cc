#include "lamarck/cli/manual_page.h"

#include <fmt/format.h>

#include <string_view>

#include "lamarck/base/string_split.h"
#include "lamarck/base/version.h"
#include "lamarck/cli/settings.h"

namespace lamarck::cli {
namespace {

// Escapes text for roff: backslashes, hyphens (so that they can be copied), and
// a period or quote at the start of a line, which would begin a request.
std::string roff(std::string_view text) {
  std::string escaped;
  bool at_line_start = true;
  for (const char c : text) {
    if (at_line_start && (c == '.' || c == '\'')) escaped += "\\&";
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else {
      escaped += c;
    }
    at_line_start = c == '\n';
  }
  return escaped;
}

// A tagged paragraph: names in bold, the value in italics, then the summary.
std::string flag_entry(const OutlineFlag& flag) {
  std::string head;
  for (const std::string& name : flag.names) {
    head += (head.empty() ? "\\fB" : ", \\fB") + roff(name) + "\\fR";
  }
  if (!flag.value.empty()) head += " \\fI" + roff(flag.value) + "\\fR";
  return ".TP\n" + head + "\n" + roff(flag.summary) + ".\n";
}

std::string command_section(const OutlineCommand& command) {
  std::string text = ".SS lamarck " + roff(command.name);
  for (const OutlineArgument& argument : command.arguments) {
    text += " " + roff(argument.name);
  }
  text += "\n" + roff(command.description) + "\n";
  for (const OutlineFlag& flag : command.flags) text += flag_entry(flag);
  for (const OutlineArgument& argument : command.arguments) {
    text += fmt::format(".TP\n\\fI{}\\fR\n{}", roff(argument.name),
                        roff(argument.summary));
    if (!argument.choices.empty()) {
      text += ": " + join_text(argument.choices, ", ");
    }
    text += ".\n";
  }
  return text + ".PP\n.nf\n" + roff(command.example) + "\n.fi\n";
}

std::string settings_section() {
  std::string text =
      ".SH SETTINGS\n"
      "Each setting is read from its flag, then from its variable, then from\n"
      ".IR lamarck.toml\n"
      "(the file given by \\fB\\-\\-config\\fR or \\fBLAMARCK_CONFIG\\fR, "
      "otherwise lamarck.toml in the current folder, otherwise "
      "~/.config/lamarck/lamarck.toml).\n";
  for (const Setting& setting : kSettings) {
    text += fmt::format(".TP\n\\fB{}\\fR, \\fB{}\\fR\n{}.\n", roff(setting.key),
                        roff(environment_name(setting)), roff(setting.summary));
    if (!setting.also_env.empty()) {
      text += fmt::format("If it is not set, {} is used.\n",
                          roff(setting.also_env));
    }
  }
  return text;
}

}  // namespace

std::string manual_page(const Outline& outline) {
  std::string text = fmt::format(
      ".TH LAMARCK 1 \"\" \"lamarck {}\" \"User Commands\"\n"
      ".SH NAME\n"
      "lamarck \\- evolve networks, formulas and programs; serve MCP tools\n"
      ".SH SYNOPSIS\n"
      ".B lamarck\n"
      "[\\fIsettings\\fR] \\fIcommand\\fR [\\fIflags\\fR]\n"
      ".SH DESCRIPTION\n{}\n"
      ".SH COMMANDS\n",
      version(), roff(outline.program.description));
  for (const OutlineCommand& command : outline.commands) {
    text += command_section(command);
  }
  text += ".SH OPTIONS\n";
  for (const OutlineFlag& flag : outline.program.flags) {
    text += flag_entry(flag);
  }
  text += settings_section();
  text +=
      ".SH EXIT STATUS\n"
      ".TP\n0\nSuccess.\n.TP\n1\nFailure; standard error says why.\n"
      ".TP\n2\nWrong usage.\n"
      ".TP\n130\nInterrupted by Ctrl\\-C; results so far are kept. A second "
      "Ctrl\\-C quits immediately.\n";
  return text;
}

}  // namespace lamarck::cli
