#include <memory>
#include <string>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/cli/command_option.h"
#include "lamarck/cli/command_table.h"
#include "lamarck/cli/operation_report.h"
#include "lamarck/cli/operation_text.h"

namespace lamarck::cli {
namespace {

struct OpsFlags {
  std::string name;  // Empty for all operations.
  bool markdown = false;
};

Result<void> show_operations(const OpsFlags& flags, CommandContext& context) {
  if (flags.markdown && (context.json || !flags.name.empty())) {
    return Error(
        ErrorCode::InvalidArgument,
        "--markdown writes a page of all operations; leave out NAME and "
        "--json.");
  }
  Json report;
  if (flags.name.empty()) {
    report = operations_report();
  } else {
    ASSIGN_OR_RETURN(report, operation_report_named(flags.name));
  }
  context.out << (context.json         ? dump_json(report, 2) + "\n"
                  : flags.markdown     ? operations_markdown(report)
                  : flags.name.empty() ? operations_text(report)
                                       : operation_text(report));
  return {};
}

}  // namespace

Command ops_command() {
  return {
      .name = "ops",
      .summary = "Show the operations of computation graphs",
      .description =
          "Lists every graph operation with its inputs, whether it has a "
          "gradient and works in place, and its ONNX operators, followed by "
          "the activation functions. With NAME, shows all details of one "
          "operation.",
      .example = "lamarck ops leaky_relu",
      .configure = [](CLI::App& app) -> CommandAction {
        const auto flags = std::make_shared<OpsFlags>();
        add_option(app, "NAME", &flags->name, "Operation to show");
        add_switch(app, "--markdown", flags->markdown,
                   "Write the page docs/operations.md");
        return [flags](CommandContext& context) {
          return show_operations(*flags, context);
        };
      }};
}

}  // namespace lamarck::cli
