#include <nlohmann/json.hpp>

#include "lamarck/cli/command_table.h"
#include "lamarck/cli/doctor_report.h"

namespace lamarck::cli {

Command doctor_command() {
  return {
      .name = "doctor",
      .summary = "Show what this machine and this build offer",
      .description =
          "Shows version, compiler, SIMD instructions, cores, libraries, the "
          "model endpoint, the data folder, the layers of the sandbox, and "
          "every setting with the place it came from. Never shows a key.",
      .example = "lamarck doctor --json",
      .configure = [](CLI::App&) -> CommandAction {
        return [](CommandContext& context) -> Result<void> {
          const Json report = doctor_report(context.settings);
          context.out << (context.json ? dump_json(report, 2) + "\n"
                                       : doctor_text(report));
          return {};
        };
      }};
}

}  // namespace lamarck::cli
