#include <array>
#include <memory>
#include <string>

#include "lamarck/base/one_line.h"
#include "lamarck/cli/command_option.h"
#include "lamarck/cli/command_table.h"
#include "lamarck/cli/completion.h"

namespace lamarck::cli {
namespace {

struct Shell {
  std::string_view name;
  std::string (*script)(const Outline&);
};

// The supported shells, with the generators of their scripts.
constexpr std::array kShells = {
    Shell{"bash", bash_completion},
    Shell{"zsh", zsh_completion},
    Shell{"fish", fish_completion},
};

}  // namespace

Command completion_command() {
  return {
      .name = "completion",
      .summary = "Write a completion script for a shell",
      .description =
          "Writes a script for bash, zsh or fish that completes commands, "
          "flags and their values. `make install` installs the scripts for all "
          "three shells.",
      .example = "source <(lamarck completion bash)",
      .has_json = false,
      .configure = [](CLI::App& app) -> CommandAction {
        const auto name = std::make_shared<std::string>();
        add_option(app, "SHELL", name.get(), "Shell to write the script for",
                   {.type = "bash|zsh|fish", .is_required = true});
        return [name](CommandContext& context) -> Result<void> {
          for (const Shell& shell : kShells) {
            if (shell.name != *name) continue;
            context.out << shell.script(make_outline(context.program));
            return {};
          }
          return Error(
              ErrorCode::InvalidArgument,
              "Unknown shell " + in_quotes(*name) + "; use bash, zsh or fish.");
        };
      }};
}

}  // namespace lamarck::cli
