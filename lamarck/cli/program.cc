#include "lamarck/cli/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <regex>
#include <sstream>
#include <CLI/CLI.hpp>

#include "lamarck/base/interrupt.h"
#include "lamarck/base/log.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/suggestion.h"
#include "lamarck/base/version.h"
#include "lamarck/cli/command_option.h"
#include "lamarck/tensor/simd_target.h"

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

// The grammar of the command line, and the values that parsing writes.
struct Grammar {
  explicit Grammar(std::span<const Command> commands)
      : app(kIntroduction, "lamarck") {
    app.set_version_flag("--version", "lamarck " + std::string(version()),
                         "Show the version and exit");
    app.set_help_flag("-h,--help", "Show this help and exit");
    app.footer(kAfterword);
    app.require_subcommand(0, 1);
    app.fallthrough();  // Settings may precede or follow the command.
    app.option_defaults()->multi_option_policy(
        CLI::MultiOptionPolicy::TakeLast);
    const auto formatter = std::make_shared<HelpFormatter>(commands);
    formatter->column_width(34);
    app.formatter(formatter);  // Subcommands inherit it.
    app.add_option("--config", config,
                   "Settings file to read instead of lamarck.toml")
        ->type_name("FILE");
    for (const Setting& setting : kSettings) add_setting(setting);
    for (const Command& command : commands) add_command(app, command);
  }

  void add_setting(const Setting& setting) {
    if (setting.is_secret) return;  // `ps` shows flags to every user.
    const std::string key(setting.key);
    auto* option = app.add_option(flag_name(setting), flags[key],
                                  std::string(setting.summary));
    option->type_name(setting.largest > 0       ? "COUNT"
                      : setting.choices.empty() ? "TEXT"
                                                : std::string(setting.choices));
    flag_options[key] = option;
  }

  void add_command(CLI::App& parent, const Command& command) {
    CLI::App* sub = parent.add_subcommand(std::string(command.name),
                                          std::string(command.description));
    sub->set_help_flag("-h,--help", "Show this help and exit");
    sub->footer("Example:\n  " + std::string(command.example));
    if (!command.subcommands.empty()) {
      sub->require_subcommand(0, 1);
      for (const Command& each : command.subcommands) add_command(*sub, each);
    }
    if (command.configure == nullptr) return;
    if (command.has_json) {
      sub->add_flag("--json", json, "Write the result as JSON");
    }
    actions[sub] = command.configure(*sub);
  }

  // Returns only the flags that were given; an empty value counts as given.
  std::map<std::string, std::string, std::less<>> given_flags() const {
    std::map<std::string, std::string, std::less<>> given;
    for (const auto& [key, option] : flag_options) {
      if (option->count() > 0) given[key] = flags.at(key);
    }
    return given;
  }

  CLI::App app;
  std::optional<std::string> config;
  std::map<std::string, std::string> flags;  // By the setting's key.
  std::map<std::string, const CLI::Option*> flag_options;
  std::map<const CLI::App*, CommandAction> actions;
  bool json = false;
};

std::vector<std::string> known_words(const CLI::App& app) {
  std::vector<std::string> words;
  for (const CLI::Option* option : app.get_options()) {
    for (const auto& name : option->get_lnames()) words.push_back("--" + name);
  }
  for (const CLI::App* sub : app.get_subcommands(nullptr)) {
    words.push_back(sub->get_name());
    const auto more = known_words(*sub);
    words.insert(words.end(), more.begin(), more.end());
  }
  return words;
}

// Returns the words that may follow a command: its flags, those of the commands
// around it, and its subcommands.
std::vector<std::string> words_after(const CLI::App& command) {
  std::vector<std::string> words;
  for (const CLI::App* app = &command; app != nullptr;
       app = app->get_parent()) {
    for (const CLI::Option* option : app->get_options()) {
      for (const auto& name : option->get_lnames()) {
        words.push_back("--" + name);
      }
    }
  }
  for (const CLI::App* sub : command.get_subcommands(nullptr)) {
    words.push_back(sub->get_name());
  }
  return words;
}

// Returns the innermost command that was parsed, or the program itself.
const CLI::App& parsed_command(const CLI::App& app) {
  const auto parsed = app.get_subcommands();
  return parsed.empty() ? app : parsed_command(*parsed.front());
}

// "lamarck evolve net" for that subcommand.
std::string full_name(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return parent == nullptr ? command.get_name()
                           : full_name(*parent) + " " + command.get_name();
}

std::vector<std::string> subcommand_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* sub : command.get_subcommands(nullptr)) {
    names.push_back(sub->get_name());
  }
  return names;
}

