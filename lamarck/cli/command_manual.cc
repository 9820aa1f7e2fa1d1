#include "lamarck/cli/command_table.h"
#include "lamarck/cli/manual_page.h"

namespace lamarck::cli {

Command manual_command() {
  return {.name = "manual",
          .summary = "Write the man page lamarck(1)",
          .description =
              "Writes the man page, which is generated from the commands and "
              "their flags. `make install` installs it.",
          .example = "lamarck manual | man -l -",
          .has_json = false,
          .configure = [](CLI::App&) -> CommandAction {
            return [](CommandContext& context) -> Result<void> {
              context.out << manual_page(make_outline(context.program));
              return {};
            };
          }};
}

}  // namespace lamarck::cli
