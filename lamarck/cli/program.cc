#include "lamarck/cli/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <CLI/CLI.hpp>

#include "lamarck/base/interrupt.h"
#include "lamarck/base/log.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/suggestion.h"
#include "lamarck/base/version.h"
#include "lamarck/tensor/simd_target.h"

namespace lamarck::cli {
namespace {

constexpr const char* kIntroduction =
    "Lamarck evolves networks, programs, thoughts and skills, and hands on "
    "what "
    "they learned.";

constexpr const char* kAfterword =
    "Settings are read from flags, then LAMARCK_* variables, then "
    "lamarck.toml;\n"
    "`lamarck doctor` shows each and where it came from.\n"
    "`lamarck COMMAND --help` shows a command's flags and an example.";

// One line for each command in the program's help: the summaries, not the
// paragraphs.
class HelpFormatter : public CLI::Formatter {
 public:
  explicit HelpFormatter(std::span<const Command> commands)
      : commands_(commands) {}

  std::string make_subcommand(const CLI::App* sub) const override {
    for (const Command& command : commands_) {
      if (command.name == sub->get_name()) {
        return fmt::format("  {:<14}{}\n", command.name, command.summary);
      }
    }
    return CLI::Formatter::make_subcommand(sub);
  }

  std::string make_description(const CLI::App* app) const override {
    return wrapped(app->get_description());
  }

 private:
  // Broken between words so that no line is longer than 79 columns.
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

// The command line's grammar and what it wrote down.
struct Grammar {
  explicit Grammar(std::span<const Command> commands)
      : app(kIntroduction, "lamarck") {
    app.set_version_flag("--version", "lamarck " + std::string(version()),
                         "Show the version and exit");
    app.set_help_flag("-h,--help", "Show this help and exit");
    app.footer(kAfterword);
    app.require_subcommand(0, 1);
    app.fallthrough();  // Settings may stand before or after the command.
    app.option_defaults()->multi_option_policy(
        CLI::MultiOptionPolicy::TakeLast);
    const auto formatter = std::make_shared<HelpFormatter>(commands);
    formatter->column_width(34);
    app.formatter(formatter);  // Commands that are added take it over.
    app.add_option("--config", config,
                   "Settings file to read instead of lamarck.toml")
        ->type_name("FILE");
    for (const Setting& setting : kSettings) add_setting(setting);
    for (const Command& command : commands) add_command(command);
  }

  void add_setting(const Setting& setting) {
    if (setting.is_secret) return;  // Flags are seen by every user of `ps`.
    const std::string key(setting.key);
    auto* option = app.add_option(flag_name(setting), flags[key],
                                  std::string(setting.summary));
    option->type_name(setting.largest > 0       ? "COUNT"
                      : setting.choices.empty() ? "TEXT"
                                                : std::string(setting.choices));
    flag_options[key] = option;
  }

  void add_command(const Command& command) {
    CLI::App* sub = app.add_subcommand(std::string(command.name),
                                       std::string(command.description));
    sub->set_help_flag("-h,--help", "Show this help and exit");
    sub->footer("Example:\n  " + std::string(command.example));
    if (command.has_json) {
      sub->add_flag("--json", json, "Write the result as JSON");
    }
    actions[sub] = command.configure(*sub);
  }

  // Only what was given: an empty value is a value too.
  std::map<std::string, std::string, std::less<>> given_flags() const {
    std::map<std::string, std::string, std::less<>> given;
    for (const auto& [key, option] : flag_options) {
      if (option->count() > 0) given[key] = flags.at(key);
    }
    return given;
  }