// Appends the commands below `app` that have the flag.
void find_owners(const CLI::App& app, const std::string& flag,
                 std::vector<std::string>& owners) {
  for (const CLI::App* sub : app.get_subcommands(nullptr)) {
    if (sub->get_option_no_throw(flag) != nullptr) {
      owners.push_back("`" + full_name(*sub) + "`");
    }
    find_owners(*sub, flag, owners);
  }
}

// Says that a flag belongs to other commands, preferably to those beside this
// one; "" if it does not.
std::string other_flag_message(const CLI::App& command,
                               const std::string& flag) {
  constexpr std::size_t kMaxOwners = 3;
  const CLI::App* parent = command.get_parent();
  if (parent == nullptr || !flag.starts_with("--")) return "";
  if (command.get_option_no_throw(flag) != nullptr) return "";
  std::vector<std::string> owners;
  for (; parent != nullptr && owners.empty(); parent = parent->get_parent()) {
    find_owners(*parent, flag, owners);
  }
  if (owners.empty()) return "";
  if (owners.size() > kMaxOwners) owners.resize(kMaxOwners);
  return fmt::format("{} is a flag of {}, not of `{}`.", flag,
                     join_choices(owners, " and "), full_name(command));
}

// Names the role of an unknown word: a flag, a command or an argument.
std::string_view word_role(const CLI::App& app, std::string_view word) {
  if (word.starts_with("-")) return "flag";
  return app.get_subcommands().empty() ? "command" : "argument";
}

// Whether a word of this kind was expected after the parsed command.
bool wants_subcommand(const CLI::App& command) {
  return command.get_parent() != nullptr &&
         !command.get_subcommands(nullptr).empty();
}

// Drops the value after an =, because it may be a secret.
std::string unknown_word_message(const CLI::App& app, const std::string& word) {
  const std::string bare = word.substr(0, word.find('='));
  for (const Setting& setting : kSettings) {
    if (setting.is_secret && bare == flag_name(setting)) {
      return fmt::format(
          "{} is not a flag, because other users can see command lines; set "
          "{}, or {} in lamarck.toml.",
          bare, environment_name(setting), setting.key);
    }
  }
  const CLI::App& command = parsed_command(app);
  if (wants_subcommand(command) && !bare.starts_with("-")) {
    return fmt::format("Unknown kind {}; use {}.", in_quotes(bare),
                       join_choices(subcommand_names(command)));
  }
  if (std::string message = other_flag_message(command, bare);
      !message.empty()) {
    return message;
  }
  const auto all = known_words(app);
  if (std::ranges::find(all, bare) != all.end()) {
    return fmt::format(
        "'{}' is not valid here; flags follow the command they belong to.",
        bare);
  }
  const auto nearest = nearest_word(bare, words_after(command));
  return fmt::format(
      "Unknown {} {}{}", word_role(app, bare), in_quotes(bare),
      nearest ? fmt::format("; did you mean '{}'?", *nearest) : ".");
}

// Rewords the messages of CLI11 that do not say what to do, such as
// "Could not convert: --goal = high" and "--goal: 1 required X missing".
std::string reworded(const std::string& text) {
  constexpr std::string_view kConvert = "Could not convert: ";
  const std::size_t equals = text.find(" = ");
  if (text.starts_with(kConvert) && equals != std::string::npos) {
    return fmt::format("{} must be a number, got {}",
                       text.substr(kConvert.size(), equals - kConvert.size()),
                       in_quotes(text.substr(equals + 3)));
  }
  // "--count: Value -1 not in range 0 to 9"
  static const std::regex kRange("(.+): Value (.+) not in range (.+) to (.+)");
  if (std::smatch parts; std::regex_match(text, parts, kRange)) {
    return fmt::format("{} must be between {} and {}, got {}", parts[1].str(),
                       parts[3].str(), parts[4].str(), parts[2].str());
  }
  // "--port: must be ..." from a check of ours.
  if (const std::size_t must = text.find(": must ");
      must != std::string::npos && text.starts_with("--")) {
    return text.substr(0, must) + text.substr(must + 1);
  }
  const std::size_t required = text.find(": 1 required ");
  if (required != std::string::npos && text.ends_with(" missing")) {
    return text.substr(0, required) + " requires a value";
  }
  return text;
}

std::string usage_sentence(const CLI::App& app, const CLI::ParseError& error) {
  std::string text = error.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    const auto extras = app.remaining(true);
    text = unknown_word_message(app, extras.empty() ? "" : extras.front());
  } else {
    text = one_line(reworded(text), 300);
    if (!text.empty() && text.back() != '.') text += '.';
  }
  return fmt::format("lamarck: {} See `{} --help`.", text,
                     full_name(parsed_command(app)));
}

