#include <memory>
#include <nlohmann/json.hpp>

#include "lamarck/base/one_line.h"
#include "lamarck/cli/command_option.h"
#include "lamarck/cli/command_table.h"
#include "lamarck/cli/doctor_report.h"

namespace lamarck::cli {

Command doctor_command() {
  return {
      .name = "doctor",
      .summary = "Show the build, the machine and the settings",
      .description =
          "Shows the version, compiler, SIMD instructions, cores, libraries, "
          "model server, data folder, sandbox layers, and every setting with "
          "its source. Never shows a key. --measure adds the speed of the "
          "matrix kernels compared with the CPU's peak.",
      .example = "lamarck doctor --measure",
      .configure = [](CLI::App& app) -> CommandAction {
        const auto measure = std::make_shared<bool>(false);
        add_switch(app, "--measure", *measure,
                   "Measure the matrix kernels, which takes a second");
        return [measure](CommandContext& context) -> Result<void> {
          Json report = doctor_report(context.settings);
          if (*measure) report["speed"] = speed_report();
          context.out << (context.json ? dump_json(report, 2) + "\n"
                                       : safe_lines(doctor_text(report)));
          return {};
        };
      }};
}

}  // namespace lamarck::cli