  CLI::App app;
  std::optional<std::string> config;
  std::map<std::string, std::string> flags;  // By key of the setting.
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
    for (const CLI::Option* option : sub->get_options()) {
      for (const auto& name : option->get_lnames()) {
        words.push_back("--" + name);
      }
    }
  }
  return words;
}

// The command whose help fits: the one that was parsed, or the program.
std::string help_hint(const CLI::App& app) {
  const auto parsed = app.get_subcommands();
  return parsed.empty() ? "`lamarck --help`"
                        : "`lamarck " + parsed.front()->get_name() + " --help`";
}

// What follows an = may be a secret, so it is not repeated.
std::string misunderstood(const CLI::App& app, const std::string& word) {
  const std::string bare = word.substr(0, word.find('='));
  for (const Setting& setting : kSettings) {
    if (setting.is_secret && bare == flag_name(setting)) {
      return fmt::format(
          "{} is no flag, because others can read flags; set {} or {} in "
          "lamarck.toml.",
          bare, environment_name(setting), setting.key);
    }
  }
  const auto nearest = nearest_word(bare, known_words(app));
  if (nearest == bare) {
    return fmt::format("'{}' stands in the wrong place.", bare);
  }
  return fmt::format(
      "{} is not understood{}", in_quotes(bare),
      nearest ? fmt::format("; did you mean '{}'?", *nearest) : ".");
}

std::string usage_sentence(const CLI::App& app, const CLI::ParseError& error) {
  std::string text = error.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    const auto extras = app.remaining(true);
    text = misunderstood(app, extras.empty() ? "" : extras.front());
  } else {
    text = one_line(text, 300);
    if (!text.empty() && text.back() != '.') text += '.';
  }
  return fmt::format("lamarck: {} See {}.", text, help_hint(app));
}

int report(const ProgramStreams& streams, const Error& error,
           const InterruptScope& interrupt) {
  streams.err << "lamarck: " << error.message() << std::endl;
  if (error.code() == ErrorCode::InvalidArgument) return kWrongUsage;
  if (error.code() != ErrorCode::Cancelled) return kFailed;
  return interrupt.signal() == 0
             ? kInterrupted
             : InterruptScope::exit_code(interrupt.signal());
}

// Results that never reached the reader are a failure; one that went away on
// purpose, as in `lamarck ... | head`, is not told so.
int flush_results(const ProgramStreams& streams, int exit_code) {
  // A long result may have failed before: then its errno tells why.
  if (streams.out) errno = 0;
  streams.out.flush();
  if (streams.out) return exit_code;
  if (errno == ENOSPC || errno == EDQUOT) {
    streams.err << "lamarck: The result could not be written to standard "
                   "output: its disk is full; make room, or send it elsewhere."
                << std::endl;
  } else if (errno != EPIPE) {
    streams.err << "lamarck: The result could not be written; is the disk full?"
                << std::endl;
  }
  return exit_code == kDone ? kFailed : exit_code;
}

// Runs the command that was parsed.
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
  set_log_level(log_level_named(settings->text("log_level")).value());
  if (const auto chosen = choose_simd_target(settings->text("simd")); !chosen) {
    return report(streams, chosen.error().within((*settings)["simd"].origin),
                  interrupt);
  }

  SystemClock clock;
  CommandContext context{.out = streams.out,
                         .err = streams.err,
                         .settings = *settings,
                         .clock = clock,
                         .cancel = interrupt.token(),
                         .json = grammar.json,
                         .err_is_terminal = streams.err_is_terminal,
                         .err_width = streams.err_width,
                         .program = grammar.app};
  const Result<void> result = grammar.actions.at(&command)(context);
  if (!result) {
    return flush_results(streams, report(streams, result.error(), interrupt));
  }
  if (interrupt.signal() != 0) {
    // It ended well, but sooner than asked for.
    return flush_results(
        streams,
        report(streams, Error(ErrorCode::Cancelled, interrupt.token().reason()),
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
    // CLI11 takes the words last first.
    grammar.app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::CallForHelp&) {
    const auto parsed = grammar.app.get_subcommands();
    streams.out << (parsed.empty() ? grammar.app.help()
                                   : parsed.front()->help("lamarck"));
    return flush_results(streams, kDone);
  } catch (const CLI::CallForVersion& version) {
    streams.out << version.what() << '\n';
    return flush_results(streams, kDone);
  } catch (const CLI::ParseError& error) {
    streams.err << usage_sentence(grammar.app, error) << std::endl;
    return kWrongUsage;
  }
  const auto parsed = grammar.app.get_subcommands();
  if (parsed.empty()) {
    streams.out << grammar.app.help();
    return flush_results(streams, kDone);
  }
  return run_command(grammar, *parsed.front(), environment, streams);
}

}  // namespace

int run_program(const std::vector<std::string>& words,
                std::span<const Command> commands,
                const Environment& environment, const ProgramStreams& streams) {
  try {
    return parse_and_run(words, commands, environment, streams);
  } catch (const std::bad_alloc&) {
    streams.err << "lamarck: There is not enough memory for this." << std::endl;
  } catch (const std::exception& failure) {
    streams.err << "lamarck: " << failure.what() << std::endl;
  }
  return kFailed;
}

}  // namespace lamarck::cli