int report(const ProgramStreams& streams, const Error& error,
           const InterruptScope& interrupt) {
  streams.err << "lamarck: " << safe_lines(error.message()) << std::endl;
  if (error.code() == ErrorCode::InvalidArgument) return kWrongUsage;
  if (error.code() != ErrorCode::Cancelled) return kFailed;
  return interrupt.signal() == 0
             ? kInterrupted
             : InterruptScope::exit_code(interrupt.signal());
}

// Results that could not be written are a failure. If the reader closed the
// pipe, as in `lamarck ... | head`, no message is printed.
int flush_results(const ProgramStreams& streams, int exit_code) {
  // If an earlier write failed, keep its errno, which says why.
  if (streams.out) errno = 0;
  streams.out.flush();
  if (streams.out) return exit_code;
  if (errno == ENOSPC || errno == EDQUOT) {
    streams.err << "lamarck: Cannot write the result to standard output: the "
                   "disk is full; free some space or redirect the output."
                << std::endl;
  } else if (errno != EPIPE) {
    streams.err << "lamarck: Cannot write the result to standard output; check "
                   "that it is open and that the disk is not full."
                << std::endl;
  }
  return exit_code == kDone ? kFailed : exit_code;
}

int run_command(const Grammar& grammar, const CLI::App& command,
                const Environment& environment, const ProgramStreams& streams) {
  const InterruptScope interrupt;
  SettingSources sources{.flags = grammar.given_flags(),
                         .environment = environment};
  if (grammar.config) sources.file = *grammar.config;
  const Result<Settings> settings = Settings::resolve(sources);
  if (!settings) {
    return report(streams, settings.error(), interrupt);
  }
  set_log_level(parse_log_level(settings->text("log_level")).value());
  if (const auto chosen = choose_simd_target(settings->text("simd")); !chosen) {
    return report(streams, chosen.error().within((*settings)["simd"].origin),
                  interrupt);
  }

  SystemClock clock;
  CommandContext context{.out = streams.out,
                         .err = streams.err,
                         .settings = *settings,
                         .clock = clock,
                         .began = clock.elapsed(),
                         .cancel = interrupt.token(),
                         .json = grammar.json,
                         .out_is_terminal = streams.out_is_terminal,
                         .err_is_terminal = streams.err_is_terminal,
                         .err_width = streams.err_width,
                         .program = grammar.app};
  const Result<void> result = grammar.actions.at(&command)(context);
  if (!result) {
    return flush_results(streams, report(streams, result.error(), interrupt));
  }
  if (interrupt.signal() != 0) {
    // The command succeeded, but a signal ended it early. Nothing is said about
    // progress: commands that save it, such as `evolve`, return an error.
    return flush_results(
        streams,
        report(streams,
               Error(ErrorCode::Cancelled,
                     InterruptScope::describe(interrupt.signal()) + "."),
               interrupt));
  }
  return flush_results(streams, kDone);
}

int parse_and_run(const std::vector<std::string>& words,
                  std::span<const Command> commands,
                  const Environment& environment,
                  const ProgramStreams& streams) {
  Grammar grammar(commands);
  try {
    // CLI11 expects the words in reverse order.
    grammar.app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::CallForHelp&) {
    const CLI::App& command = parsed_command(grammar.app);
    const CLI::App* parent = command.get_parent();
    streams.out << command.help(parent == nullptr ? "" : full_name(*parent));
    return flush_results(streams, kDone);
  } catch (const CLI::CallForVersion& version) {
    streams.out << version.what() << '\n';
    return flush_results(streams, kDone);
  } catch (const CLI::ParseError& error) {
    streams.err << safe_lines(usage_sentence(grammar.app, error)) << std::endl;
    return kWrongUsage;
  }
  const CLI::App& command = parsed_command(grammar.app);
  if (command.get_parent() == nullptr) {
    streams.out << grammar.app.help();
    return flush_results(streams, kDone);
  }
  if (!grammar.actions.contains(&command)) {
    streams.err << fmt::format(
                       "lamarck: `{0}` requires a kind: {1}. See `{0} --help`.",
                       full_name(command),
                       join_choices(subcommand_names(command)))
                << std::endl;
    return kWrongUsage;
  }
  return run_command(grammar, command, environment, streams);
}

}  // namespace

int run_program(const std::vector<std::string>& words,
                std::span<const Command> commands,
                const Environment& environment, const ProgramStreams& streams) {
  try {
    return parse_and_run(words, commands, environment, streams);
  } catch (const std::bad_alloc&) {
    streams.err << "lamarck: There is not enough memory for this command."
                << std::endl;
  } catch (const std::exception& failure) {
    streams.err << "lamarck: " << safe_lines(failure.what()) << std::endl;
  }
  return kFailed;
}

}  // namespace lamarck::cli
