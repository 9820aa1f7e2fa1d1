#include "lamarck/cli/command_grammar.h"

#include <fmt/format.h>

#include <memory>
#include <sstream>

#include "lamarck/base/version.h"
#include "lamarck/cli/usage_message.h"
#include "lamarck/crew/mpi_transport.h"

namespace lamarck::cli {
namespace {

constexpr const char* kIntroduction =
    "Lamarck evolves neural networks, formulas and programs, and serves MCP "
    "tools that store a model's reasoning.";

constexpr const char* kAfterword =
    "First steps, with the tables in examples/data or, after `make install`,\n"
    "in share/lamarck/examples:\n"
    "  lamarck evolve net iris.csv --target species    predict a column\n"
    "  lamarck evolve fn planets.csv --target period   find a formula\n"
    "  lamarck evolve net sales.csv --target sold --series\n"
    "                                                  predict a series\n"
    "  lamarck mcp --print-config claude               think with a client\n"
    "\n"
    "Settings come from flags, then LAMARCK_* variables, then lamarck.toml;\n"
    "`lamarck doctor` shows each value and its source.\n"
    "`lamarck COMMAND --help` shows a command's flags and an example.";

// The command that `app` was made from; null for the program itself.
const Command* find_command(std::span<const Command> commands,
                            const CLI::App& app) {
  const CLI::App* const parent = app.get_parent();
  if (parent == nullptr) return nullptr;
  const Command* const outer = find_command(commands, *parent);
  const std::span<const Command> siblings =
      outer == nullptr ? commands : std::span(outer->subcommands);
  for (const Command& command : siblings) {
    if (command.name == app.get_name()) return &command;
  }
  return nullptr;
}

// The settings of the model, which are flags of every command.
std::string model_settings_help() {
  std::string text =
      "Model, for --engine llm and mix (see also `lamarck doctor`):\n";
  for (const Setting& setting : kSettings) {
    if (setting.is_secret || !setting.key.starts_with("llm.")) continue;
    text += fmt::format("  {:<32}{}\n", flag_name(setting) + " VALUE",
                        setting.summary);
  }
  return text +
         "  The key is read from LAMARCK_LLM_API_KEY or "
         "OPENAI_API_KEY.\n\n";
}

// The processes of an MPI launcher must not do the same work, nor write the
// same files.
CommandAction refuse_ranks(const std::string& command) {
  return [command](CommandContext&) -> Result<void> {
    return Error(ErrorCode::Unsupported,
                 fmt::format("`{}` cannot share its work among the processes "
                             "of an MPI launcher; start it without one.",
                             command));
  };
}

// Lists each command on one line, with its summary instead of its description.
class HelpFormatter : public CLI::Formatter {
 public:
  explicit HelpFormatter(std::span<const Command> commands)
      : commands_(commands) {}

  std::string make_subcommand(const CLI::App* sub) const override {
    const Command* command = find_command(commands_, *sub);
    return command == nullptr
               ? CLI::Formatter::make_subcommand(sub)
               : fmt::format("  {:<14}{}\n", command->name, command->summary);
  }

  // Lists the commands before the settings.
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    if (app->get_parent() != nullptr || mode != CLI::AppFormatMode::Normal) {
      return CLI::Formatter::make_help(app, std::move(name), mode);
    }
    return make_description(app) + make_usage(app, name) +
           make_subcommands(app, mode) + make_groups(app, mode) + '\n' +
           make_footer(app);
  }

  std::string make_description(const CLI::App* app) const override {
    return wrapped(app->get_description());
  }

 private:
  // Breaks the text between words into lines of at most 79 columns.
  static std::string wrapped(const std::string& text) {
    std::istringstream words(text);
    std::string result;
    std::size_t column = 0;
    for (std::string word; words >> word;) {
      const bool fits = column == 0 || column + 1 + word.size() <= 79;
      if (!result.empty()) result += fits ? " " : "\n";
      column = fits && column > 0 ? column + 1 + word.size() : word.size();
      result += word;
    }
    return result + "\n";
  }

  std::span<const Command> commands_;
};

}  // namespace

Grammar::Grammar(std::span<const Command> commands)
    : app(kIntroduction, "lamarck") {
  app.set_version_flag("--version", "lamarck " + std::string(version()),
                       "Show the version and exit");
  app.set_help_flag("-h,--help", "Show this help and exit");
  app.footer(kAfterword);
  app.require_subcommand(0, 1);
  app.fallthrough();  // Settings may precede or follow the command.
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  const auto formatter = std::make_shared<HelpFormatter>(commands);
  formatter->column_width(34);
  app.formatter(formatter);  // Subcommands inherit it.
  app.add_option("--config", config,
                 "Settings file to read instead of lamarck.toml")
      ->type_name("FILE");
  for (const Setting& setting : kSettings) add_setting(setting);
  for (const Command& command : commands) add_command(app, command);
}

void Grammar::add_setting(const Setting& setting) {
  if (setting.is_secret) return;  // `ps` shows flags to every user.
  const std::string key(setting.key);
  auto* option = app.add_option(flag_name(setting), flags_[key],
                                std::string(setting.summary));
  option->type_name(setting.largest > 0       ? "COUNT"
                    : setting.choices.empty() ? "TEXT"
                                              : std::string(setting.choices));
  flag_options_[key] = option;
}

void Grammar::add_command(CLI::App& parent, const Command& command) {
  CLI::App* sub = parent.add_subcommand(std::string(command.name),
                                        std::string(command.description));
  sub->set_help_flag("-h,--help", "Show this help and exit");
  sub->footer((command.has_model ? model_settings_help() : "") +
              "Example:\n  " + std::string(command.example));
  if (!command.subcommands.empty()) {
    sub->require_subcommand(0, 1);
    for (const Command& each : command.subcommands) add_command(*sub, each);
  }
  if (command.configure == nullptr) return;
  if (command.has_json) {
    sub->add_flag("--json", json, "Write the result as JSON");
  }
  actions[sub] = command.configure(*sub);
  if (!command.has_crew && crew::mpi_place().size > 1) {
    actions[sub] = refuse_ranks(full_name(*sub));
  }
}

std::map<std::string, std::string, std::less<>> Grammar::given_flags() const {
  std::map<std::string, std::string, std::less<>> given;
  for (const auto& [key, option] : flag_options_) {
    if (option->count() > 0) given[key] = flags_.at(key);
  }
  return given;
}

}  // namespace lamarck::cli
